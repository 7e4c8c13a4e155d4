"""The versions that a rule is tried with.

In a small domain every combination is tried; from a wide one, rows with a column of every type, hypothesis draws.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any, TypeVar

from attrs import evolve, field, frozen
from hypothesis import strategies as st

from hoodoo.testing.data.type_names import arrow_type
from hoodoo.testing.data.value_pools import ALL_TYPES, LACKING, ORDERING_TYPES, TYPE_GROUPS, ordering_pool, pool
from hoodoo.testing.data.vector_records import Row, flagged
from hoodoo.testing.paths.table_paths import History, Tries

__all__ = ["Domain", "drawn_histories", "ordering_types"]

T = TypeVar("T")

FEW = 3
"""Values of a column in the small domain."""
MOST_CONTENTS = 6
"""Rows of the small domain that differ in other columns than the ordering columns; more where a column has more
values."""


def _anything(row: Row) -> bool:
    return True


@frozen(slots=False)
class Domain:
    """Columns, and the values that they take.

    Attributes:
        columns: Types by column name, as merge vectors name them; the first is the record key.
        ordering: The ordering columns.
        values: Values of columns where those of the type will not do; an ordering column's without null.
        deletes: Whether the rule takes deletes.
        unordered: Whether an incoming row may lack its ordering value.
        admits: Whether a row is one that the rule is made for.
    """

    columns: Mapping[str, str]
    ordering: tuple[str, ...]
    values: Mapping[str, Sequence[Any]] = field(factory=dict)
    deletes: bool = True
    unordered: bool = False
    admits: Callable[[Row], bool] = _anything

    def pool(self, name: str) -> Sequence[Any]:
        """The values of one column."""
        if name in self.values:
            return self.values[name]
        type_ = arrow_type(self.columns[name])
        return ordering_pool(type_) if name in self.ordering else pool(type_)

    @cached_property
    def versions(self) -> list[Row]:
        """Rows and deletes of the small domain; all have an ordering value, unless rows may lack it."""
        rows = self._live()
        if self.unordered:
            rows += [self._row(self._absent, content) for content in self._contents()[:FEW]]
        if not self.deletes:
            return rows
        content = self._contents()[-1]
        flags = [flagged(self._row(values, content)) for values in self._orderings()]
        return [*rows, *flags, *(_key_only(values) for values in self._orderings())]

    def widened(self, group: int, ordering_types: Mapping[str, str]) -> Domain:
        """The domain with the columns of one of `TYPE_GROUPS` as well, all their values among its rows.

        `ordering_types` are types of ordering columns in the place of its own.
        """
        columns = {**self.columns, **ordering_types}
        more = {name: ALL_TYPES[name] for name in TYPE_GROUPS[group] if name not in columns}
        values = {**self.values, **{name: pool(arrow_type(type_)) for name, type_ in more.items()}}
        return evolve(self, columns={**columns, **more}, values=values)

    @cached_property
    def histories(self) -> Tries:
        """Every history of the small domain with one or two versions after what is stored, and some with three.

        Here a stored row may lack its ordering value, and so may a key-only delete.
        """
        contents = self._contents()
        full = max(map(_complete, contents), key=lambda row: sum(value is not None for value in row.values()))
        stored = [None, *(self._row(values, full) for values in (*self._orderings(), self._absent))]
        rows = [self._row(values, content) for content in contents[:FEW] for values in self._orderings()]
        rows = [row for row in rows if self.admits(row)]
        deletes = [row for row in self.versions if "$flagged" in row or "$delete" in row]
        deletes += [_key_only(None)] if self.deletes else []
        diverse = [self._row(*pair) for pair in zip(self._orderings(), contents, strict=False)]
        versions, few = [*rows, *deletes], [*filter(self.admits, diverse), *deletes[::2]]
        ways = [*itertools.product(versions), *itertools.product(versions, repeat=2)]
        histories = [History(base, incoming) for base in stored for incoming in ways]
        histories += [History(base, incoming) for base in stored[:FEW] for incoming in itertools.product(few, repeat=3)]
        return Tries(self.columns, self.ordering, self.named(histories))

    def named(self, histories: Sequence[History]) -> list[History]:
        """Each history with a record key of its own."""
        key = next(iter(self.columns))
        return [
            History(
                None if history.stored is None else {key: str(number), **history.stored},
                tuple({key: str(number), **row} for row in history.incoming),
            )
            for number, history in enumerate(histories)
        ]

    def _live(self) -> list[Row]:
        rows = [self._row(values, content) for content in self._contents() for values in self._orderings()]
        return [row for row in rows if self.admits(row)]

    @property
    def _absent(self) -> tuple[None, ...]:
        return (None,) * len(self.ordering)

    def _orderings(self) -> list[tuple[Any, ...]]:
        pools = [sorted(self.pool(name)[:FEW]) for name in self.ordering]
        return _some(list(itertools.product(*pools)), FEW)

    def _contents(self) -> list[Row]:
        """Values of the columns that do not order: some rows in which each of them occurs, then others by chance."""
        names = [name for name in list(self.columns)[1:] if name not in self.ordering]
        pools = [self.pool(name) if name in self.values else self.pool(name)[:FEW] for name in names]
        # each column one value further than the one before: a gap in one meets a value in the other
        covering = [
            tuple(pool[(row + place) % len(pool)] for place, pool in enumerate(pools))
            for row in range(max(map(len, pools), default=1))
        ]
        chance = random.Random(0)  # noqa: S311 - no secret
        chosen = covering + [tuple(map(chance.choice, pools)) for _ in range(MOST_CONTENTS - len(covering))]
        return [dict(zip(names, values, strict=True)) for values in chosen]

    def _row(self, ordering: Sequence[Any], content: Row) -> Row:
        return _without_lacking({**content, **dict(zip(self.ordering, ordering, strict=True))})


@st.composite
def drawn_histories(
    draw: st.DrawFn, domain: Domain, *, group: int, free: Sequence[str], versions: int | None, ordered: bool
) -> Tries:
    """Up to four histories over the columns of the domain and those of one group of types.

    Args:
        draw: hypothesis'.
        domain: Its own columns, and what a row may be.
        group: Which of `TYPE_GROUPS`.
        free: Ordering columns whose type is drawn.
        versions: How many come in each history; up to four where it is None.
        ordered: Whether everything has an ordering value and nothing is stored before.
    """
    types = ordering_types(group)
    domain = domain.widened(group, {name: draw(st.sampled_from(types)) for name in free})
    rows = _rows(domain, lacks_ordering=domain.unordered)
    kinds = [rows, rows]
    if domain.deletes:
        orderings = st.tuples(*(st.sampled_from(domain.pool(name)) for name in domain.ordering))
        kinds += [_rows(domain, lacks_ordering=False).map(flagged), orderings.map(_key_only)]
        kinds += [] if ordered else [st.just(_key_only(None))]
    incoming = st.lists(st.one_of(kinds), min_size=versions or 1, max_size=versions or 4).map(tuple)
    stored = st.none() if ordered else st.none() | _rows(domain, lacks_ordering=True, partial=False)
    history = st.builds(History, stored, incoming)
    return Tries(domain.columns, domain.ordering, domain.named(draw(st.lists(history, min_size=1, max_size=4))))


def ordering_types(group: int) -> Sequence[str]:
    """The types of ordering columns that go with one of `TYPE_GROUPS`."""
    return ORDERING_TYPES[group :: len(TYPE_GROUPS)]


def _rows(domain: Domain, *, lacks_ordering: bool, partial: bool = True) -> st.SearchStrategy[Row]:
    """Live rows; where they may lack their ordering value, all its columns are null together."""
    columns = {name: st.sampled_from(domain.pool(name)) for name in list(domain.columns)[1:]}
    rows: st.SearchStrategy[Row] = st.fixed_dictionaries(columns).map(_without_lacking if partial else _complete)
    if lacks_ordering:
        absent = dict.fromkeys(domain.ordering)
        rows = rows | rows.map(lambda row: {**row, **absent})
    return rows.filter(domain.admits)


def _key_only(values: Sequence[Any] | None) -> Row:
    return {"$delete": True, "$ordering": None if values is None else list(values)}


def _without_lacking(row: Row) -> Row:
    return {name: value for name, value in row.items() if not _is_lacking(value)}


def _complete(row: Row) -> Row:
    """A stored row has every column."""
    return {name: None if _is_lacking(value) else value for name, value in row.items()}


def _is_lacking(value: Any) -> bool:
    return isinstance(value, str) and value == LACKING


def _some(items: Sequence[T], count: int) -> list[T]:
    """The first of them and an even choice of the others, the same every time."""
    if len(items) <= count:
        return list(items)
    rest = random.Random(0).sample(range(1, len(items)), count - 1)  # noqa: S311 - no secret
    return [items[place] for place in (0, *sorted(rest))]
