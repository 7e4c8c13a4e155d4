"""A write whose plugins are not installed: one error names those of its options and those of its table."""

from __future__ import annotations

from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from hoodoo.errors import OptionError, UnknownPlugin
from hoodoo.missing_in_job import all_missing_listed
from hoodoo.options import parse
from hoodoo.plugin import Catalogue
from hoodoo.properties import update_properties
from hoodoo.storage import storage_for
from hoodoo.testing.engine import write_arrow
from hoodoo.write_job import Job
from hoodoo.writing.prepare.prepare import GROUPS

ROWS = pa.table({"id": ["a"], "ts": [1]})
OPTIONS: dict[str, Any] = {"table_name": "t", "record_key": "id", "ordering": "ts"}
NAMED: dict[str, Any] = {
    "merger": "acme-merger",
    "delete_rule": "acme-delete",
    "keygen": "acme-keygen",
    "lock_provider": "zookeeper",
    "pre_commit": "acme-check,row-counts",
    "post_commit": "acme-mail",
    "catalogs": "acme-catalog",
}


def nothing() -> Catalogue:
    return Catalogue([])


def raised(path: Path, options: dict[str, Any], catalogue: Catalogue) -> UnknownPlugin:
    with pytest.raises(UnknownPlugin) as caught:
        Job.of(path, options, catalogue)
    return caught.value


def test_all_plugins_of_the_options_are_in_one_error(tmp_path: Path) -> None:
    error = raised(tmp_path / "none", OPTIONS | NAMED, nothing())

    assert {part.plugin for part in error.parts} == {
        ("merger", "acme-merger"),
        ("delete", "acme-delete"),
        ("keygen", "acme-keygen"),
        ("lock", "zookeeper"),
        ("pre_commit", "acme-check"),
        ("pre_commit", "row-counts"),
        ("post_commit", "acme-mail"),
        ("catalog", "acme-catalog"),
    }
    first, _, others = str(error).partition("; install them: ")
    assert first.startswith("8 plugins are not installed: pre-commit hook 'acme-check', ")
    assert others.startswith("pip install ")
    assert others.partition(";")[0] == "pip install hoodoo-lock-zookeeper"


def test_those_of_the_table_are_named_with_the_distributions_that_wrote_it(tmp_path: Path) -> None:
    write_arrow(ROWS, tmp_path, OPTIONS)
    written = '{"merger:acme-merger": "acme-rules==2.0"}'
    update_properties(storage_for(tmp_path), {"hoodoo.merger": "acme-merger", "hoodoo.distributions": written})

    error = raised(tmp_path, {"pre_commit": "acme-check"}, nothing())

    assert {("merger", "acme-merger"), ("pre_commit", "acme-check")} <= {part.plugin for part in error.parts}
    assert "pip install acme-rules==2.0" in str(error)


def test_functions_of_a_merger_are_named(tmp_path: Path) -> None:
    """One error names all functions that an installed merger selects and that are not installed."""
    points: list[EntryPoint] = [*entry_points(group="hoodoo.merger")]
    if not any(point.name == "aggregate" for point in points):
        pytest.skip("hoodoo-merger-aggregate is not installed")
    fields = {"x": {"agg": "acme-first"}, "y": {"agg": "acme-second"}}
    options = OPTIONS | {"merger": "aggregate", "merger_options": {"fields": fields}, "pre_commit": "acme-check"}

    error = raised(tmp_path / "none", options, Catalogue(points))

    assert {part.plugin for part in error.parts} == {
        ("pre_commit", "acme-check"),
        ("aggregate", "acme-first"),
        ("aggregate", "acme-second"),
    }
    assert "column 'y' cannot be aggregated" in str(error)


def test_one_missing_plugin_keeps_its_message(tmp_path: Path) -> None:
    error = raised(tmp_path / "none", OPTIONS | {"pre_commit": "acme-check"}, Catalogue())

    assert error.parts == ()
    assert str(error).startswith("no pre-commit hook named 'acme-check' is installed; ")


def test_other_errors_and_those_of_executors_pass(tmp_path: Path) -> None:
    options, storage = parse(OPTIONS | NAMED, GROUPS), storage_for(tmp_path / "none")
    for error in (OptionError("wrong"), UnknownPlugin("this executor lacks it")):
        with pytest.raises(type(error)) as caught, all_missing_listed(storage, options, nothing()):
            raise error
        assert caught.value is error
