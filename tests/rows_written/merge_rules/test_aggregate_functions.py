"""An aggregate function of a user: created by `hoodoo plugins new`, installed, and used by tables, without Spark."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import hoodoo
from hoodoo.cli.scaffold import NewPlugin
from hoodoo.errors import HoodooError, NotATable, PluginFault, SchemaError, UnknownPlugin
from hoodoo.plugin import default_catalogue
from hoodoo.testing.fixtures import SmallTable

pytestmark = pytest.mark.slow

Tables = Callable[..., SmallTable]
FLAGS = {"fields": {"flags": {"agg": "any_flag"}, "n": {"agg": "sum"}}}
GROUP = {"sequence_groups": {"at": ["flags", "n"]}, **FLAGS}
RULES = [("aggregate", FLAGS), ("sequence-group", GROUP)]


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Install function `any-flag` as a separate distribution, and yield the path of its module."""
    monkeypatch.syspath_prepend(str(tmp_path))
    new = NewPlugin.of("aggregate", "any-flag", default_catalogue())
    [text] = [text for path, text in new.files().items() if path.startswith("src/")]
    module, info = tmp_path / f"{new.module}.py", tmp_path / f"{new.module}-0.1.0.dist-info"
    module.write_text(text)
    info.mkdir()
    info.joinpath("METADATA").write_text(f"Metadata-Version: 2.1\nName: {new.distribution}\nVersion: 0.1.0\n")
    info.joinpath("entry_points.txt").write_text(f"[hoodoo.aggregate]\nany-flag = {new.module}\n")
    default_catalogue.cache_clear()
    yield module
    default_catalogue.cache_clear()
    sys.modules.pop(new.module, None)


def rows(*flags: int | None, at: int = 1) -> list[dict[str, Any]]:
    return [{"id": "1", "at": at, "flags": flag, "n": 1} for flag in flags]


@pytest.mark.parametrize(("merger", "options"), RULES)
def test_a_copy_on_write_table_uses_it(hoodoo_table: Tables, module: Path, merger: str, options: Any) -> None:
    table = hoodoo_table(merger=merger, merger_options=options)
    table.write(rows(1, 4))
    table.write(rows(2, None, at=2))

    table.write([{"id": "1", "at": 3}])  # rows may leave out columns that the table has
    assert table.rows() == [{"id": "1", "at": 3, "flags": 7, "n": 4}]


@pytest.mark.parametrize(("merger", "options"), RULES)
def test_a_merge_on_read_table_uses_it_before_and_after_compaction(
    hoodoo_table: Tables, module: Path, merger: str, options: Any
) -> None:
    table = hoodoo_table(merger=merger, merger_options=options, table_type="MERGE_ON_READ")
    for flags in ((1, 8), (4,), (2, None)):
        table.write(rows(*flags))
    left = [{"id": "1", "at": 1, "flags": 15, "n": 5}]

    assert table.rows() == left
    hoodoo.Table(table.path).compact()
    assert table.rows() == left


@pytest.mark.parametrize(("merger", "options"), RULES)
def test_executors_receive_the_required_version(module: Path, merger: str, options: Any) -> None:
    spec = default_catalogue().spec("merger", merger, options)
    assert {"any-flag", "sum"} <= {used.name for used in spec.uses}
    [used] = [used for used in spec.uses if used.name == "any-flag"]
    assert used.label == "aggregate function 'any-flag' (hoodoo-aggregate-any-flag 0.1.0)"

    metadata = module.with_name(f"{module.stem}-0.1.0.dist-info") / "METADATA"
    metadata.write_text(metadata.read_text().replace("0.1.0", "0.2.0"))
    default_catalogue.cache_clear()
    with pytest.raises(HoodooError, match=r"0\.2\.0.*pip install hoodoo-aggregate-any-flag==0\.1\.0"):
        spec.resolve()


@pytest.mark.parametrize(("merger", "options"), RULES)
def test_a_function_that_is_not_there_is_refused_before_anything_is_written(
    hoodoo_table: Tables, merger: str, options: Any
) -> None:
    table = hoodoo_table(merger=merger, merger_options=options)

    with pytest.raises(UnknownPlugin, match=r"column 'flags' .*: no aggregate function named 'any_flag' is"):
        table.write(rows(1))
    with pytest.raises(NotATable):
        table.rows()


def test_a_table_that_was_written_with_it_cannot_be_written_without_it(hoodoo_table: Tables, module: Path) -> None:
    table = hoodoo_table(merger="aggregate", merger_options=FLAGS)
    table.write(rows(1))
    module.with_name(f"{module.stem}-0.1.0.dist-info").joinpath("entry_points.txt").unlink()
    default_catalogue.cache_clear()

    with pytest.raises(UnknownPlugin, match="aggregate function 'any_flag' of this table is not installed"):
        SmallTable(table.path, table._write, {}).write(rows(2))
    assert table.rows() == rows(1)


@pytest.mark.parametrize(("merger", "options"), RULES)
def test_a_column_that_is_not_there_or_of_another_type_is_refused_before_anything_is_written(
    hoodoo_table: Tables, module: Path, merger: str, options: Any
) -> None:
    table = hoodoo_table(merger=merger, merger_options=options)

    with pytest.raises(SchemaError, match=r"no column 'flags', which .* names; did you mean 'flag'"):
        table.write([{"id": "1", "at": 1, "flag": 1, "n": 1}])
    with pytest.raises(SchemaError, match="'any-flag' takes an integer whose bits are flags, and column 'flags' is"):
        table.write([{"id": "1", "at": 1, "flags": "red", "n": 1}])
    with pytest.raises(NotATable):
        table.rows()


def test_a_fault_names_the_function_its_version_and_the_column(hoodoo_table: Tables, module: Path) -> None:
    module.write_text(module.read_text().replace("pc.coalesce(", "(1 / 0)("))
    table = hoodoo_table(merger="aggregate", merger_options=FLAGS)
    table.write(rows(1))

    with pytest.raises(
        PluginFault, match=r"'any-flag' \(hoodoo-aggregate-any-flag 0\.1\.0\) in column 'flags' raised ZeroDivisionErr"
    ):
        table.write(rows(2))
    assert table.rows() == rows(1)


@pytest.mark.parametrize("kind", ["COPY_ON_WRITE", "MERGE_ON_READ"])
@pytest.mark.parametrize(
    ("merger", "more"), [("aggregate", {}), ("sequence-group", {"sequence_groups": {"at": ["n"]}})]
)
def test_a_count_is_of_values_that_came(hoodoo_table: Tables, merger: str, more: Any, kind: str) -> None:
    """A function may prepare incoming values: a count replaces each by 1 exactly once, in bulk inserts and upserts."""
    options = {"fields": {"n": {"agg": "count"}}, **more}
    table = hoodoo_table(merger=merger, merger_options=options, table_type=kind)
    table.write([{"id": key, "at": 1, "n": 50} for key in "123"], operation="bulk_insert")
    table.write([{"id": "1", "at": 2, "n": 60}, {"id": "1", "at": 2, "n": 70}, {"id": "2", "at": 2, "n": None}])
    counts = [{"id": "1", "at": 2, "n": 3}, {"id": "2", "at": 2, "n": 1}, {"id": "3", "at": 1, "n": 1}]

    assert table.rows() == counts
    hoodoo.Table(table.path).compact()
    table.write([{"id": "3", "at": 2, "n": 7}])
    assert table.rows() == [*counts[:2], {"id": "3", "at": 2, "n": 2}]
