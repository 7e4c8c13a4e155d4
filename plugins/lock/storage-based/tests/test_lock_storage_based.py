"""The lock provider `storage-based`: the JSON file of Hudi's lock, changed by compare-and-swap."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest
from hoodoo_lock_storage_based import StorageBasedLock

from hoodoo.errors import OptionError
from hoodoo.plugin import LockTarget, default_catalogue
from hoodoo.testing import LockSuite

FILE = ".hoodie/.locks/table_lock.json"


class TestStorageBased(LockSuite):
    plugin = "storage-based"
    options = {"validity": 10, "renewal": 1}  # noqa: RUF012 - as authors write it
    # the validity, what clocks may differ by, and a margin
    freed_within = 18.0

    def take_away(self, target: LockTarget) -> None:
        """Let another writer replace the content of the file, as after the end of the lock's validity."""
        target.storage.replace(FILE, hudis(valid_for=60))


def hudis(valid_for: float, expired: bool = False) -> bytes:
    """Return the content of a lock file of Hudi that is valid for `valid_for` seconds from now."""
    until = round((time.time() + valid_for) * 1000)
    owner = "0b1c8a7e-52b6-4bd5-8d0a-6f0c3d1a2b3c"
    return json.dumps({"expired": expired, "validUntil": until, "owner": owner}, separators=(",", ":")).encode()


def stored(target: LockTarget) -> dict[str, object]:
    found: dict[str, object] = json.loads(target.storage.read(FILE))
    return found


def test_a_lock_that_hudi_holds_is_not_taken_and_a_message_names_its_owner(tmp_path: Path) -> None:
    target = TestStorageBased().target(tmp_path)
    target.storage.create(FILE, hudis(valid_for=60))

    assert StorageBasedLock().try_acquire(target) is None
    assert StorageBasedLock().describe(target).endswith("held by 0b1c8a7e-52b6-4bd5-8d0a-6f0c3d1a2b3c")


@pytest.mark.parametrize(("valid_for", "expired"), [(60, True), (-10, False)])
def test_a_lock_that_hudi_gave_back_or_let_expire_is_taken(tmp_path: Path, valid_for: int, expired: bool) -> None:
    target = TestStorageBased().target(tmp_path)
    target.storage.create(FILE, hudis(valid_for, expired=expired))
    held = StorageBasedLock().try_acquire(target)
    assert held is not None
    held.release()


def test_the_file_is_hudis(tmp_path: Path) -> None:
    """The file has the three fields that Hudi reads; a release sets `expired`, and does not change the owner."""
    target = TestStorageBased().target(tmp_path)
    held = StorageBasedLock().try_acquire(target)
    assert held is not None
    during = stored(target)
    held.release()
    after = stored(target)

    assert during["expired"] is False
    assert isinstance(during["validUntil"], int)
    assert 290 < during["validUntil"] / 1000 - time.time() <= 300
    assert str(during["owner"]).startswith(target.owner)
    assert (after["expired"], after["owner"]) == (True, during["owner"])


@pytest.mark.slow
def test_it_is_renewed_while_it_is_held(tmp_path: Path) -> None:
    target = TestStorageBased().target(tmp_path)
    held = StorageBasedLock(validity=10, renewal=1).try_acquire(target)
    assert held is not None
    before = stored(target)["validUntil"]
    time.sleep(1.5)
    assert stored(target)["validUntil"] > before  # type: ignore[operator]
    held.release()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"hoodie.write.lock.storage.validity.timeout.secs": "100"}, "at least 10 times renewal .*which is 30 s"),
        ({"validity": "9", "renewal": "1"}, "validity is 9 and must be at least 10"),
        ({"renewal": "0"}, "renewal is 0"),
        ({"hoodie.write.lock.storage.heartbeat.poll.secs": "31"}, "which is 31 s"),
        ({"validity": "soon"}, "takes int"),
    ],
)
def test_options_that_hudi_refuses_are_refused(options: dict[str, str], said: str) -> None:
    with pytest.raises(OptionError, match=said):
        default_catalogue().make("lock", "StorageBasedLockProvider", options)
