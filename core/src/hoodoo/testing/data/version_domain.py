"""Versions for tests of a rule: all combinations of a small domain, and random rows of a wide one.

Hypothesis draws the rows of a wide domain, which has columns of all types.
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

__all__ = ["Domain", "drawn_histories", "is_lacking", "ordering_types"]

T = TypeVar("T")

FEW = 3
"""The number of values of a column in the small domain."""
MOST_CONTENTS = 6
"""The minimum number of rows of the small domain that differ in other columns than the ordering columns. There are more
if a column has more values."""


def _anything(row: Row) -> bool:
    return True


@frozen(slots=False)
class Domain:
    """Columns of the rows with which a merge rule is tested, and the values that they can have.

    Attributes:
        columns: The types by column name, in the notation of merge vectors; the first column is the record key.
        ordering: The ordering columns.
        values: The values of columns that cannot have all values of their type; without null for ordering columns.
        deletes: Whether the tested rule accepts deletes.
        unordered: Whether incoming rows may lack their ordering value.
        admits: Predicate that is true for the rows that the rule accepts.
    """

    columns: Mapping[str, str]
    ordering: tuple[str, ...]
    values: Mapping[str, Sequence[Any]] = field(factory=dict)
    deletes: bool = True
    unordered: bool = False
    admits: Callable[[Row], bool] = _anything

    def pool(self, name: str) -> Sequence[Any]:
        """Return the values of one column."""
        if name in self.values:
            return self.values[name]
        type_ = arrow_type(self.columns[name])
        return ordering_pool(type_) if name in self.ordering else pool(type_)

    @cached_property
    def versions(self) -> list[Row]:
        """Return the rows and deletes of the small domain. All have an ordering value, unless `unordered` is true."""
        rows = self._live()
        if self.unordered:
            rows += [self._row(self._absent, content) for content in self._contents()[:FEW]]
        if not self.deletes:
            return rows
        content = self._contents()[-1]
        flags = [flagged(self._row(values, content)) for values in self._orderings()]
        return [*rows, *flags, *(_key_only(values) for values in self._orderings())]

    def widened(self, group: int, ordering_types: Mapping[str, str]) -> Domain:
        """Return the domain with the columns of one of `TYPE_GROUPS` added; all their values occur in its rows.

        `ordering_types` has other types for ordering columns.
        """
        columns = {**self.columns, **ordering_types}
        more = {name: ALL_TYPES[name] for name in TYPE_GROUPS[group] if name not in columns}
        values = {**self.values, **{name: pool(arrow_type(type_)) for name, type_ in more.items()}}
        return evolve(self, columns={**columns, **more}, values=values)

    @cached_property
    def histories(self) -> Tries:
        """Return histories of a choice of versions: all with one or two incoming versions, and some with three.

        In a history a stored row may lack its ordering value, and so may a key-only delete.
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

    @cached_property
    def deletions(self) -> Tries:
        """Return histories with a delete that has data, as the newer or as the older version.

        The deletes have all values of the small domain in their columns. Each is merged alone, and with a choice of
        rows and other deletes.
        """
        contents, orderings = self._contents(), self._orderings()
        deletes = [self._row(values, content) for content in contents for values in orderings]
        deletes = [flagged(row) for row in filter(self.admits, deletes)]
        turns = itertools.cycle(orderings)
        rows = [
            self._row(values, content) for content, values in zip(_some(contents, MOST_CONTENTS), turns, strict=False)
        ]
        rows = [row for row in rows if self.admits(row)]
        stored = [None, *map(_complete, rows)]
        others = [*rows, *_some(deletes, FEW), *map(_key_only, orderings)]
        ways: list[tuple[Row, ...]] = [(gone,) for gone in deletes]
        ways += [pair for gone in deletes for other in others for pair in ((gone, other), (other, gone))]
        histories = [History(base, incoming) for base in stored for incoming in ways]
        return Tries(self.columns, self.ordering, self.named(histories))

    def named(self, histories: Sequence[History]) -> list[History]:
        """Return the histories, each with its own record key."""
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
        """Return values of the other columns: rows in which all values occur, then random rows."""
        names = [name for name in list(self.columns)[1:] if name not in self.ordering]
        pools = [self.pool(name) if name in self.values else self.pool(name)[:FEW] for name in names]
        # each column begins one value after the previous column, so that nulls are combined with values
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
    """Draw up to four histories with the columns of the domain and those of one group of types.

    Args:
        draw: The function of hypothesis.
        domain: The domain.
        group: The position in `TYPE_GROUPS`.
        free: The ordering columns whose type is drawn.
        versions: The number of incoming versions per history; None for one to four.
        ordered: Whether each delete has an ordering value and nothing is stored before.
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
    """Return the types of ordering columns to use with one of `TYPE_GROUPS`."""
    return ORDERING_TYPES[group :: len(TYPE_GROUPS)]


def _rows(domain: Domain, *, lacks_ordering: bool, partial: bool = True) -> st.SearchStrategy[Row]:
    """Return a strategy for live rows. A row that lacks its ordering value has null in all ordering columns."""
    columns = {name: st.sampled_from(domain.pool(name)) for name in list(domain.columns)[1:]}
    rows: st.SearchStrategy[Row] = st.fixed_dictionaries(columns).map(_without_lacking if partial else _complete)
    if lacks_ordering:
        absent = dict.fromkeys(domain.ordering)
        rows = rows | rows.map(lambda row: {**row, **absent})
    return rows.filter(domain.admits)


def _key_only(values: Sequence[Any] | None) -> Row:
    return {"$delete": True, "$ordering": None if values is None else list(values)}


def _without_lacking(row: Row) -> Row:
    return {name: value for name, value in row.items() if not is_lacking(value)}


def _complete(row: Row) -> Row:
    """Return a row with null for lacking values: a stored row has all columns."""
    return {name: None if is_lacking(value) else value for name, value in row.items()}


def is_lacking(value: Any) -> bool:
    """Return whether a value stands for a row that lacks the column."""
    return isinstance(value, str) and value == LACKING


def _some(items: Sequence[T], count: int) -> list[T]:
    """Return the first item and a random choice of the others, the same in all runs."""
    if len(items) <= count:
        return list(items)
    rest = random.Random(0).sample(range(1, len(items)), count - 1)  # noqa: S311 - no secret
    return [items[place] for place in (0, *sorted(rest))]
