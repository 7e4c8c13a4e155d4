"""After every step of a random history hoodoo returns exactly the rows of a dictionary model.

The `hudi` package must return these rows, too, unless one of its known differences applies.
Each run tries a few histories per kind of table; `HOODOO_HISTORIES=500` tries that many of each, new ones every time,
and looks for the shortest history that fails.
"""

from __future__ import annotations

import os
import pickle
import tempfile
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

import hoodoo
from tests.support.rows import assert_same, hoodoo_rows, hudi_rows, rows_of
from tests.support.two_parts import rows_in_two_parts
from tests.support.versions import META

from .histories import Writer
from .model import Commit
from .settings import settings_of

pytestmark = pytest.mark.slow

LONG_RUN = int(os.environ.get("HOODOO_HISTORIES", "0"))
EXAMPLES = {"COPY_ON_WRITE": 5, "MERGE_ON_READ": 16}


@pytest.mark.each_value
@pytest.mark.parametrize("table_type", sorted(EXAMPLES))
@pytest.mark.parametrize("version", [6, 8, 9])
def test_every_step_leaves_what_the_model_predicts(version: int, table_type: str) -> None:
    @settings(
        max_examples=LONG_RUN or EXAMPLES[table_type],
        derandomize=not LONG_RUN,
        database=None,
        deadline=None,
        print_blob=True,
        phases=[Phase.generate, Phase.shrink] if LONG_RUN else [Phase.generate],
        report_multiple_bugs=False,
        suppress_health_check=list(HealthCheck),
    )
    @given(data=st.data())
    def run(data: st.DataObject) -> None:
        setting = data.draw(settings_of(version, table_type), label="setting")
        with tempfile.TemporaryDirectory() as folder:
            writer = Writer(lambda strategy: data.draw(strategy), Path(folder), setting)
            try:
                for _ in range(data.draw(st.integers(4, 10))):
                    writer.step()
                    check_now(writer)
                check_past(writer)
                if setting.meta:
                    check_ranges(writer, data)
                check_parts(writer, data)
            except BaseException as error:
                error.add_note("\n".join([str(setting), *writer.steps]))
                raise

    run()


def check_now(writer: Writer) -> None:
    path, model = writer.builder.path, writer.model
    snapshot = model.snapshot()
    assert_same(hoodoo_rows(path), snapshot, "Table.to_arrow")
    assert_same(hoodoo_rows(path, query_type="read_optimized"), model.read_optimized(), "read-optimized")
    if not any(differs(writer) for differs in DIFFERENCES):
        columns = [*(META if writer.setting.meta else ()), *model.columns()]
        assert_same(hudi_rows(path), snapshot, "the hudi package", columns)


# Known differences of the other reader. The modules in `tests/rows_merged` contain a test for each of them.


def loses_logs(writer: Writer) -> bool:
    """Return whether the other reader misses the logs after a pending compaction."""
    pending = {group: compaction.time for group, compaction in writer.compactions.items()}
    known = {commit.time for commit in writer.model.commits}
    return writer.setting.version == 6 and any(
        log.slice == time and log.commit in known
        for group, time in pending.items()
        for log in writer.model.group(group).logs
    )


def forgets_logs(writer: Writer) -> bool:
    """Return whether, from version 8 on, a group without a base file begins with a log of an archived commit.

    The other reader misses that log if there is another one.
    """
    model = writer.model
    known, archived = ({commit.time for commit in commits} for commits in (model.as_of(None), model.archived))
    return writer.setting.version >= 8 and any(
        not known & set(files.bases) and any(log.commit in archived for log in files.logs)
        for files in model.groups.values()
    )


def doubles_keys(writer: Writer) -> bool:
    """Return whether a base file contains a key twice, which a clustering of groups with a common key causes.

    The other reader merges a log only with the first of the rows.
    """
    return any(
        len({row[writer.model.key] for row in rows}) < len(rows)
        for files in writer.model.groups.values()
        for rows in files.bases.values()
    )


def shows_placeholder(writer: Writer) -> bool:
    """Return whether a row without a base row has an unavailable value: the other reader rejects such a table."""
    rules = writer.setting.rules
    return rules.partial == "FILL_UNAVAILABLE" and any(
        rules.unavailable in row.values() for row in writer.model.snapshot() if not row[META[4]].endswith(".parquet")
    )


def lacks_late_values(writer: Writer) -> bool:
    """Return whether a late whole version may have to complete a partial one, which the other reader does not do."""
    return writer.setting.partial_blocks and writer.setting.rules.event_time


DIFFERENCES = (loses_logs, forgets_logs, doubles_keys, shows_placeholder, lacks_late_values)


def check_past(writer: Writer) -> None:
    path, model = writer.builder.path, writer.model
    for commit in model.as_of(None):
        if commit in model.archived or commit.time < writer.horizon:
            continue
        rows = model.snapshot(commit.time)
        assert_same(hoodoo_rows(path, as_of=commit.time), rows, f"as of {commit.time}")
        read = hoodoo_rows(path, as_of=commit.time, query_type="read_optimized")
        assert_same(read, model.read_optimized(commit.time), f"read-optimized as of {commit.time}")


def check_ranges(writer: Writer, data: st.DataObject) -> None:
    path, model = writer.builder.path, writer.model
    is_first = writer.setting.version == 6

    def at(commit: Commit) -> str:
        return commit.time if is_first else commit.completion

    horizon = writer.horizon if is_first else writer.completion_horizon
    times = sorted({at(commit) for commit in model.commits} | {commit.time for commit in model.commits})
    ends = [None, *(time for time in times if time >= horizon)]
    for _ in range(4):
        end = data.draw(st.sampled_from(ends))
        begin = data.draw(st.sampled_from([None, *(time for time in times if end is None or time <= end)]))
        rows = model.incremental(begin, end)
        read = hoodoo_rows(path, query_type="incremental", begin=begin, end=end)
        assert_same(read, rows, f"from {begin} to {end}")


def check_parts(writer: Writer, data: st.DataObject) -> None:
    path, model = writer.builder.path, writer.model
    snapshot, names = model.snapshot(), [*META, *model.columns()]
    table = hoodoo.Table(path)
    shipped = [pickle.loads(pickle.dumps(split)) for split in table.splits()]
    rows = [row for split in shipped for row in rows_of(split.read().read_all())]
    assert_same(rows, snapshot, "splits one by one")
    for split in shipped:
        if split.is_divisible:
            assert_same(rows_in_two_parts(split), rows_of(split.read().read_all()), "a split in two parts")

    chosen = data.draw(st.lists(st.sampled_from(names), min_size=1, max_size=3, unique=True), label="columns")
    assert_same(hoodoo_rows(path, chosen), [{n: row[n] for n in chosen} for row in snapshot], str(chosen))
    values = [(name, row[name]) for row in snapshot for name in ("id", "ts", "v") if row[name] is not None]
    if values:
        name, value = data.draw(st.sampled_from(values), label="filter")
        kept = [row for row in snapshot if row[name] is not None and row[name] >= value]
        type_ = pa.field(name, dict(zip(table.schema.names, table.schema.types, strict=True))[name]).type
        condition = pc.field(name) >= pa.scalar(value, type_)
        assert_same(hoodoo_rows(path, chosen, condition), kept, f"{chosen} where {name} >= {value}", chosen)
