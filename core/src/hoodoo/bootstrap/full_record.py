"""Mode of a bootstrap by Hudi's options: all rows are copied, or the bootstrap is refused."""

from __future__ import annotations

import re
from collections.abc import Iterable

from hoodoo.errors import OptionError
from hoodoo.options import BootstrapOptions

__all__ = ["check_folders", "check_mode", "source_format"]

_FULL = ("fullrecord", "fullrecordbootstrapmodeselector")
_METADATA = ("metadataonly", "metadataonlybootstrapmodeselector")
_REGEX = ("regex", "bootstrapregexmodeselector")
_FORMATS = {
    "parquet": "parquet",
    "sparkparquetbootstrapdataprovider": "parquet",
    "orc": "orc",
    "sparkorcbootstrapdataprovider": "orc",
}
_EVERY_FOLDER = (".*", "^.*$")
_ADVICE = (
    "a bootstrap without a copy of the rows makes base files without data columns, which hoodoo does not write; set "
    "'bootstrap_selector' (hoodie.bootstrap.mode.selector) to FULL_RECORD to copy the rows"
)


def check_mode(options: BootstrapOptions) -> None:
    """Raise if the options alone show that a folder would not be copied, or if they are incomplete.

    Raises:
        OptionError: The path is missing, the mode is not FULL_RECORD, or the selector, its regular expression or the
            format is invalid.
    """
    if not options.bootstrap_path:
        raise OptionError(
            "operation 'bootstrap' needs 'bootstrap_path' (hoodie.bootstrap.base.path): set it to the folder of the "
            "files to copy",
            code="bootstrap",
        )
    source_format(options)
    if options.bootstrap_selector is None:
        raise OptionError(
            f"'bootstrap_selector' is not set, so that Hudi's default METADATA_ONLY applies: {_ADVICE}",
            code="bootstrap",
        )
    selector = _plain(options.bootstrap_selector)
    if selector in _METADATA:
        raise OptionError(f"'bootstrap_selector' is {options.bootstrap_selector!r}: {_ADVICE}", code="bootstrap")
    if selector not in (*_FULL, *_REGEX):
        raise OptionError(
            f"'bootstrap_selector' is {options.bootstrap_selector!r}; expected FULL_RECORD or REGEX: other selectors "
            "are classes of Java, which do not run here",
            code="bootstrap",
        )
    if selector in _REGEX:
        pattern = _pattern(options)
        if options.bootstrap_regex_mode == "METADATA_ONLY" and pattern.pattern in _EVERY_FOLDER:
            raise _regex_error(options, "every folder")


def check_folders(options: BootstrapOptions, folders: Iterable[str]) -> None:
    """Raise if the selector REGEX gives a folder another mode than FULL_RECORD.

    Args:
        options: Options that passed `check_mode`.
        folders: The paths of all folders with files, relative to the root folder of the files.

    Raises:
        OptionError: A folder has the mode METADATA_ONLY.
    """
    if _plain(options.bootstrap_selector or "") in _FULL:
        return
    pattern, matching = _pattern(options), options.bootstrap_regex_mode == "FULL_RECORD"
    for folder in sorted(folders):
        if (pattern.fullmatch(folder) is not None) != matching:
            raise _regex_error(options, f"folder '{folder}'" if folder else "the root folder")


def source_format(options: BootstrapOptions) -> str:
    """Return the format of the files to copy: `parquet` or `orc`.

    Raises:
        OptionError: The option names another format or class.
    """
    found = _FORMATS.get(_plain(options.bootstrap_format))
    if found is None:
        raise OptionError(
            f"'bootstrap_format' is {options.bootstrap_format!r}; expected parquet or orc; read files of other formats "
            "with another library or with Spark, and write the rows with operation bulk_insert",
            code="bootstrap",
        )
    return found


def _pattern(options: BootstrapOptions) -> re.Pattern[str]:
    try:
        return re.compile(options.bootstrap_regex)
    except re.error as error:
        raise OptionError(
            f"'bootstrap_regex' is '{options.bootstrap_regex}', which is not a regular expression: {error}; correct it",
            code="bootstrap",
        ) from error


def _regex_error(options: BootstrapOptions, folder: str) -> OptionError:
    return OptionError(
        f"the selector REGEX gives {folder} the mode METADATA_ONLY ('bootstrap_regex' is '{options.bootstrap_regex}', "
        f"'bootstrap_regex_mode' is {options.bootstrap_regex_mode}): {_ADVICE}",
        code="bootstrap",
    )


def _plain(name: str) -> str:
    """Return the name of a choice or of a Java class in lower case, without package, `_` and `-`."""
    return name.strip().rpartition(".")[2].lower().replace("_", "").replace("-", "")
