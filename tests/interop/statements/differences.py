"""Statements after which tables of Hudi and of hoodoo differ, with the reasons; docs/sql.md lists them."""

from __future__ import annotations

from attrs import field, frozen

__all__ = ["DIFFERENCES", "REFUSED", "ROWS", "Difference"]

ROWS = "INSERT INTO {t} VALUES (1, 'a', 10, 5, 'x'), (2, 'b', 20, 5, 'x'), (3, 'c', 30, 5, 'y')"

Row = tuple[object, ...]


@frozen
class Difference:
    """Difference between the SQL of Hudi and that of hoodoo.

    Attributes:
        name: A short name of the difference, for the test.
        reason: The behaviour of both systems and, if known, its cause.
        statements: The statements on a new table; the last one makes the difference.
        hudi: The columns id, name, qty and ts of the rows by Hudi, or a part of the message of its error.
        hoodoo: The same by hoodoo.
        ordered: Whether the table has the ordering column `ts`.
        partitioned: Whether the table has the partition column `part`.
        types: The types of table that have the difference.
        version: The table version with which the tables are created.
    """

    name: str
    reason: str
    statements: tuple[str, ...]
    hudi: tuple[Row, ...] | str
    hoodoo: tuple[Row, ...] | str
    ordered: bool = field(default=True, kw_only=True)
    partitioned: bool = field(default=False, kw_only=True)
    types: tuple[str, ...] = field(default=("cow", "mor"), kw_only=True)
    version: int = field(default=9, kw_only=True)


