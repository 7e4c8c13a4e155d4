"""Every call to the store of every scenario fails: before it takes effect, after it, or because it was sent twice.

It fails alone, or with all later calls. The table is then as before the operation or as after it, the next write
succeeds, and no file remains that could become visible later.
"""

from __future__ import annotations

import pytest

from hoodoo.errors import CommitStateUnknown, HoodooError
from hoodoo.format import BaseFileName
from hoodoo.format.file_names import LogFileName
from hoodoo.storage import name_of
from hoodoo.txn import WRITE_ID_KEY, Coordination, find_committed, rollback_pending

from .memory import FaultyStorage
from .scenarios import SCENARIOS
from .table import GROUPS, Clock, load, upsert, visible

pytestmark = pytest.mark.slow

MODES = [("before", False), ("after", False), ("twice", False), ("before", True), ("after", True)]
LIMIT = 400
FEWEST = 8
ENOUGH = 2000

layouts = pytest.mark.parametrize("layout", [1, 2])
modes = pytest.mark.parametrize(("fault", "dead"), MODES, ids=[f"{f}-{'dead' if d else 'once'}" for f, d in MODES])
scenarios = pytest.mark.parametrize("name", SCENARIOS)


# a writer that died within a block leaves damage, which its rollback removes
@pytest.mark.each_value
@pytest.mark.filterwarnings("ignore::hoodoo.reading.slice.log_corruption.SkippedCorruption")
@scenarios
@layouts
@modes
def test_every_call(name, layout, fault, dead):
    scenario = SCENARIOS[name]
    prepared = scenario.prepare(layout)
    assert visible(prepared, layout) == scenario.before
    for number in range(1, LIMIT):
        storage = prepared.copy()
        faulty = FaultyStorage(storage, number, fault, dead=dead)
        clock = Clock(storage, 5000)
        failure: HoodooError | None = None
        try:
            scenario.run(faulty, layout, clock)
        except HoodooError as error:
            failure = error
        faulty.die()
        where = f"call {number}, {faulty.hit}, {failure!r}"
        found = visible(storage, layout)
        if failure is None:
            assert found == scenario.after, where
        elif isinstance(failure, CommitStateUnknown):
            assert found in (scenario.before, scenario.after), where
        elif name != "lost race" and not (name == "clean" and fault != "before"):
            assert found == scenario.before, where
        later = Clock(storage, 9000)
        if scenario.again:
            again(scenario, storage, layout, later, where)
        if scenario.finish:
            rollback_pending(storage, load(storage, layout), coordination=Coordination(later))
            scenario.finish(storage, layout, later)
        next_write_succeeds(storage, layout, later, where, archives=scenario.archives)
        if not faulty.hit:
            assert failure is None
            assert number > FEWEST
            return
    pytest.fail(f"{name} makes more than {LIMIT} calls")


def test_the_points_are_many():
    points = 0
    for scenario in SCENARIOS.values():
        for layout in (1, 2):
            storage = FaultyStorage(scenario.prepare(layout), 0, "before")
            scenario.run(storage, layout, Clock(storage.inner, 5000))
            points += storage.calls * len(MODES)
    assert points >= ENOUGH


def again(scenario, storage, layout, clock, where):
    """Repeat the operation after a failure, as a user would, unless its commit is found; check the rows."""
    rollback_pending(storage, load(storage, layout), coordination=Coordination(clock))
    if find_committed(load(storage, layout), "id") is None:
        scenario.run(storage, layout, clock)
    assert visible(storage, layout) == scenario.after, where
    timeline = load(storage, layout)
    identified = [i for i in timeline.commits if WRITE_ID_KEY in timeline.commit_metadata(i).extra_metadata]
    assert len(identified) <= 1, where


def next_write_succeeds(storage, layout, clock, where, *, archives):
    rollback_pending(storage, load(storage, layout), coordination=Coordination(clock))
    pending = {i.action for i in load(storage, layout).pending}
    assert pending <= {"clean"}, where
    upsert(storage, layout, "last", clock)
    found = visible(storage, layout)
    assert [texts for (partition, _), texts in sorted(found.items()) if partition in GROUPS] == [["last"]] * 2, where
    check_no_file_is_left(storage, layout, where)
    if archives:
        archive_all_but_one(storage, layout)
        assert visible(storage, layout) == found, where


def check_no_file_is_left(storage, layout, where):
    """Check that no heartbeat is left, and no base file or, in layout 2, log of an instant that is not committed."""
    timeline = load(storage, layout)
    for info in storage.walk():
        name = name_of(info.path)
        base, log = BaseFileName.parse(name), LogFileName.parse(name)
        if base is not None:
            assert timeline.is_visible(base.instant), where
        if log is not None and layout > 1:
            assert timeline.is_visible(log.instant), where
    assert not [path for path in storage.files if path.startswith(".hoodie/.heartbeat/")], where


def archive_all_but_one(storage, layout):
    """Remove all instants except the last commit from the active timeline; older ones then count as committed."""
    timeline = load(storage, layout)
    assert timeline.latest_commit is not None
    for path in list(storage.files):
        if path.startswith(timeline.folder + "/2") and timeline.latest_commit.time not in path:
            del storage.files[path]
