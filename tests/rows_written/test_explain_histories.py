"""In random histories, explanations of keys have the rows that a read returns, and are consistent."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

import hoodoo
from hoodoo.explain import Explanation
from hoodoo.testing.engine import write_arrow
from tests.support.rows import Row, plain

from .histories import INDEXES, PARTITIONINGS, settings_of, steps_of
from .test_histories import LONG_RUN, model_arguments

pytestmark = pytest.mark.slow

MOST_KEYS = 6
VERSIONS = {"keep": "older", "take": "newer"}

replays = settings(
    max_examples=LONG_RUN or 1,
    derandomize=not LONG_RUN,
    database=None,
    deadline=None,
    phases=[Phase.generate],
    report_multiple_bugs=False,
    suppress_health_check=list(HealthCheck),
)


@pytest.mark.parametrize("index", INDEXES)
@pytest.mark.parametrize("table_type", ["COPY_ON_WRITE", "MERGE_ON_READ"])
@pytest.mark.parametrize("version", [6, 9])
@replays
@given(data=st.data())
def test_the_winner_is_the_row_that_is_read(version: int, table_type: str, index: str, data: st.DataObject) -> None:
    setting = data.draw(settings_of(version, table_type, index, PARTITIONINGS["hive"]), label="setting")
    model, keys = setting.model(), set()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table"
        for number in range(5):
            step = data.draw(steps_of(setting, model, first=not number), label=f"write {number}")
            options = {**setting.options, **step.options, "operation": step.operation, "dup_policy": "none"}
            if step.operation not in ("delete", "delete_partition"):
                model.add_columns(step.schema.names)
            model.apply(step.operation, step.rows, **{**model_arguments(step), "drop": False})
            commit = write_arrow(step.table, path, options, cores=step.cores)
            model.stamp(commit.instant or "")
            keys |= {setting.partitioning.key(row) for row in step.rows}
            if setting.merge_on_read and number == 2:
                hoodoo.Table(path).compact()
                model.compact()
        check(hoodoo.Table(path), keys)


def check(table: hoodoo.Table, keys: set[str]) -> None:
    read: dict[str, list[Row]] = {}
    for row in table.to_arrow().to_pylist():
        read.setdefault(row["_hoodie_record_key"], []).append(row)
    chosen = [*sorted(read)[:MOST_KEYS], *sorted(keys - set(read))[:MOST_KEYS]]
    assert chosen
    for key in chosen:
        explained = table.explain(key)
        assert same(explained.rows, read.get(key, []))
        assert explained.found or key not in read
        fits_together(explained)


def same(some: object, others: object) -> bool:
    return sorted(map(repr, plain(some))) == sorted(map(repr, plain(others)))


def fits_together(explained: Explanation) -> None:
    """Check that the winners of each trace follow from its decisions, and that all versions have the explained key."""
    for trace in (*explained.current, *explained.earlier):
        assert [version.number for version in trace.versions] == list(range(1, len(trace.versions) + 1))
        alive = {version.number for version in trace.versions}
        for decision in trace.decisions:
            assert decision.reason
            if decision.older is not None and decision.choice in VERSIONS:
                alive -= {decision.older, decision.newer} - {getattr(decision, VERSIONS[decision.choice])}
        assert trace.winners == {n for n in alive if trace.versions[n - 1].delete is None}
        assert all(explained.key == version.data["_hoodie_record_key"] for version in trace.versions if version.data)
    assert explained.key in str(explained)
    assert explained.to_json()
