"""Points in time of instants."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest

from hoodoo.timeline.instant_time import following_instant, instant_datetime


@pytest.mark.parametrize(
    ("text", "time"),
    [
        ("20240102030405", datetime(2024, 1, 2, 3, 4, 5, tzinfo=UTC)),
        ("20240102030405678", datetime(2024, 1, 2, 3, 4, 5, 678000, UTC)),
        ("20240102030405678010", datetime(2024, 1, 2, 3, 4, 5, 678000, UTC)),
        ("00000000000002", datetime(1970, 1, 1, 0, 0, 0, 2000, UTC)),
    ],
)
def test_the_point_in_time_of_an_instant(text: str, time: datetime) -> None:
    assert instant_datetime(text) == time


def test_an_instant_is_in_the_zone_of_its_timeline() -> None:
    east = timezone(timedelta(hours=2))
    assert instant_datetime("20240102030405", east) == datetime(2024, 1, 2, 1, 4, 5, tzinfo=UTC)
    assert instant_datetime("00000000000002", east) == instant_datetime("00000000000002")


def test_digits_that_are_no_time_are_refused() -> None:
    with pytest.raises(ValueError, match="time data"):
        instant_datetime("00000000000102")


def test_the_instant_after_a_bootstrap_of_hudi() -> None:
    assert following_instant("00000000000002") == "19700101000000003"
