"""The mode and the file format of a bootstrap, from the options of Hudi."""

from __future__ import annotations

from typing import Any

import pytest

from hoodoo.bootstrap.full_record import check_folders, check_mode, source_format
from hoodoo.errors import OptionError
from hoodoo.options import BootstrapOptions, parse

CLASS = "org.apache.hudi.client.bootstrap.selector."
PATH = {"hoodie.bootstrap.base.path": "/files"}


def given(**options: Any) -> BootstrapOptions:
    return parse({**PATH, **options}, [BootstrapOptions])[BootstrapOptions]


def selected(selector: str | None, regex: str | None = None, mode: str | None = None) -> BootstrapOptions:
    key = "hoodie.bootstrap.mode.selector"
    return given(**{key: selector, f"{key}.regex": regex, f"{key}.regex.mode": mode})


@pytest.mark.parametrize(
    "selector",
    [CLASS + "FullRecordBootstrapModeSelector", "FullRecordBootstrapModeSelector", "FULL_RECORD", "full-record"],
)
def test_a_selector_of_full_records_copies_each_folder(selector):
    options = selected(selector)
    check_mode(options)
    check_folders(options, ["", "a", "b/c"])


@pytest.mark.parametrize("selector", [None, CLASS + "MetadataOnlyBootstrapModeSelector", "METADATA_ONLY"])
def test_a_bootstrap_without_a_copy_is_refused_with_the_alternative(selector):
    """A bootstrap that copies only metadata, as Hudi does by default, is refused."""
    with pytest.raises(OptionError, match="FULL_RECORD to copy the rows") as refused:
        check_mode(selected(selector))
    assert refused.value.code == "bootstrap"


@pytest.mark.parametrize("regex", [None, ".*"])
def test_a_regular_expression_with_hudis_default_mode_copies_nothing(regex):
    with pytest.raises(OptionError, match="every folder the mode METADATA_ONLY"):
        check_mode(selected(CLASS + "BootstrapRegexModeSelector", regex))


@pytest.mark.parametrize(
    ("regex", "mode", "folders", "refused"),
    [
        (".*", "FULL_RECORD", ["", "p=1", "p=2"], None),
        ("p=[12]", "FULL_RECORD", ["p=1", "p=2"], None),
        ("p=1", "FULL_RECORD", ["p=1", "p=12"], "folder 'p=12'"),  # the whole path has to match, as in Java
        ("p=9", "METADATA_ONLY", ["p=1", "p=2"], None),
        ("p=2", "METADATA_ONLY", ["p=1", "p=2"], "folder 'p=2'"),
        ("p=.*", "FULL_RECORD", [""], "the root folder"),
    ],
)
def test_a_regular_expression_selects_by_folder(regex, mode, folders, refused):
    options = selected("REGEX", regex, mode)
    check_mode(options)
    if refused is None:
        check_folders(options, folders)
    else:
        with pytest.raises(OptionError, match=refused):
            check_folders(options, folders)


def test_wrong_options_are_refused():
    with pytest.raises(OptionError, match=r"hoodie\.bootstrap\.base\.path"):
        check_mode(parse({"bootstrap_selector": "FULL_RECORD"}, [BootstrapOptions])[BootstrapOptions])
    with pytest.raises(OptionError, match="classes of Java"):
        check_mode(selected("com.example.Selector"))
    with pytest.raises(OptionError, match="not a regular expression"):
        check_mode(selected("REGEX", "(", "FULL_RECORD"))
    with pytest.raises(OptionError, match="expected parquet or orc"):
        check_mode(given(bootstrap_selector="FULL_RECORD", bootstrap_format="csv"))


@pytest.mark.parametrize(
    ("text", "form"),
    [
        (None, "parquet"),
        ("ORC", "orc"),
        ("org.apache.hudi.bootstrap.SparkParquetBootstrapDataProvider", "parquet"),
        ("org.apache.hudi.bootstrap.SparkOrcBootstrapDataProvider", "orc"),
    ],
)
def test_the_format_by_its_name_or_by_hudis_class(text, form):
    assert source_format(given(**{"hoodie.bootstrap.full.input.provider": text})) == form
