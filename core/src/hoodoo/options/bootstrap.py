"""Options of operation bootstrap, which copies the rows of existing files. They are not stored with the table."""

from __future__ import annotations

from attrs import frozen

from hoodoo.options.parsing.declare import option

__all__ = ["BootstrapOptions"]

_BOOTSTRAP = "hoodie.bootstrap."


@frozen
class BootstrapOptions:
    """Existing files whose rows operation `bootstrap` copies into a new table. Other operations ignore the options."""

    bootstrap_path: str | None = option(
        _BOOTSTRAP + "base.path",
        help="Root folder of the files: Parquet or ORC files, in folders `column=value` or in other folders. The "
        "values in names of folders are texts. The rows passed to the write are not used.",
    )
    bootstrap_selector: str | None = option(
        _BOOTSTRAP + "mode.selector",
        shown_default="none; a bootstrap needs it, because Hudi's default is METADATA_ONLY",
        help="`FULL_RECORD`, or `REGEX` with the two options below, or the name of Hudi's class. All rows are copied; "
        "`METADATA_ONLY`, which does not copy them, is refused.",
    )
    bootstrap_regex: str = option(
        _BOOTSTRAP + "mode.selector.regex",
        default=".*",
        help="Regular expression for the paths of folders, relative to `bootstrap_path`, for the selector `REGEX`.",
    )
    bootstrap_regex_mode: str = option(
        _BOOTSTRAP + "mode.selector.regex.mode",
        default="METADATA_ONLY",
        choices=("FULL_RECORD", "METADATA_ONLY"),
        help="Mode of the folders that match; other folders have the other mode. All folders with files must have the "
        "mode FULL_RECORD.",
    )
    bootstrap_format: str = option(
        _BOOTSTRAP + "full.input.provider",
        default="parquet",
        help="Format of the files: `parquet` or `orc`, or the name of Hudi's class.",
    )
    bootstrap_keygen: str | None = option(
        _BOOTSTRAP + "keygen.class",
        _BOOTSTRAP + "keygen.type",
        first_key_wins=True,
        shown_default="`keygen`",
        help="Key generator of the new table; the same as `keygen` if both are given.",
    )
