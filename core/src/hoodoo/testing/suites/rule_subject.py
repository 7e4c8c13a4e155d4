"""Payload or merger under test, and its test data."""

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
    """Rule under test.

    Attributes:
        family: `merger` or `payload`.
        label: The name of the rule in messages.
        make: The function that makes an instance of the plugin.
        config: The configuration of the rule.
        domain: The versions to test the rule with.
        free: The ordering columns that may have any ordering type.
    """

    family: str
    label: str
    make: Callable[[], Any]
    config: MergerConfig
    domain: Domain
    free: tuple[str, ...]

    @property
    def laws(self) -> frozenset[Law]:
        """Return the claimed laws."""
        laws: frozenset[Law] = self.make().laws
        return laws

    def rule(self) -> Rule:
        """Return the rule with a new instance of the plugin."""
        make = Rule.of_merger if self.family == "merger" else Rule.of_payload
        return make(self.make(), self.label, self.config)

    def merges(self, triples: Triples) -> dict[str, Merge]:
        """Return the merge functions by formula: one of a merger, or two of a payload, for a batch and for storage."""
        if self.family == "merger":
            return {"m(a, b)": triples.in_batch}
        return {"batch(a, b)": triples.in_batch, "m(a, b)": triples.in_storage}

    def play(self, tries: Tries, path: Path, rule: Rule | None = None) -> list[dict[str, Any] | None]:
        """Return the row that results from each history on a path, or None if no row results."""
        return play(rule or self.rule(), tries, path)

    def wide_domains(self) -> list[Domain]:
        """Return domains that together have columns of all types."""
        return [
            self.domain.widened(group, {name: types[place % len(types)] for place, name in enumerate(self.free)})
            for group, types in ((group, ordering_types(group)) for group in range(len(TYPE_GROUPS)))
        ]

    def histories(self) -> list[st.SearchStrategy[Tries]]:
        """Return strategies for histories that together have columns of all types."""
        return self._drawn(versions=None, ordered=False)

    def triples(self) -> list[st.SearchStrategy[Tries]]:
        """Return strategies for histories of three versions without a stored row; together they have all types."""
        return self._drawn(versions=3, ordered=True)

    def _drawn(self, *, versions: int | None, ordered: bool) -> list[st.SearchStrategy[Tries]]:
        return [
            drawn_histories(self.domain, group=group, free=self.free, versions=versions, ordered=ordered)
            for group in range(len(TYPE_GROUPS))
        ]
