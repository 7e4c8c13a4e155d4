"""Generated histories of SQL statements that Hudi and hoodoo both execute; a seed determines them."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Mapping

from attrs import define, field, frozen

__all__ = ["COLUMNS", "UPSERT", "History", "Kind", "Statement"]

COLUMNS = {
    "id": "INT",
    "name": "STRING",
    "amount": "DOUBLE",
    "price": "DECIMAL(8, 2)",
    "qty": "BIGINT",
    "flag": "BOOLEAN",
    "day": "DATE",
    "ts": "BIGINT",
    "part": "STRING",
}
"""Columns of all tables; `part` is the partition column, or an ordinary column."""

UPSERT = {"hoodie.spark.sql.insert.into.operation": "upsert"}


@frozen
class Kind:
    """Kind of table."""

    type: str
    version: int
    partitioned: bool
    ordered: bool

    @property
    def name(self) -> str:
        """Return a name that is part of the names of tables and tests."""
        parts = "parts" if self.partitioned else "flat"
        return f"{self.type}{self.version}_{parts}_{'ordered' if self.ordered else 'unordered'}"

    def create(self, table: str, location: object) -> str:
        """Return the statement that creates a table."""
        columns = ", ".join(f"{name} {type_}" for name, type_ in COLUMNS.items())
        partitioned = "PARTITIONED BY (part) " if self.partitioned else ""
        ordering = "preCombineField = 'ts', " if self.ordered else ""
        # Hudi's CREATE TABLE ignores the setting of this name
        version = f"'hoodie.write.table.version' = '{self.version}', " if self.version != 9 else ""
        return (
            f"CREATE TABLE {table} ({columns}) USING hudi {partitioned}"
            f"TBLPROPERTIES (primaryKey = 'id', {ordering}{version}type = '{self.type}') LOCATION '{location}'"
        )


@frozen
class Statement:
    """SQL statement with the settings of its session.

    Attributes:
        text: The text, with `{t}` for the name of the table.
        settings: Settings of the session for this statement.
    """

    text: str
    settings: Mapping[str, str] = field(factory=dict)


@define
class History:
    """Generator of the statements of one history.

    It records the keys that may exist, so that statements match stored rows; it does not predict values. A key
    always has the same partition, because a table with a non-global index would keep a moved key twice. The cases of
    differences.py are left out: late deletes of a MERGE, and late versions and deleted keys in merge-on-read tables.

    Attributes:
        kind: The kind of table.
        seed: The seed of the random choices.
        keys: The greatest ordering value that an INSERT or a MERGE assigned to each key that may exist.
    """

    kind: Kind
    seed: int
    keys: dict[int, int] = field(factory=dict)
    _random: random.Random = field(init=False)
    _next: int = 1

    def __attrs_post_init__(self) -> None:
        self._random = random.Random(f"{self.kind.name} {self.seed}")

    def statements(self, count: int) -> list[Statement]:
        """Return the statements; the first one inserts rows, and each kind of statement occurs in long histories."""
        makers: list[Callable[[], Statement]] = [
            self._merge_all,
            self._update,
            self._upsert,
            self._merge_some,
            self._insert_columns,
            self._delete,
            self._merge_clauses,
            self._insert_select,
        ]
        self._random.shuffle(makers)
        makers.insert(len(makers) // 2, self._overwrite)
        found = [self._insert_values(8)]
        while len(found) < count:
            found.append(makers[(len(found) - 1) % len(makers)]())
        return found

    # rows

    def _partition(self, key: int) -> str:
        return f"p{key % 3}"

    def _new(self, count: int) -> list[int]:
        keys = list(range(self._next, self._next + count))
        self._next += count
        self.keys |= {key: self._random.randint(3, 6) for key in keys}
        return keys

    def _stored(self, count: int) -> list[int]:
        return self._random.sample(sorted(self.keys), min(count, len(self.keys)))

    def _later_or_not(self, key: int, *, may_be_late: bool = True) -> int:
        """Return an ordering value that is not less than the recorded one of the key, and record the greater one.

        With `may_be_late`, it may be less in a copy-on-write table.
        """
        is_late = may_be_late and self.kind.type == "cow"
        ts = self.keys[key] + self._random.choice([-2 if is_late else 1, 0, 1, 2, 3])
        self.keys[key] = max(ts, self.keys[key])
        return ts

    def _value(self, column: str, key: int) -> str:
        if column == "id":
            return str(key)
        if column == "part":
            return f"'{self._partition(key)}'"
        if self._random.random() < 0.2:
            return f"CAST(NULL AS {COLUMNS[column]})"
        number = self._random.randint(-50, 50)
        return {
            "name": self._random.choice([f"'n{number}'", "''", '"it\'s"', "'ä; 鍵'", "'x -- y'"]),
            "amount": f"CAST({number / 4} AS DOUBLE)",
            "price": f"CAST({number / 4} AS DECIMAL(8, 2))",
            "qty": f"CAST({number} AS BIGINT)",
            "flag": str(number % 2 == 0),
            "day": f"DATE'2024-02-{1 + number % 28:02d}'",
        }[column]

    def _row(self, key: int, ts: int, columns: Iterable[str] = COLUMNS) -> str:
        values = (f"CAST({ts} AS BIGINT)" if name == "ts" else self._value(name, key) for name in columns)
        return f"({', '.join(values)})"

    def _source(self, keys: Mapping[int, int], columns: Iterable[str] = COLUMNS, more: str = "") -> str:
        columns = list(columns)
        rows = ", ".join(self._row(key, ts, columns) for key, ts in keys.items())
        return f"(SELECT *{more} FROM VALUES {rows} AS v({', '.join(columns)})) s"

    def _both(self, *, may_be_late: bool = True) -> dict[int, int]:
        """Return stored and new keys with ordering values."""
        stored = {key: self._later_or_not(key, may_be_late=may_be_late) for key in self._stored(4)}
        return stored | {key: self.keys[key] for key in self._new(2)}

    @property
    def _on(self) -> str:
        return "t.id = s.id AND t.part = s.part" if self.kind.partitioned else "t.id = s.id"

    # statements

    def _insert_values(self, count: int = 3) -> Statement:
        rows = [self._row(key, self.keys[key]) for key in self._new(count)]
        return Statement(f"INSERT INTO {{t}} VALUES {', '.join(rows)}")

    def _insert_columns(self) -> Statement:
        columns = ("id", "name", "ts", "part")
        rows = [self._row(key, self.keys[key], columns) for key in self._new(2)]
        return Statement(f"INSERT INTO {{t}} ({', '.join(columns)}) VALUES {', '.join(rows)}")

    def _insert_select(self) -> Statement:
        [key] = self._new(1)
        if self.kind.partitioned and self._random.random() < 0.5:
            columns = [name for name in COLUMNS if name != "part"]
            values = self._row(key, self.keys[key], columns)
            return Statement(
                f"INSERT INTO {{t}} PARTITION (part = '{self._partition(key)}') SELECT * FROM VALUES {values} AS v"
            )
        return Statement(f"INSERT INTO {{t}} SELECT * FROM VALUES {self._row(key, self.keys[key])} AS v")

    def _upsert(self) -> Statement:
        rows = [self._row(key, ts) for key, ts in self._both().items()]
        return Statement(f"INSERT INTO {{t}} VALUES {', '.join(rows)}", UPSERT)

    def _update(self) -> Statement:
        least = self._random.randint(-5, 5)
        set_ = self._random.choice(
            [
                "name = concat(name, '!'), qty = qty + 1",
                "price = price * 2, amount = amount / 2, flag = NOT flag",
                "qty = CASE WHEN flag THEN 0 ELSE qty * id END, ts = ts + 1",
                "name = NULL, day = date_add(day, id)",
            ]
        )
        where = self._random.choice(
            [
                f"amount > {least}",
                f"name IS NULL OR qty < {least}",
                f"id IN ({', '.join(map(str, self._stored(3)))})",
                "part = 'p1' AND flag",
                "day BETWEEN DATE'2024-02-05' AND DATE'2024-02-20'",
            ]
        )
        return Statement(f"UPDATE {{t}} SET {set_} WHERE {where}")

    def _delete(self) -> Statement:
        keys = self._stored(3)
        if self.kind.type == "mor":
            self._forget(keys)
            return Statement(f"DELETE FROM {{t}} WHERE id IN ({', '.join(map(str, keys))})")
        where = self._random.choice(
            [
                f"id IN ({', '.join(map(str, keys))})",
                f"id % 5 = {keys[0] % 5}",
                f"part = 'p2' AND id < {keys[0]}",
                f"name IS NULL AND id <> {keys[0]}",
                f"qty > {self._random.randint(20, 40)}",
            ]
        )
        return Statement(f"DELETE FROM {{t}} WHERE {where}")

    def _merge_all(self) -> Statement:
        return Statement(
            f"MERGE INTO {{t}} AS t USING {self._source(self._both())} ON {self._on} "
            "WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *"
        )

    @property
    def _needs_all_columns(self) -> bool:
        """Return whether Hudi refuses an update clause of some columns, see differences.py."""
        return self.kind.type == "mor" and self.kind.version == 6

    def _set(self, assignments: str) -> str:
        """Return the assignments of an update clause."""
        return "*" if self._needs_all_columns else assignments

    def _merge_some(self) -> Statement:
        columns = tuple(COLUMNS) if self._needs_all_columns else ("id", "name", "qty", "ts", "part")
        return Statement(
            f"MERGE INTO {{t}} AS t USING {self._source(self._both(), columns)} ON {self._on} "
            f"WHEN MATCHED THEN UPDATE SET {self._set('name = s.name, ts = s.ts')} "
            "WHEN NOT MATCHED AND s.qty IS NOT NULL THEN INSERT (id, name, ts, part) "
            "VALUES (s.id, s.name, s.ts, s.part)"
        )

    def _forget(self, keys: Iterable[int]) -> None:
        """Exclude deleted keys of a merge-on-read table from later statements."""
        if self.kind.type == "mor":
            self.keys = {key: ts for key, ts in self.keys.items() if key not in keys}

    def _merge_clauses(self) -> Statement:
        both = self._both(may_be_late=False)
        source = self._source(both, more=", CASE WHEN id % 3 = 0 THEN 'D' ELSE 'U' END AS op")
        self._forget([key for key in both if key % 3 == 0])
        return Statement(
            f"MERGE INTO {{t}} AS t USING {source} ON {self._on} "
            "WHEN MATCHED AND s.op = 'D' THEN DELETE "
            "WHEN MATCHED AND s.op = 'U' AND s.amount > 0 "
            f"THEN UPDATE SET {self._set('amount = s.amount, name = upper(s.name), ts = s.ts')} "
            "WHEN NOT MATCHED AND s.op <> 'D' THEN INSERT (id, name, amount, price, qty, flag, day, ts, part) "
            "VALUES (s.id, s.name, s.amount, s.price, s.qty + 1, s.flag, s.day, s.ts, s.part)"
        )

    def _overwrite(self) -> Statement:
        keys = self._new(2)
        if not self.kind.partitioned or self._random.random() < 0.3:
            rows = [self._row(key, self.keys[key]) for key in (*keys, *self._new(4))]
            return Statement(f"INSERT OVERWRITE {{t}} SELECT * FROM VALUES {', '.join(rows)} AS v")
        if self._random.random() < 0.5:
            rows = [self._row(key, self.keys[key]) for key in keys]
            dynamic = {"hoodie.datasource.overwrite.mode": "DYNAMIC"}
            return Statement(f"INSERT OVERWRITE {{t}} SELECT * FROM VALUES {', '.join(rows)} AS v", dynamic)
        columns = [name for name in COLUMNS if name != "part"]
        row = self._row(keys[0], self.keys[keys[0]], columns)
        part = self._partition(keys[0])
        return Statement(f"INSERT OVERWRITE {{t}} PARTITION (part = '{part}') SELECT * FROM VALUES {row} AS v")
