"""After every write of a random history two readers return exactly the rows of a dictionary model.

The second reader, the `hudi` package, is left out where it cannot read the table.
Each run tries a few histories per kind of table; `HOODOO_HISTORIES=500` tries that many of each, new ones every time,
and looks for the shortest history that fails.
"""

from __future__ import annotations

import os
import tempfile
import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from hoodoo.errors import DataError
from hoodoo.service.inline import ServiceFailed
from hoodoo.testing.engine import write_arrow
from tests.support.rows import Row, assert_same, hoodoo_rows

from .comparing import Place, check_against, expected_rows
from .histories import INDEXES, PARTITIONINGS, Setting, Step, settings_of, steps_of
from .model import Counts, TableModel

pytestmark = pytest.mark.slow

LONG_RUN = int(os.environ.get("HOODOO_HISTORIES", "0"))

NESTED = {"inner", "items", "tags"}

replays = settings(
    max_examples=LONG_RUN or 2,
    derandomize=not LONG_RUN,
    database=None,
    deadline=None,
    print_blob=True,
    phases=[Phase.generate, Phase.shrink] if LONG_RUN else [Phase.generate],
    report_multiple_bugs=False,
    suppress_health_check=list(HealthCheck),
)


@pytest.mark.each_value
@pytest.mark.parametrize("partitioning", ["none", "hive", "encoded"])
@pytest.mark.parametrize("index", INDEXES)
@pytest.mark.parametrize("table_type", ["COPY_ON_WRITE", "MERGE_ON_READ"])
@pytest.mark.parametrize("version", [6, 9])
@replays
@given(data=st.data())
def test_every_commit_leaves_what_the_model_predicts(
    version: int, table_type: str, index: str, partitioning: str, data: st.DataObject
) -> None:
    setting = data.draw(settings_of(version, table_type, index, PARTITIONINGS[partitioning]), label="setting")
    replay_locally(data, setting)


@pytest.mark.each_value
@pytest.mark.parametrize("partitioning", ["simple", "complex", "timestamp"])
@pytest.mark.parametrize("index", INDEXES)
@replays
@given(data=st.data())
def test_so_do_other_keys_and_partitions(index: str, partitioning: str, data: st.DataObject) -> None:
    version = data.draw(st.sampled_from((6, 9)), label="version")
    # the model computes buckets only for keys of one column
    types = ("COPY_ON_WRITE",) if partitioning == "complex" else ("COPY_ON_WRITE", "MERGE_ON_READ")
    table_type = data.draw(st.sampled_from(types), label="table type")
    setting = data.draw(settings_of(version, table_type, index, PARTITIONINGS[partitioning]), label="setting")
    replay_locally(data, setting)


def replay_locally(data: st.DataObject, setting: Setting) -> None:
    """Run a history on the local disk."""
    with tempfile.TemporaryDirectory() as folder:
        replay(data, setting, Place(Path(folder) / "table"))


def replay(data: st.DataObject, setting: Setting, place: Place, writes: tuple[int, int] = (4, 7)) -> None:
    """Run the writes, with compactions after some, and then check earlier instants that must still be readable.

    Args:
        data: The object of Hypothesis that draws the choices.
        setting: The kind of the table.
        place: The location of the table, where no files are.
        writes: The smallest and the largest number of writes.
    """
    model, past = setting.model(), {}
    with warnings.catch_warnings():
        warnings.simplefilter("error", ServiceFailed)
        for number in range(data.draw(st.integers(*writes), label="writes")):
            step = data.draw(steps_of(setting, model, first=not number), label=f"write {number}")
            write(setting, step, model, place)
            check_against(model, place, package=is_read_by_the_package(setting, model, place))
            if setting.merge_on_read and data.draw(st.integers(0, 3), label="compaction") == 0:
                compacted = place.table().compact() is not None
                # where small files are filled, changes may have gone to a base file with the new keys
                assert compacted == model.has_logs or (setting.packs and setting.index != "bucket")
                model.compact()
                check_against(model, place, package=is_read_by_the_package(setting, model, place))
                compact = rows_at(place, query_type="read_optimized")
                assert_same(compact, rows_at(place), "read-optimized")
            past[place.table().timeline.commits[-1].time] = (expected_rows(model), list(model.columns))
        for instant in place.table().timeline.commits[-2:]:
            if instant.time in past:
                rows, columns = past[instant.time]
                assert_same(rows_at(place, as_of=instant.time), rows, f"as of {instant.time}", columns)


def rows_at(place: Place, **query: Any) -> list[Row]:
    return hoodoo_rows(place.path, access=place.options, **query)


def is_read_by_the_package(setting: Setting, model: TableModel, place: Place) -> bool:
    """Return whether the package can read the table; `test_hudi_package.py` has tests of its failures."""
    added = len(model.columns) > len(setting.columns)
    if model.has_logs and setting.options["log_format"] == "avro" and added and NESTED & set(model.columns):
        return False
    table = place.table()
    active = {instant.time for instant in table.timeline.commits}
    logs = [log for s in table.file_slices() if s.path is None for log in s.logs]
    return setting.version == 6 or all(log.path.rpartition("/")[2].split("_")[1][:17] in active for log in logs)


def write(setting: Setting, step: Step, model: TableModel, place: Place) -> None:
    """Write to the table and to the model; both count the same if changes are not logged."""
    options = {**setting.options, **step.options, "operation": step.operation, **place.options}
    combine = step.options.get("combine_before_insert", False)
    if step.options.get("dup_policy") == "fail" and model.clashes(step.rows, combine=combine):
        with pytest.raises(DataError, match="stored already"):
            write_arrow(step.table, place.path, options, cores=step.cores)
        return
    if step.operation not in ("delete", "delete_partition"):
        model.add_columns(step.schema.names)
    repeated = len(set(model.places())) < len(model.places())
    counts = model.apply(step.operation, step.rows, **model_arguments(step))
    commit = write_arrow(step.table, place.path, options, cores=step.cores)
    assert commit.instant is not None
    model.stamp(commit.instant)
    assert commit.operation == step.operation
    if place.table().history()[0].operation == "compact":
        model.compact()
    counted = Counts(
        commit.rows_incoming or 0,
        commit.rows_inserted,
        commit.rows_updated,
        commit.rows_deleted,
        commit.rows_ignored or 0,
    )
    if repeated:  # a record whose key is stored in two file groups meets both, and is counted with both
        assert counted.incoming >= counts.incoming
        counted = replace(counted, incoming=counts.incoming, ignored=counts.ignored)
    if setting.merge_on_read:
        assert counted.incoming == counts.incoming
    else:
        assert counted == counts, step.operation


def model_arguments(step: Step) -> dict[str, Any]:
    """Return the arguments of the model for the options of a step."""
    partitions = step.options.get("partitions_to_delete")
    return {
        "combine": step.options.get("combine_before_insert", False),
        "drop": step.options.get("dup_policy") == "drop",
        "partitions": None if partitions is None else [partitions],
    }