DIFFERENCES = (
    Difference(
        "an assignment without the ordering column",
        "Hudi refuses a MERGE that does not assign the ordering column; hoodoo keeps its stored value, which "
        "wins the tie",
        (
            ROWS,
            (
                "MERGE INTO {t} t USING (SELECT 1 AS id, 'new' AS name) s ON t.id = s.id "
                "WHEN MATCHED THEN UPDATE SET name = s.name"
            ),
        ),
        "No matching assignment found for target table ordering field",
        ((1, "new", 10, 5), (2, "b", 20, 5), (3, "c", 30, 5)),
    ),
    Difference(
        "rows without a source row",
        "Hudi accepts WHEN NOT MATCHED BY SOURCE and ignores it",
        (
            ROWS,
            "MERGE INTO {t} t USING (SELECT 1 AS id, 9L AS ts) s ON t.id = s.id WHEN NOT MATCHED BY SOURCE THEN DELETE",
        ),
        ((1, "a", 10, 5), (2, "b", 20, 5), (3, "c", 30, 5)),
        ((1, "a", 10, 5),),
    ),
    Difference(
        "a source without the partition column",
        "Hudi finds no row in a partitioned table if the source lacks the partition column, and changes nothing; "
        "hoodoo "
        "finds rows by the condition",
        (
            ROWS,
            (
                "MERGE INTO {t} t USING (SELECT 1 AS id, 'new' AS name, 9L AS ts) s ON t.id = s.id "
                "WHEN MATCHED THEN UPDATE SET name = s.name, ts = s.ts"
            ),
        ),
        ((1, "a", 10, 5), (2, "b", 20, 5), (3, "c", 30, 5)),
        ((1, "new", 10, 9), (2, "b", 20, 5), (3, "c", 30, 5)),
        partitioned=True,
    ),
    Difference(
        "source rows of one key with the same ordering value",
        "Hudi takes one of them; hoodoo refuses the statement, because the result would depend on the order of rows",
        (
            ROWS,
            (
                "MERGE INTO {t} t USING (SELECT * FROM VALUES (1, 'n', 1L, 9L, 'x'), (1, 'n', 1L, 9L, 'x') "
                "AS v(id, name, qty, ts, part)) s ON t.id = s.id WHEN MATCHED THEN UPDATE SET *"
            ),
        ),
        ((1, "n", 1, 9), (2, "b", 20, 5), (3, "c", 30, 5)),
        "several rows of the source have the same key",
    ),
    Difference(
        "source rows of one key without ordering",
        "Hudi takes one of them; hoodoo refuses the statement",
        (
            ROWS,
            (
                "MERGE INTO {t} t USING (SELECT * FROM VALUES (1, 'n', 1L, 9L, 'x'), (1, 'n', 1L, 9L, 'x') "
                "AS v(id, name, qty, ts, part)) s ON t.id = s.id WHEN MATCHED THEN UPDATE SET *"
            ),
        ),
        ((1, "n", 1, 9), (2, "b", 20, 5), (3, "c", 30, 5)),
        "several rows of the source have the same key",
        ordered=False,
    ),
    Difference(
        "a text for a number",
        "Hudi converts a text to a number in UPDATE; hoodoo assigns by the rules of Spark's INSERT",
        (ROWS, "UPDATE {t} SET qty = '77' WHERE id = 1"),
        ((1, "a", 77, 5), (2, "b", 20, 5), (3, "c", 30, 5)),
        "type",
    ),
    Difference(
        "a row of a key that is stored twice",
        "both find rows by their key; Hudi applies the change to one of the rows with this key, which may be "
        "another one "
        "than the condition selected",
        (
            ROWS,
            "INSERT INTO {t} VALUES (1, 'again', 11, 4, 'x')",
            "DELETE FROM {t} WHERE name = 'again'",
        ),
        ((1, "again", 11, 4), (2, "b", 20, 5), (3, "c", 30, 5)),
        ((1, "a", 10, 5), (2, "b", 20, 5), (3, "c", 30, 5)),
    ),
    Difference(
        "a key column with another name in the source",
        "Hudi needs the name of the key column in the source; hoodoo takes any expression",
        (
            ROWS,
            (
                "MERGE INTO {t} t USING (SELECT 4 AS code, 'd' AS name, 9L AS ts) s ON t.id = s.code + 5 "
                "WHEN MATCHED THEN UPDATE SET name = s.name, ts = s.ts WHEN NOT MATCHED THEN INSERT (id, name, ts) "
                "VALUES (s.code + 5, s.name, s.ts)"
            ),
        ),
        "",
        ((1, "a", 10, 5), (2, "b", 20, 5), (3, "c", 30, 5), (9, "d", None, 9)),
    ),
    Difference(
        "a partial update and an insert in one small file",
        "Hudi adds inserted rows to a small base file without logs, and writes updates that have only the assigned "
        "columns into the same file as whole rows: their values are in the places of other columns. It fails if the "
        "types differ; with hoodie.parquet.small.file.limit = 0 it does not",
        (
            ROWS,
            (
                "MERGE INTO {t} t USING (SELECT * FROM VALUES (1, 'new', 9L), (4, 'd', 9L) AS v(id, name, ts)) s "
                "ON t.id = s.id WHEN MATCHED THEN UPDATE SET name = s.name, ts = s.ts "
                "WHEN NOT MATCHED THEN INSERT (id, name, ts) VALUES (s.id, s.name, s.ts)"
            ),
        ),
        "Merge into Hoodie table command failed",
        ((1, "new", 10, 9), (2, "b", 20, 5), (3, "c", 30, 5), (4, "d", None, 9)),
        types=("mor",),
    ),
    Difference(
        "a delete clause before an update clause",
        "Hudi tries the update clauses before the delete clause; hoodoo takes the first clause that applies",
        (
            ROWS,
            (
                "MERGE INTO {t} t USING (SELECT * FROM VALUES (1, 'new', 9L), (2, 'new', 9L) AS v(id, name, ts)) s "
                "ON t.id = s.id WHEN MATCHED AND s.id = 1 THEN DELETE "
                "WHEN MATCHED THEN UPDATE SET name = s.name, ts = s.ts"
            ),
        ),
        ((1, "new", 10, 9), (2, "new", 20, 9), (3, "c", 30, 5)),
        ((2, "new", 20, 9), (3, "c", 30, 5)),
    ),
    Difference(
        "a deleted row that a MERGE inserts again",
        "Hudi logs the inserted row as a partial record, because a base file has the key, and readers take the other "
        "columns from the deleted row; hoodoo writes the whole row",
        (
            ROWS,
            "DELETE FROM {t} WHERE id = 1",
            (
                "MERGE INTO {t} t USING (SELECT 1 AS id, 'again' AS name, 9L AS ts) s ON t.id = s.id "
                "WHEN MATCHED THEN UPDATE SET name = s.name, ts = s.ts "
                "WHEN NOT MATCHED THEN INSERT (id, name, ts) VALUES (s.id, s.name, s.ts)"
            ),
        ),
        ((1, "again", 10, 9), (2, "b", 20, 5), (3, "c", 30, 5)),
        ((1, "again", None, 9), (2, "b", 20, 5), (3, "c", 30, 5)),
        types=("mor",),
    ),
    Difference(
        "a late version after a partial update",
        "Hudi logs the update as a partial record, and readers take its other columns from the late version in the "
        "log, which loses; hoodoo writes whole rows if versions are compared by ordering values",
        (
            ROWS,
            (
                "MERGE INTO {t} t USING (SELECT 1 AS id, 'new' AS name, 9L AS ts) s ON t.id = s.id "
                "WHEN MATCHED THEN UPDATE SET name = s.name, ts = s.ts"
            ),
            (
                "MERGE INTO {t} t USING (SELECT 1 AS id, 'late' AS name, 99L AS qty, 7L AS ts, 'x' AS part) s "
                "ON t.id = s.id WHEN MATCHED THEN UPDATE SET *"
            ),
        ),
        ((1, "new", 99, 9), (2, "b", 20, 5), (3, "c", 30, 5)),
        ((1, "new", 10, 9), (2, "b", 20, 5), (3, "c", 30, 5)),
        types=("mor",),
    ),
    Difference(
        "a late delete clause",
        "Hudi deletes the row whatever its ordering value; hoodoo keeps a newer row, as after other late versions",
        (
            ROWS,
            "MERGE INTO {t} t USING (SELECT 1 AS id, 4L AS ts) s ON t.id = s.id WHEN MATCHED THEN DELETE",
        ),
        ((2, "b", 20, 5), (3, "c", 30, 5)),
        ((1, "a", 10, 5), (2, "b", 20, 5), (3, "c", 30, 5)),
        types=("cow",),
    ),
    Difference(
        "an update clause of some columns in version 6",
        "Hudi logs whole records in a table of version 6, and requires an assignment of each column, also of the key; "
        "hoodoo takes the other columns from the stored row, and refuses an assignment of the key",
        (
            ROWS,
            (
                "MERGE INTO {t} t USING (SELECT 1 AS id, 'new' AS name, 9L AS ts) s ON t.id = s.id "
                "WHEN MATCHED THEN UPDATE SET name = s.name, ts = s.ts"
            ),
        ),
        "No matching assignment found for target table record key field",
        ((1, "new", 10, 9), (2, "b", 20, 5), (3, "c", 30, 5)),
        types=("mor",),
        version=6,
    ),
)

REFUSED = (
    ("UPDATE {t} SET id = 7 WHERE id = 1", "record key field `id`", "record key column"),
    ("UPDATE {t} SET part = 'z' WHERE id = 1", "partition field `part`", "partition column"),
    ("UPDATE {t} SET nothing = 1", "nothing", "nothing"),
    ("DELETE FROM {t} WHERE nothing = 1", "nothing", "nothing"),
    (
        (
            "MERGE INTO {t} t USING (SELECT 'a' AS name, 9L AS ts) s ON t.name = s.name "
            "WHEN MATCHED THEN UPDATE SET qty = 1, ts = s.ts"
        ),
        "",
        "record key column 'id'",
    ),
    ("INSERT INTO {t} VALUES (1, 'a')", "", "INSERT assigns 5"),
)
"""Statements on a partitioned table that both refuse, with a part of the message of each."""
