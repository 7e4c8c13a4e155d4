"""Times as of which a table can be read."""

from __future__ import annotations

import pytest

from hoodoo.errors import OptionError
from hoodoo.filegroup.clean_plan import CleanPlan
from hoodoo.reading.time_travel import check_pending_cleans, check_retained
from hoodoo.timeline import Instant, State


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


def test_an_interrupted_clean_is_the_reason_for_a_missing_file(written):
    """Once an interrupted clean has removed a file of its plan, a read that needs the file is refused."""
    instants = [written.write(("a", "x", n, str(n)), table_type="COPY_ON_WRITE") for n in range(3)]
    [stat] = written.timeline.commit_metadata(written.timeline.commits[0]).stats()
    removed = stat.path
    check_pending_cleans(written.timeline, instants[0])
    plan = CleanPlan("KEEP_LATEST_COMMITS", (instants[2], "commit"), instants[2], (removed,))
    clean = [Instant("29990101000000000", "clean", state) for state in (State.REQUESTED, State.INFLIGHT)]
    for instant in clean:
        written.storage.create(written.timeline.path_of(instant), plan.to_avro(written.storage.uri))
    assert written.values(as_of=instants[0]) == [("a", "0")], "nothing is removed yet"
    written.storage.delete(removed)

    with pytest.raises(OptionError, match=f"read it as of {instants[2]} or later") as refused:
        written.values(as_of=instants[0])

    assert refused.value.code == "cleaned"
    assert written.values(as_of=instants[2]) == [("a", "2")]
