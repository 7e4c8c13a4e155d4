"""A payload or merger under test: how it is made, and what it is tried with."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from attrs import frozen
from hypothesis import strategies as st

from hoodoo.merge import Rule
from hoodoo.record import Law, MergerConfig, Records
from hoodoo.testing.data.value_pools import TYPE_GROUPS
from hoodoo.testing.data.version_domain import Domain, drawn_histories, ordering_types
from hoodoo.testing.laws.pairwise import Triples
from hoodoo.testing.paths.table_paths import Path, Tries, play

__all__ = ["Merge", "Subject"]

Merge = Callable[[Records, Records], Records]


@frozen
class Subject:
    """A rule under test.

    Attributes:
        family: `merger` or `payload`.
        label: What messages call it.
        make: Makes an instance of the plugin.
        config: What the rule is told.
        domain: The versions that it is tried with.
        free: Ordering columns whose type may be any that orders.
    """

    family: str
    label: str
    make: Callable[[], Any]
    config: MergerConfig
    domain: Domain
    free: tuple[str, ...]

    @property
    def laws(self) -> frozenset[Law]:
        """The laws that it claims."""
        laws: frozenset[Law] = self.make().laws
        return laws

    def rule(self) -> Rule:
        """The rule around a new instance."""
        make = Rule.of_merger if self.family == "merger" else Rule.of_payload
        return make(self.make(), self.label, self.config)

    def merges(self, triples: Triples) -> dict[str, Merge]:
        """The functions that the rule is: one for a merger, one for the batch and one for storage for a payload."""
        if self.family == "merger":
            return {"m(a, b)": triples.in_batch}
        return {"batch(a, b)": triples.in_batch, "m(a, b)": triples.in_storage}

    def play(self, tries: Tries, path: Path, rule: Rule | None = None) -> list[dict[str, Any] | None]:
        """What each history leaves on a path."""
        return play(rule or self.rule(), tries, path)

    def wide_domains(self) -> list[Domain]:
        """The domain with columns of all types, some in each."""
        return [
            self.domain.widened(group, {name: types[place % len(types)] for place, name in enumerate(self.free)})
            for group, types in ((group, ordering_types(group)) for group in range(len(TYPE_GROUPS)))
        ]

    def histories(self) -> list[st.SearchStrategy[Tries]]:
        """Random histories; over all of them, columns of all types."""
        return self._drawn(versions=None, ordered=False)

    def triples(self) -> list[st.SearchStrategy[Tries]]:
        """Random histories of three versions that all have an ordering value; over all, columns of all types."""
        return self._drawn(versions=3, ordered=True)

    def _drawn(self, *, versions: int | None, ordered: bool) -> list[st.SearchStrategy[Tries]]:
        return [
            drawn_histories(self.domain, group=group, free=self.free, versions=versions, ordered=ordered)
            for group in range(len(TYPE_GROUPS))
        ]
