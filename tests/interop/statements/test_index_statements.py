"""CREATE INDEX, DROP INDEX and SHOW INDEXES of both systems, in turn on one table of Hudi."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from hoodoo.txn.metadata.preparation import IndexDisabled

from .systems import Hoodoo, Hudi

pytestmark = pytest.mark.interop

SETTINGS = {
    "hoodie.write.lock.provider": "org.apache.hudi.client.transaction.lock.InProcessLockProvider",
    "hoodie.metadata.enable": "true",
    "hoodie.enable.data.skipping": "true",
}
"""Settings of Hudi, whose CREATE INDEX needs a lock provider."""

KEEP = {"hoodie.metadata.global.record.level.index.enable": "true"}
"""Setting of a write of Hudi that keeps an existing record index; without it, Hudi removes the index."""


@pytest.mark.parametrize("type_", ["cow", "mor"])
def test_both_create_show_and_drop_the_indexes_of_a_table(
    type_: str, theirs: Hudi, ours: Hoodoo, tmp_path: Path
) -> None:
    path = tmp_path / "t"
    theirs.settings = dict(SETTINGS)
    theirs.run(
        "CREATE TABLE t (id STRING, name STRING, ts BIGINT, p STRING) USING hudi PARTITIONED BY (p) TBLPROPERTIES "
        f"(primaryKey = 'id', preCombineField = 'ts', type = '{type_}') LOCATION '{path}'"
    )
    theirs.run("INSERT INTO t VALUES ('a', 'n', 1L, 'x'), ('b', 'm', 2L, 'y')")
    mine = f"hoodoo.`{path}`"

    def shown() -> list[dict[str, Any]]:
        """Return the indexes, which both systems must show alike."""
        found, expected = ours.run(f"SHOW INDEXES FROM {mine}"), theirs.run("SHOW INDEXES FROM t")
        assert sorted(found, key=repr) == sorted(expected, key=repr)
        return found

    def check() -> None:
        """Check that both systems return the same rows, at least one, for queries that can use the indexes."""
        theirs.refresh("t")
        for condition in ("id = 'a'", "name = 'm'", "ts > 1"):
            query = "SELECT id, name, ts, p FROM {} WHERE " + condition + " ORDER BY id"
            assert ours.run(query.format(mine)) == theirs.run(query.format("t")) != []

    assert {row["index_name"] for row in shown()} == {"column_stats", "partition_stats"}
    theirs.run("CREATE INDEX record_index ON t (id)")
    theirs.run("CREATE INDEX by_name ON t (name)")
    assert {"index_name": "secondary_index_by_name", "index_type": "secondary_index", "col_name": "name"} in shown()
    ours.run(f"DROP INDEX by_name ON {mine}")
    assert {row["index_name"] for row in shown()} == {"column_stats", "partition_stats", "record_index"}
    check()
    ours.run(f"DROP INDEX record_index ON {mine}")
    ours.run(f"INSERT INTO {mine} VALUES ('c', 'o', 3L, 'x')")
    ours.run(f"CREATE INDEX record_index ON {mine} (id)")
    check()
    theirs.run("UPDATE t SET ts = ts + 1 WHERE id = 'c'", KEEP)
    theirs.run("CREATE INDEX by_name ON t (name)")
    check()
    theirs.run("DROP INDEX record_index ON t")
    shown()
    with pytest.warns(IndexDisabled, match="secondary_index_by_name"):
        ours.run(f"CREATE INDEX IF NOT EXISTS bloom_filters ON {mine}")
    assert {row["index_name"] for row in shown()} == {"bloom_filters", "column_stats", "partition_stats"}
    check()
