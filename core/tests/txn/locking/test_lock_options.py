"""Coordination from options: the provider, its options, and errors before a write."""

from __future__ import annotations

import sys
import warnings
from datetime import timedelta
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from hoodoo.errors import OptionError, UnknownOption, UnknownPlugin
from hoodoo.options import CleanOptions, ConcurrencyOptions, NoEffectWarning, parse
from hoodoo.plugin import Catalogue, default_catalogue
from hoodoo.storage import LocalStorage
from hoodoo.txn import LockFound, LockWait, coordination_of

LOCK = "hoodie.write.lock."
OCC = {"hoodie.write.concurrency.mode": "OPTIMISTIC_CONCURRENCY_CONTROL"}
PROPERTIES = {"hoodie.table.name": "trips", "hoodie.database.name": "rides"}
PADLOCK = """
from hoodoo.errors import OptionError

@frozen
class Rule:
    presets = {"SafeLockProvider": {"code": "0000"}}
    code: str = option(default="1234", key="hoodie.write.lock.padlock.code")
    url: str = option(default="", key="hoodie.write.lock.zookeeper.url")
    lease: int = option(default=1, key="hoodie.write.lock.wait_time_ms")
    secret: str = option(default="", key="hoodie.aws.secret.key", secret=True)

    def try_acquire(self, target): ...
    def describe(self, target): return "a padlock"

    def check(self, target):
        if target.table == "open":
            raise OptionError(f"{target.table} of {target.database} has no door")
"""


@pytest.fixture
def padlock(install):
    return install(PADLOCK, "lock", "padlock")


def chosen(storage, properties=PROPERTIES, groups=(ConcurrencyOptions,), **options):
    return coordination_of(storage, properties, parse(options, groups), default_catalogue())


def silently(storage, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return chosen(storage, **options)


def test_there_is_no_lock_by_default(storage):
    found = silently(storage, heartbeat_interval_ms=1000, heartbeat_misses=3)
    assert found.lock is None
    assert found.pace.max_age == timedelta(seconds=3)
    assert silently(storage, concurrency_mode="single_writer").lock is None


def test_the_only_call_for_a_write_without_options_asks_for_the_lock_file(tmp_path):
    calls = []

    class Counted(LocalStorage):
        def __getattribute__(self, name):
            if name in ("modified", "exists", "read", "list", "create", "replace", "try_lock", "walk"):
                calls.append(name)
            return super().__getattribute__(name)

    silently(Counted(str(tmp_path)))
    assert calls == ["modified"]


def test_a_provider_that_is_named_is_made_with_its_keys(storage, padlock):
    lock = silently(
        storage, **OCC, **{f"{LOCK}provider": "padlock", f"{LOCK}padlock.code": "7", f"{LOCK}zookeeper.url": "z:1"}
    ).lock
    assert lock.label == "lock provider 'padlock' (padlock 1.0)"
    assert (lock.provider.code, lock.provider.url) == ("7", "z:1")
    assert (lock.target.uri, lock.target.table, lock.target.database) == (storage.uri, "trips", "rides")
    assert lock.target.owner.startswith("hoodoo on ")
    assert lock.wait == LockWait(60.0, 0.1, 1.0, 51, 5.0)
    assert lock.target.owner != silently(storage, lock_provider="padlock").lock.target.owner


def test_lock_options_count_as_well(storage, padlock):
    given = {"lock_provider": "padlock", "lock_options": {"code": "8", "lease": 3}}
    lock = silently(storage, **given).lock
    assert (lock.provider.code, lock.provider.lease) == ("8", 3)
    with pytest.raises(OptionError, match=r"option 'code' of .* is given twice, as '7' and '8'"):
        chosen(storage, **given, **{f"{LOCK}padlock.code": "7"})
    with pytest.raises(UnknownOption, match="has no option 'cod'; did you mean"):
        chosen(storage, lock_provider="padlock", lock_options={"cod": "8"})


def test_waits_and_retries_are_hudis_keys(storage, padlock):
    keys = {"wait_time_ms": "2000", "wait_time_ms_between_retry": "300", "max_wait_time_ms_between_retry": "200"}
    keys |= {"client.num_retries": "0", "client.wait_time_ms_between_retry": "40", "provider": "padlock"}
    lock = silently(storage, **{f"{LOCK}{key}": value for key, value in keys.items()}).lock
    assert lock.wait == LockWait(2.0, 0.3, 0.3, 1, 0.04)
    assert lock.wait.total == 2
    assert lock.provider.lease == 2000, "a provider that has one of these keys is given its value"
    assert silently(storage, lock_provider="padlock").lock.provider.lease == 60_000
    assert silently(storage, lock_provider="padlock", lock_wait_ms=5).lock.provider.lease == 5


def test_a_class_name_may_stand_for_options(storage, install):
    name = install(PADLOCK, "lock", "padlock")
    entry = f"[hoodoo.lock]\n{name} = padlock\n[hoodoo.lock.alias]\norg.acme.SafeLockProvider = padlock\n"
    site = next(Path(place) for place in sys.path if (Path(place) / "padlock-1.0.dist-info").exists())
    (site / "padlock-1.0.dist-info" / "entry_points.txt").write_text(entry)
    default_catalogue.cache_clear()

    assert silently(storage, lock_provider="org.acme.SafeLockProvider").lock.provider.code == "0000"
    assert silently(storage, lock_provider="safelockprovider").lock.provider.code == "0000"
    assert silently(storage, lock_provider="padlock").lock.provider.code == "1234"
    assert silently(storage, lock_provider="SafeLockProvider", lock_options={"code": "9"}).lock.provider.code == "9"


def test_optimistic_control_without_a_provider_lists_the_providers(storage, padlock):
    with pytest.raises(OptionError, match=r"set hoodie\.write\.lock\.provider") as caught:
        chosen(storage, **OCC)
    assert "padlock" in str(caught.value)
    installed = {info.name for info in default_catalogue().list("lock")}
    for name in {"zookeeper", "dynamodb", "file-system", "storage-based", "in-process"} - installed:
        assert f"hoodoo-lock-{name}" in str(caught.value)


@pytest.mark.parametrize("mode", ["non_blocking_concurrency_control", "NON_BLOCKING_CONCURRENCY_CONTROL"])
def test_non_blocking_control_is_refused_with_the_reason(storage, mode):
    with pytest.raises(OptionError, match=f"'{mode}': hoodoo rolls back the second of two commits"):
        chosen(storage, concurrency_mode=mode)


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("org.apache.hudi.hive.transaction.lock.HiveMetastoreBasedLockProvider", "Thrift service"),
        ("org.apache.hudi.hive.HiveMetastoreBasedLockProvider", "Thrift service"),
        ("hivemetastorebasedlockprovider", "Thrift service"),
        ("org.apache.hudi.client.transaction.lock.NoopLockProvider", "locks nothing"),
    ],
)
def test_what_cannot_be_had_is_refused_with_the_reason_and_what_there_is(storage, padlock, name, reason):
    with pytest.raises(OptionError, match=f"'{name}' cannot be used: .*{reason}.*installed: .*padlock"):
        chosen(storage, lock_provider=name)


