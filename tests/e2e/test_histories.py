"""After every write of a random history two readers return exactly the rows of a dictionary model.

Each run tries a few histories per kind of table; `HOODOO_HISTORIES=500` tries that many of each, new ones every time,
and looks for the shortest history that fails.
"""

from __future__ import annotations

import os
import tempfile
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from hoodoo.testing.engine import write_arrow

from .comparing import check_against
from .histories import INDEXES, PARTITIONINGS, History, histories
from .model import Counts, TableModel

LONG_RUN = int(os.environ.get("HOODOO_HISTORIES", "0"))


@pytest.mark.parametrize("partitioning", sorted(PARTITIONINGS))
@pytest.mark.parametrize("index", INDEXES)
@settings(
    max_examples=LONG_RUN or 6,
    derandomize=not LONG_RUN,
    database=None,
    deadline=None,
    print_blob=True,
    phases=[Phase.generate, Phase.shrink] if LONG_RUN else [Phase.generate],
    report_multiple_bugs=False,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.large_base_example],
)
@given(data=st.data())
def test_every_commit_leaves_what_the_model_predicts(index: str, partitioning: str, data: st.DataObject) -> None:
    kind = PARTITIONINGS[partitioning]
    history = data.draw(histories(index, kind), label="history")
    model = TableModel(list(history.columns), kind.key, kind.path, history.rule)
    with tempfile.TemporaryDirectory() as folder:
        replay(history, model, Path(folder) / "table")


def replay(history: History, model: TableModel, path: Path) -> None:
    for number, step in enumerate(history.steps):
        if step.operation != "delete":
            added = [name for name in step.schema.names if name not in model.columns]
            model.columns += added
            for held in model.rows:
                held.values.update(dict.fromkeys(added))
        repeated = len(set(model.keys())) < len(model.rows)
        counts = model.apply(step.operation, step.rows)
        options = {**history.options, "operation": step.operation}
        commit = write_arrow(step.table, path, options, cores=step.cores)
        assert commit.instant is not None
        model.stamp(commit.instant)
        assert commit.operation == step.operation
        counted = Counts(
            commit.rows_incoming, commit.rows_inserted, commit.rows_updated, commit.rows_deleted, commit.rows_ignored
        )
        if repeated:  # a record whose key is stored in two file groups meets both, and is counted with both
            assert counted.incoming >= counts.incoming
            counted = replace(counted, incoming=counts.incoming, ignored=counts.ignored)
        assert counted == counts, f"write {number} ({step.operation})"
        check_against(model, path)
