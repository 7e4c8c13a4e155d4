"""Models of the rules of the cookbook: plain functions of a state and the next version, without code of hoodoo.

A state is None (no row), a `Row`, or a `Tombstone`. `step(state, version)` returns the state after a version.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from attrs import field, frozen

__all__ = ["MODELS", "Row", "State", "Tombstone"]


@frozen
class Row:
    """Row with the state that a model needs in addition to its columns."""

    columns: Mapping[str, Any]
    more: Mapping[Any, Any] = field(factory=dict)


@frozen
class Tombstone:
    """A delete; `order` holds the columns that judge it and its ordering values, None for a delete without them."""

    order: tuple[Any, ...] | None


Version = Row | Tombstone
State = Row | Tombstone | None
Step = Callable[[State, Version], State]


def _final(step: Callable[[Row | None, Row], Row]) -> Step:
    """Return a model in which a delete removes the row, and no row is accepted after it."""

    def stepped(state: State, version: Version) -> State:
        if isinstance(state, Tombstone):
            return state
        return version if isinstance(version, Tombstone) else step(state, version)

    return stepped


def _ranked(rank: Callable[[Version], tuple[Any, ...]]) -> Step:
    """Return a model in which the greater or equal rank wins, and a delete without ordering values is final."""

    def step(state: State, version: Version) -> State:
        if isinstance(version, Tombstone) and version.order is None:
            return version
        if isinstance(state, Tombstone) and state.order is None:
            return state
        return version if state is None or rank(version) >= rank(state) else state

    return step


def _trust(version: Version) -> tuple[Any, ...]:
    order = version.order if isinstance(version, Tombstone) else (version.columns["source"], version.columns["ts"])
    assert order is not None
    source, ts = order
    return -["crm", "web"].index(source) if source in ("crm", "web") else -2, ts, source


def _version(version: Version) -> tuple[Any, ...]:
    if isinstance(version, Tombstone):
        assert version.order is not None
        return (*version.order, 2)
    return version.columns["version"], int(bool(version.columns["deleted"]))


def _clocks(row: Row | None, new: Row) -> Row:
    if row is None:
        return new
    columns = dict(row.columns)
    for source in ("crm", "web"):
        before, now = columns[source], new.columns[source]
        if now is not None and (before is None or now["ts"] >= before["ts"]):
            columns[source] = now
    return Row(columns)


def _high_water(row: Row | None, new: Row) -> Row:
    if row is None:
        return new
    winner = new if new.columns["ts"] >= row.columns["ts"] else row
    values = [value for value in (row.columns["best"], new.columns["best"]) if value is not None]
    return Row({**winner.columns, "best": max(values, default=None)})


def _masked(state: State, version: Version) -> State:
    deleted = isinstance(version, Tombstone)
    if deleted and version.order is None:  # type: ignore[union-attr]
        return version
    if isinstance(state, Tombstone) and state.order is None:
        return state
    if state is None:
        return version
    if isinstance(state, Tombstone) and deleted:
        return max(state, version, key=lambda delete: delete.order)  # type: ignore[union-attr]
    known = [one.order[0] if isinstance(one, Tombstone) else one.columns["masked_at"] for one in (state, version)]  # type: ignore[index]
    rows = [one for one in (version, state) if isinstance(one, Row)]
    columns = dict(max(rows, key=lambda row: row.columns["ts"]).columns)
    columns["masked_at"] = max((at for at in known if at is not None), default=None)
    if columns["masked_at"] is not None and columns["masked_at"] >= columns["ts"]:
        columns["name"] = None
    return Row(columns)


def _quarantine(row: Row | None, new: Row) -> Row:
    """Return a row with the latest valid version, and with the latest invalid version if that one is newer."""
    more: dict[Any, Any] = dict(row.more) if row else {"good": None, "bad": None}
    given = {name: new.columns[name] for name in ("ts", "city", "fare")}
    kind = "good" if given["city"] is not None and given["fare"] is not None and given["fare"] >= 0 else "bad"
    if more[kind] is None or given["ts"] >= more[kind]["ts"]:
        more[kind] = given
    good, bad = more["good"], more["bad"]
    shown = good or {"ts": bad["ts"], "city": None, "fare": None}
    later = bad if bad and (good is None or bad["ts"] > good["ts"]) else None
    return Row({**new.columns, **shown, "quarantined": later}, more)


def _validity(row: Row | None, new: Row) -> Row:
    times = {**(row.more if row else {}), new.columns["ts"]: new.columns["city"]}
    ordered = sorted(times)
    history = [
        {"valid_from": time, "valid_to": next_, "city": times[time]}
        for time, next_ in zip(ordered, [*ordered[1:], None], strict=True)
    ]
    last = {"ts": ordered[-1], "city": times[ordered[-1]], "history": history if len(history) > 1 else None}
    return Row({**new.columns, **last}, times)


def _arrival(state: State, version: Version) -> State:
    return version


def _json(state: State, version: Version) -> State:
    if isinstance(version, Tombstone) or version.columns["document"] is not None:
        return version
    if state is None or isinstance(state, Tombstone):
        return state or version
    columns = dict(state.columns)
    if columns["document"] is None:
        columns["patches"] = [*columns["patches"], *version.columns["patches"]]
        return Row(columns)
    for patch in version.columns["patches"]:
        [operation] = json.loads(patch)
        tags = json.loads(columns["document"])["tags"]
        if operation["op"] == "add":
            tags.append(operation["value"])
        elif operation["op"] == "replace" and tags:
            tags[0] = operation["value"]
        else:
            columns["failed_patches"] = [*(columns["failed_patches"] or []), patch]
        columns["document"] = json.dumps({"tags": tags}, separators=(",", ":"))
    return Row(columns)


def _last_three(row: Row | None, new: Row) -> Row:
    both = [row.columns["events"] if row else None, new.columns["events"]]
    items = [item for events in both for item in events or []]
    return Row({**new.columns, "events": None if both == [None, None] else items[-3:]})


def _counters(row: Row | None, new: Row) -> Row:
    counts: dict[str, int] = {}
    for columns in ([row.columns] if row else []) + [new.columns]:
        for source, count in columns["clicks"]:
            counts[source] = max(count, counts.get(source, 0))
    return Row({**new.columns, "clicks": sorted(counts.items())})


MODELS: Mapping[str, Step] = {
    "capped-list": _final(_last_three),
    "dead-letter": _arrival,
    "high-water-mark": _final(_high_water),
    "highest-version": _ranked(_version),
    "json-patch": _json,
    "mask-on-delete": _masked,
    "quarantine": _final(_quarantine),
    "same-content": _arrival,
    "source-clocks": _final(_clocks),
    "source-counters": _final(_counters),
    "source-priority": _ranked(_trust),
    "validity": _final(_validity),
}
"""The models by recipe."""
