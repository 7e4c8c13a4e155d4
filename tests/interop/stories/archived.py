"""Timelines with few active instants."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tests.interop.rows import plain_batch
from tests.interop.story import Instant, Reading, Story, Write

from .common import BY_PART, COW, MOR, keep, version

__all__ = ["archived"]


def archived() -> Iterator[Story]:
    """Yield stories of timelines with few active instants."""
    many = [Write(plain_batch(["a", f"k{n}:{'xy'[n % 2]}", f"k{n // 2}:{'xy'[n // 2 % 2]}"], 10 + n)) for n in range(7)]
    for number, kind in ((6, COW), (6, MOR), (9, COW), (9, MOR)):
        name = f"{'cow' if kind is COW else 'mor'}{number}"
        compact = (
            {"hoodie.compact.inline": "true", "hoodie.compact.inline.max.delta.commits": "3"} if kind is MOR else {}
        )
        options = {**kind, **version(number), **BY_PART, **keep(2), **compact}
        yield Story(f"{name}-archived", options, many, readings=before_it)
    for number, release in ((6, "0.15.0"), (8, "1.0.2")):
        options = {**MOR, **BY_PART, **keep(2)}
        yield Story(f"mor{number}-archived-by-{release}", options, many, release, readings=before_it)
    replaced = [*many[:2], Write(plain_batch(["r"], 3), "insert_overwrite"), *many[2:]]
    unclean = {**keep(2), "hoodie.clean.automatic": "false"}
    yield Story("cow9-archived-overwrite", {**COW, **version(9), **BY_PART, **keep(2)}, replaced, readings=before_it)
    yield Story(
        "cow6-archived-overwrite-unclean", {**COW, **version(6), **BY_PART, **unclean}, replaced, readings=before_it
    )
    yield Story(
        "cow9-archived-overwrite-unclean", {**COW, **version(9), **BY_PART, **unclean}, replaced, readings=before_it
    )


def before_it(active: Sequence[Instant]) -> list[Reading]:
    """Return queries about times before the active timeline."""
    incremental = {"hoodie.datasource.query.type": "incremental", "hoodie.datasource.read.begin.instanttime": "000"}
    everywhere = {**incremental, "hoodie.datasource.read.incr.fallback.fulltablescan.enable": "true"}
    return [
        Reading("full_scan", everywhere, {"query_type": "incremental", "begin": "000", "full_scan": True}),
        Reading("as_of_before", {"as.of.instant": "2020-01-01"}, {"as_of": "2020-01-01"}),
    ]
