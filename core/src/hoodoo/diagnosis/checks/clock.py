"""Check of the clock and of the time zone of the timeline."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

from hoodoo.diagnosis.finding import Finding, Place, Status
from hoodoo.diagnosis.table_state import TableState
from hoodoo.diagnosis.wording import duration
from hoodoo.properties.property_keys import TIMEZONE
from hoodoo.txn.begin import ahead_of_clock

__all__ = ["check_clock"]


def check_clock(state: TableState) -> Iterator[Finding]:
    """Yield a finding about the newest instant and this machine's clock, and one about the zone of the instants."""
    timeline = state.timeline
    ahead = ahead_of_clock(timeline, state.now)
    if timeline.last_time is None:
        yield Finding("clock", Status.OK, "the timeline is empty")
    elif ahead is None:
        yield Finding("clock", Status.OK, f"the newest instant, {timeline.last_time}, is not ahead of this clock")
    else:
        yield Finding(
            "clock",
            Status.WARNING,
            f"the newest instant, {timeline.last_time}, is {duration(ahead)} ahead of this machine's clock: a writer "
            "that uses its clock alone would write older commits, which readers would ignore",
            "synchronise the clocks of all writers, and set one time zone for them if the timeline has local times",
            (Place(instant=timeline.last_time),),
        )
    yield _zone(state)


def _zone(state: TableState) -> Finding:
    timeline = state.timeline
    if not timeline.is_local:
        return Finding("time zone", Status.OK, "instants are in UTC")
    offsets = list(dict.fromkeys(timeline.offsets))
    if len(offsets) > 1:
        return Finding(
            "time zone",
            Status.WARNING,
            f"the newest instants were written in several time zones: {', '.join(map(_offset, offsets))}; commits of "
            "one zone can hide those of another",
            f"run all writers in one time zone, preferably UTC ({TIMEZONE}=UTC for new tables)",
        )
    if offsets:
        return Finding("time zone", Status.OK, f"instants are in the zone of their writers, {_offset(offsets[0])}")
    return Finding(
        "time zone",
        Status.INFO,
        "instants are in the zone of their writers, and the files do not show which: writes by hoodoo use the zone of "
        "this machine",
        "run hoodoo in the time zone of the other writers (environment variable TZ)",
    )


def _offset(offset: timedelta) -> str:
    minutes = round(offset.total_seconds() / 60)
    return f"UTC{'-' if minutes < 0 else '+'}{abs(minutes) // 60:02d}:{abs(minutes) % 60:02d}"