def test_an_unknown_provider(storage, padlock):
    with pytest.raises(UnknownPlugin, match=r"'padlok'.*did you mean 'padlock'"):
        chosen(storage, lock_provider="padlok")


def test_a_table_that_does_not_suit_is_refused(storage, padlock):
    with pytest.raises(OptionError, match="open of rides has no door"):
        chosen(storage, {**PROPERTIES, "hoodie.table.name": "open"}, lock_provider="padlock")


def test_keys_of_other_providers_have_no_effect_and_one_notice(storage, padlock):
    others = [f"{LOCK}dynamodb.table", f"{LOCK}num_retries", "hoodie.aws.access.key", "hoodie.base.path"]
    with pytest.warns(NoEffectWarning) as caught:
        chosen(storage, lock_provider="padlock", **dict.fromkeys(others, "hunter2"))
    [notice] = caught
    assert all(key in str(notice.message) for key in others)
    assert "hunter2" not in str(notice.message)
    with pytest.warns(NoEffectWarning, match="without a lock provider: hoodie.write.lock.zookeeper.url"):
        chosen(storage, **{f"{LOCK}zookeeper.url": "z:1"})


@pytest.mark.parametrize("provider", [{}, {"lock_provider": "padlock"}])
def test_a_key_that_no_provider_has_is_an_error(storage, padlock, provider):
    with pytest.raises(UnknownOption, match=r"there is no option 'hoodie\.write\.lock\.wait_time_sm'; did you mean"):
        chosen(storage, **provider, **{f"{LOCK}wait_time_sm": "1"})


def test_options_without_a_provider_are_an_error(storage):
    with pytest.raises(OptionError, match="name the provider in 'lock_provider'"):
        chosen(storage, lock_options={"path": "/locks"})


def test_secrets_are_in_no_message_and_no_repr(storage, padlock):
    secret = {"hoodie.aws.secret.key": "hunter2"}
    assert "hunter2" not in repr(chosen(storage, lock_provider="padlock", **secret))
    with pytest.raises(OptionError, match="given twice") as caught:
        default_catalogue().make("lock", "padlock", {"secret": "*****", **secret})
    assert "hunter2" not in str(caught.value)
    with pytest.raises(OptionError, match="takes str, got int") as caught:
        default_catalogue().make("lock", "padlock", {"secret": 1234567})
    assert "1234567" not in str(caught.value)


def test_a_lock_file_of_hudi_is_taken_with_a_notice(storage, padlock):
    name = "org.apache.hudi.client.transaction.lock.StorageBasedLockProvider"
    points = [
        EntryPoint("storage-based", "padlock", "hoodoo.lock"),
        EntryPoint(name, "padlock", "hoodoo.lock.alias"),
    ]
    catalogue = Catalogue(points)
    storage.create(".hoodie/.locks/table_lock.json", b"{}")
    with pytest.warns(
        LockFound, match=r"'\.hoodie/\.locks/table_lock\.json' of file:.*lock\.provider to storage-based"
    ):
        found = coordination_of(storage, PROPERTIES, parse({}, (ConcurrencyOptions,)), catalogue)
    assert found.lock.provider.code == "1234"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        named = parse({"lock_provider": "storage-based"}, (ConcurrencyOptions,))
        assert coordination_of(storage, PROPERTIES, named, catalogue).lock is not None


def test_a_lock_file_of_hudi_needs_the_provider(storage, monkeypatch):
    monkeypatch.setattr("hoodoo.plugin.installed.entry_points.Directory.find", lambda self, family, name: None)
    storage.create(".hoodie/.locks/table_lock.json", b"{}")
    with pytest.raises(UnknownPlugin, match=r"cannot take the lock: .*pip install hoodoo-lock-storage-based"):
        chosen(storage)


def test_a_service_accepts_lock_options_with_its_own(storage, padlock):
    groups = (CleanOptions, ConcurrencyOptions)
    given = {"commits_retained": 3, "lock_provider": "padlock", f"{LOCK}padlock.code": "5"}
    assert chosen(storage, groups=groups, **given).lock.provider.code == "5"
    with pytest.raises(UnknownOption):
        parse(given, (CleanOptions,))
