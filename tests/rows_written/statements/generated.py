"""Hypothesis strategies for histories of statements on one table: its kind, its first rows, and its statements."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa
from hypothesis import strategies as st

__all__ = ["COLUMNS", "Clause", "History", "Kind", "Statement", "histories", "table_of"]

Row = tuple[Any, ...]

COLUMNS = {"id": "int", "part": "string", "amount": "int", "note": "string", "ratio": "double", "ts": "int"}
"""Columns of each table."""

_ARROW = {"int": pa.int32(), "string": pa.string(), "double": pa.float64()}

_PLACES = ("p0", "p1", "p2", None)
_NOTES = ("a", "b", "x", "", None)
_RATIOS = (0.0, -0.0, 1.5, -2.25, float("nan"), None)


@dataclass(frozen=True)
class Kind:
    """Options of a table, and the properties of the table that follow from them.

    Attributes:
        options: The options of the first write.
        is_partitioned: Whether the column `part` is the partition column.
        is_global: Whether a key is unique in the whole table, and a row can move to another partition.
        is_ordered: Whether the column `ts` is the ordering column.
    """

    options: Mapping[str, Any]
    is_partitioned: bool
    is_global: bool
    is_ordered: bool

    @property
    def keeps_deletes(self) -> bool:
        """Return whether logs keep deletes with their ordering values, so that late versions of the keys lose."""
        return self.options["table_type"] == "MERGE_ON_READ" and self.is_ordered

    @property
    def key(self) -> tuple[str, ...]:
        """Return the columns that identify a row."""
        return ("id", "part") if self.is_partitioned and not self.is_global else ("id",)


@dataclass(frozen=True)
class Clause:
    """Clause of a statement.

    Attributes:
        when: `matched`, `not matched`, or `not matched by source`.
        action: `insert`, `update` or `delete`.
        condition: The condition on the rows; None for all rows.
        values: The assigned expressions by column; None assigns all columns.
    """

    when: str
    action: str
    condition: str | None
    values: Mapping[str, str] | None


@dataclass(frozen=True)
class Statement:
    """Statement of a history. UPDATE and DELETE are clauses for rows without a source row, and have no source.

    Attributes:
        form: `merge`, `update`, `delete`, or `insert` of source rows whose `id` is not stored.
        is_text: Whether `hoodoo.sql` executes it.
        clauses: The clauses, of which the first with a true condition applies to a row.
        columns: The columns of the source, in order.
        source: The rows of the source, with the values of `columns`.
        on: The condition that matches source rows with stored rows.
        override_ordering: The argument of `Table.merge`.
    """

    form: str
    is_text: bool
    clauses: Sequence[Clause] = ()
    columns: Sequence[str] = ()
    source: Sequence[Row] = field(default=(), repr=True)
    on: str = "t.id = s.id"
    override_ordering: bool = False


@dataclass(frozen=True)
class History:
    """Table with its first rows, and the statements on it."""

    kind: Kind
    first: Sequence[Row]
    statements: Sequence[Statement]


def table_of(rows: Sequence[Row], columns: Sequence[str]) -> pa.Table:
    """Return rows as an Arrow table, from which Spark makes a DataFrame without Python workers."""
    schema = pa.schema([(name, _ARROW[COLUMNS.get(name, "int")]) for name in columns])
    return pa.Table.from_pylist([dict(zip(columns, row, strict=True)) for row in rows], schema=schema)


@st.composite
def histories(draw: st.DrawFn, *, most: int = 5) -> History:
    """Draw a history of two to `most` statements."""
    kind = draw(_kinds())
    first = draw(_rows(kind, tuple(COLUMNS), most=12, repeats=False, nulls=False))
    statements = draw(st.lists(_statements(kind), min_size=2, max_size=most))
    return History(kind, first or [(1, "p1", 1, "a", 1.5, 3)], statements)


@st.composite
def _kinds(draw: st.DrawFn) -> Kind:
    index = draw(st.sampled_from(("simple", "bucket", "global-simple", "bloom")))
    is_partitioned = index == "global-simple" or draw(st.booleans())
    is_ordered = draw(st.integers(0, 3)) > 0
    options: dict[str, Any] = {
        "table_name": "history",
        "record_key": "id",
        "ordering": "ts" if is_ordered else None,
        "index": index,
        "table_type": draw(st.sampled_from(("COPY_ON_WRITE", "MERGE_ON_READ"))),
        "table_version": draw(st.sampled_from((6, 8, 9))),
    }
    if index == "bucket":
        options["buckets"] = 2
    if is_partitioned:
        options["partition_by"] = "part"
    return Kind(options, is_partitioned, index == "global-simple", is_ordered)


@st.composite
def _statements(draw: st.DrawFn, kind: Kind) -> Statement:
    form = draw(st.sampled_from(("merge", "merge", "merge", "merge", "update", "delete", "insert")))
    is_text = form == "insert" or draw(st.booleans())
    if form in ("update", "delete"):
        clause = draw(_clause(kind, "not matched by source", form, is_alone=True))
        return Statement(form, is_text, (clause,))
    if form == "insert":
        source = draw(_rows(kind, tuple(COLUMNS), most=6, repeats=False, nulls=False))
        # an insert does not look for other rows of its keys
        place = tuple(COLUMNS).index("id")
        source = list({row[place]: row for row in source}.values())
        return Statement(form, is_text, columns=tuple(COLUMNS), source=source)
    is_simple = draw(st.integers(0, 2)) == 0
    clauses = draw(_clauses(kind, is_simple=is_simple))
    columns = draw(st.permutations(tuple(COLUMNS)))
    if not any(clause.values is None for clause in clauses) and draw(st.booleans()):
        named = str(clauses)
        columns = [name for name in columns if name in ("id", "part", "ts") or f"s.{name}" in named]
    if "s.extra" in str(clauses) or draw(st.integers(0, 3)) == 0:
        columns = [*columns, "extra"]
    on = draw(st.sampled_from(("t.id = s.id", "s.id = t.id", "t.id <=> s.id")))
    if kind.is_partitioned and not kind.is_global and draw(st.integers(0, 4)):
        on += draw(st.sampled_from((" AND t.part = s.part", " AND (t.part <=> s.part)")))
    if not any(clause.action == "insert" for clause in clauses) and draw(st.integers(0, 3)) == 0:
        on += draw(st.sampled_from((" AND t.amount > 2", " AND s.note <> 'x'", " AND t.ts BETWEEN 1 AND 5")))
        columns = list(dict.fromkeys([*columns, "note"]))
    repeats, nulls = draw(st.integers(0, 5)) == 0, draw(st.integers(0, 5)) == 0
    source = draw(_rows(kind, tuple(columns), most=8, repeats=repeats, nulls=nulls))
    override = not is_text and draw(st.integers(0, 4)) == 0
    return Statement(form, is_text, clauses, columns, source, on, override)


@st.composite
def _clauses(draw: st.DrawFn, kind: Kind, *, is_simple: bool) -> list[Clause]:
    """Draw clauses; simple ones depend only on the source, so that no join is needed."""
    whens = ["matched", "not matched"] if is_simple else ["matched", "not matched", "not matched by source"]
    chosen = draw(st.lists(st.sampled_from(whens), min_size=1, max_size=4))
    found: list[Clause] = []
    for place, when in enumerate(chosen):
        action = "insert" if when == "not matched" else draw(st.sampled_from(("update", "update", "delete")))
        is_last = when not in chosen[place + 1 :]
        found.append(draw(_clause(kind, when, action, is_simple=is_simple, is_last=is_last)))
    return found


@st.composite
def _clause(
    draw: st.DrawFn,
    kind: Kind,
    when: str,
    action: str,
    *,
    is_simple: bool = False,
    is_last: bool = True,
    is_alone: bool = False,
) -> Clause:
    sides = {"matched": "ts", "not matched": "s", "not matched by source": "t"}[when]
    sides = "s" if is_simple else sides
    number, letter = draw(st.integers(0, 6)), draw(st.sampled_from(("a", "b", "x")))
    condition: str | None = draw(st.sampled_from([each for each in _CONDITIONS if _names_only(each, sides)]))
    assert condition is not None
    condition = condition.replace("#", str(number)).replace("@", letter)
    if is_last and draw(st.integers(0, 2)) == 0 and not (is_alone and action == "delete"):
        condition = None
    if action == "delete":
        return Clause(when, action, condition, {})
    if is_simple or (when != "not matched by source" and draw(st.integers(0, 2)) == 0):
        return Clause(when, action, condition, None)
    fixed = set() if kind.is_global or not kind.is_partitioned else {"part"}
    fixed = {"id"} if action == "insert" else fixed | {"id"}
    usable = {name: [each for each in texts if _names_only(each, sides)] for name, texts in _VALUES.items()}
    names = sorted(name for name, texts in usable.items() if texts and name not in fixed)
    assigned = draw(st.lists(st.sampled_from(names), min_size=1, unique=True))
    values = {name: draw(st.sampled_from(usable[name])) for name in assigned}
    if action == "insert":
        # in a merge-on-read table, a row gets the partition that the condition compares
        values = {"id": "s.id", **values, "part": "s.part"}
        if draw(st.integers(0, 9)):
            values["ts"] = "s.ts"
    return Clause(when, action, condition, values)


def _names_only(text: str, sides: str) -> bool:
    return all(side in sides for side in "ts" if f"{side}." in text)


_CONDITIONS = (
    *("s.amount > #", "s.note = '@'", "s.note IS NULL", "s.note <> '@' OR s.note IS NULL", "s.ratio > 1", "s.ts >= #"),
    *("NOT (s.amount < # AND s.note = '@')", "coalesce(s.amount, #) > 3", "s.note IN ('@', NULL)", "s.id % 2 = 0"),
    *("s.extra IS NULL", "t.amount < s.amount", "t.note = s.note", "t.note <=> s.note", "t.ts <= s.ts"),
    *(
        "t.amount + s.amount > #",
        "t.part = s.part",
        "t.amount > #",
        "t.note = '@'",
        "t.ratio > 1",
        "NOT (t.ratio <= 1)",
    ),
    *("t.note IS NULL OR t.amount IS NULL", "t.id % 2 = 1", "t.amount IN (1, #, NULL)", "t.part IS NOT NULL"),
    "CASE WHEN t.note = '@' THEN true ELSE t.amount > # END",
)

_VALUES = {
    "amount": [
        "s.amount",
        "t.amount + s.amount",
        "coalesce(s.amount, t.amount)",
        "NULL",
        "t.amount + 1",
        "7",
        "s.ts + 1L",
    ],
    "note": [
        "s.note",
        "concat(t.note, '-', s.note)",
        "upper(t.note)",
        "s.amount",
        "NULL",
        "if(t.ratio > 1, 'big', t.note)",
        "''",
    ],
    "ratio": ["s.ratio", "t.ratio / 2", "s.amount", "t.amount", "-0.0D", "nanvl(t.ratio, s.ratio)", "1.25"],
    "ts": ["s.ts", "t.ts + 1", "greatest(s.ts, t.ts)", "s.ts - 1", "t.ts", "coalesce(s.ts, t.ts, 4)"],
    "part": ["s.part", "t.part", "'p1'", "coalesce(s.part, 'p2')"],
}


@st.composite
def _rows(draw: st.DrawFn, kind: Kind, columns: Sequence[str], *, most: int, repeats: bool, nulls: bool) -> list[Row]:
    """Draw rows with these columns.

    Args:
        draw: The function of hypothesis.
        kind: The kind of the table.
        columns: The names of the columns, in the order of the values.
        most: The largest number of rows.
        repeats: Whether rows that no ordering value decides between are possible.
        nulls: Whether `id` and `ts` may be null.
    """
    values: dict[str, st.SearchStrategy[Any]] = {
        "id": st.integers(0, 11) | (st.none() if nulls else st.nothing()),
        "part": st.sampled_from(_PLACES),
        "amount": st.integers(0, 9) | st.none(),
        "note": st.sampled_from(_NOTES),
        "ratio": st.sampled_from(_RATIOS),
        "ts": st.integers(0, 7) | (st.none() if nulls else st.nothing()),
        "extra": st.none() | st.integers(0, 3),
    }
    drawn = draw(st.lists(st.tuples(*(values[name] for name in columns)), max_size=most))
    if repeats:
        return drawn
    identity = kind.key if kind.is_partitioned and not kind.is_global else ("id",)
    if kind.is_ordered and most < 12:
        identity = (*identity, "ts")
    found: dict[Row, Row] = {}
    for row in drawn:
        named = dict(zip(columns, row, strict=True))
        found.setdefault(tuple(named[name] for name in identity), row)
    return list(found.values())
