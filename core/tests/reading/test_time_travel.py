"""Times as of which a table can be read."""

from __future__ import annotations

import pytest

from hoodoo.errors import OptionError
from hoodoo.reading.time_travel import check_retained


def test_every_time_is_retained_without_services(written):
    written.write(("a", "x", 1, "1"))
    check_retained(written.timeline, "00000000000000000")


def test_commits_that_a_cleaner_did_not_retain_are_refused(written):
    instants = [written.write(("a", "x", n, str(n)), table_type="COPY_ON_WRITE") for n in range(4)]
    written.table.clean(commits_retained=1)
    check_retained(written.timeline, instants[3])
    with pytest.raises(OptionError, match=f"read it as of {instants[3]} or later") as refused:
        check_retained(written.timeline, instants[2])
    assert refused.value.code == "cleaned"


def test_archived_commits_are_refused(written):
    instants = [written.write(("a", "x", n, str(n)), table_type="COPY_ON_WRITE") for n in range(5)]
    written.table.archive(keep_min_commits=2, keep_max_commits=3, commits_retained=1)
    first = written.timeline.first_time
    assert first > instants[0]
    with pytest.raises(OptionError) as refused:
        check_retained(written.timeline, instants[0])
    assert refused.value.code == "archived"
