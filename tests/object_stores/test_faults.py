"""A store whose answers are lost, rejected, late or interrupted: errors are clear, and no data is lost."""

from __future__ import annotations

import errno
import logging
import traceback

import pyarrow as pa
import pytest

from hoodoo import Table
from hoodoo.errors import CommitStateUnknown, HoodooError, OptionError, StorageError, UnsupportedTable
from hoodoo.storage import AlreadyExists, storage_for
from hoodoo.storage.object_store.remote_store import known_bodies
from hoodoo.testing.engine import write_arrow
from hoodoo.txn.instant_creation import create_file

from .proxy import proxied

pytestmark = pytest.mark.slow

TABLE = {"table_name": "t", "record_key": "id", "ordering": "ts", "partition_by": "city"}
REFUSED = ("503", "429")
UNCONFIRMED = ("lost", "503 after")


def once(fault, method):
    """Return a function that returns the fault for the first request with a method, and "" for all others."""
    done = []

    def choose(its, path, number):
        if its != method or done:
            return ""
        done.append(path)
        return fault

    return choose


def always(fault):
    return lambda method, path, number: fault


@pytest.fixture
def place(store, monkeypatch):
    """Yield a table's location through a proxy: path, options, storage, proxy. A request ends after 1 s."""
    connect = pytest.importorskip("hoodoo.storage.object_store.client")
    monkeypatch.setattr(connect, "_REQUEST_SECONDS", 1)
    monkeypatch.setattr(connect, "_RETRIES", 2)
    with proxied(store.address) as (address, proxy):
        options, path = store.options_at(address), store.new_location()
        yield path, options, storage_for(path, options), proxy


def written(storage, path, body):
    with storage.open_output(path) as sink:
        sink.write(body)


@pytest.mark.parametrize("fault", UNCONFIRMED)
def test_a_file_whose_creation_was_not_confirmed_is_known_as_our_own(place, fault):
    _, _, storage, proxy = place
    proxy.restart(once(fault, "PUT"))
    with pytest.raises(AlreadyExists):
        storage.create("a", b"ours")
    proxy.restart(once(fault, "PUT"))
    create_file(storage, "b", b"ours")
    assert proxy.hit
    assert storage.read("b") == b"ours"


@pytest.mark.parametrize("fault", UNCONFIRMED)
def test_another_writers_file_is_not_taken_for_our_own(place, fault):
    _, _, storage, proxy = place
    storage.create("a", b"theirs")
    proxy.restart(once(fault, "PUT"))
    with pytest.raises(AlreadyExists):
        create_file(storage, "a", b"ours")
    assert storage.read("a") == b"theirs"


def test_where_the_store_says_nothing_any_more_the_outcome_is_unknown(place):
    _, _, storage, proxy = place
    proxy.restart(always("lost"))
    with pytest.raises(CommitStateUnknown, match="'a'"):
        create_file(storage, "a", b"ours")
    proxy.restart(always(""))
    assert storage.read("a") == b"ours"


@pytest.mark.parametrize("fault", [*REFUSED, *UNCONFIRMED])
@pytest.mark.parametrize(("size", "number"), [(5, 1), (9_000_000, 1), (9_000_000, 2)])
def test_an_output_survives_a_lost_answer(place, fault, size, number):
    """The faulty request is the only one of a small object, or one of the first two of a large object."""
    _, _, storage, proxy = place
    proxy.restart(lambda method, path, count: fault if count == number else "")
    written(storage, "p/1", b"x" * size)
    assert proxy.hit
    assert storage.read("p/1") == b"x" * size


@pytest.mark.parametrize("fault", [*REFUSED, *UNCONFIRMED])
@pytest.mark.parametrize("number", [1, 2, 3, 4, 5])
def test_a_lease_survives_a_lost_answer(place, fault, number):
    _, _, storage, proxy = place
    proxy.restart(lambda method, path, count: fault if count == number else "")
    lock = storage.try_lock("lock")
    assert lock is not None
    assert storage.try_lock("lock") is None
    lock.renew()
    lock.release()
    again = storage.try_lock("lock")
    assert again is not None
    again.release(delete=True)
    assert proxy.hit
    assert not storage.exists("lock")


@pytest.mark.parametrize("fault", ["cut", "stalled"])
def test_an_interrupted_answer_is_requested_again(place, fault):
    _, _, storage, proxy = place
    body = bytes(range(256)) * 4096
    storage.create("a", body)
    proxy.restart(once(fault, "GET"))
    assert storage.read("a") == body
    proxy.restart(once(fault, "GET"))
    with storage.open_input("a") as source:
        source.seek(5)
        assert source.read(900_000) == body[5:900_005]
    assert proxy.hit


@pytest.mark.parametrize("fault", ["cut", "stalled"])
def test_an_answer_that_breaks_off_each_time_is_a_failure_of_the_store(place, fault):
    path, _, storage, proxy = place
    storage.create("a", b"x" * 10_000)
    proxy.restart(always(fault))
    with pytest.raises(StorageError, match=f"read 'a'.*{path}/a") as caught:
        storage.read("a")
    assert caught.value.errno == errno.EIO


def operations(storage):
    return {
        "read": lambda: storage.read("a"),
        "create": lambda: storage.create("b", b""),
        "replace": lambda: storage.replace("b", b""),
        "delete": lambda: storage.delete("a"),
        "delete_tree": lambda: storage.delete_tree("f"),
        "exists": lambda: storage.exists("a"),
        "stat": lambda: storage.modified("a"),
        "list": lambda: storage.list("f"),
        "walk": lambda: list(storage.walk()),
        "open": lambda: storage.open_input("a"),
        "output": lambda: written(storage, "c", b"1"),
        "large output": lambda: written(storage, "c", b"1" * 9_000_000),
        "lock": lambda: storage.try_lock("lock"),
    }


@pytest.mark.parametrize("fault", ["403", "429", "503"])
def test_what_the_store_refuses_is_named_without_a_secret(place, caplog, store, fault):
    path, _, storage, proxy = place
    storage.create("a", b"1")
    said = []
    proxy.restart(always(fault))
    with caplog.at_level(logging.DEBUG):
        for name, operation in operations(storage).items():
            with pytest.raises(StorageError) as caught:
                operation()
            message = str(caught.value)
            assert path in message, name
            assert fault in message, name
            assert caught.value.errno == (errno.EACCES if fault == "403" else errno.EIO)
            said += traceback.format_exception(caught.value)
    text = "".join(said) + caplog.text + repr(storage)
    for secret in store.secrets:
        assert secret not in text
    assert "Signature" not in text


def test_an_unreachable_store(place, store):
    path, _, _, _ = place
    storage = storage_for(path, store.options_at("http://127.0.0.1:1"))
    with pytest.raises(StorageError, match=rf"read 'a': no connection to the store.*{path}/a"):
        storage.read("a")


def test_a_bucket_that_is_not_there(place, store):
    _, options, _, _ = place
    storage = storage_for(f"{store.scheme}://no-such-bucket-here/t", options)
    with pytest.raises(
        StorageError, match=rf"no such bucket or container \({store.scheme}://no-such-bucket-here/t/a\)"
    ):
        storage.create("a", b"")


ACCESS = {
    "wrong key": ("403 InvalidAccessKeyId", r"permission denied, .*403 Forbidden \(InvalidAccessKeyId\).*credentials"),
    "wrong secret": ("403 SignatureDoesNotMatch", r"permission denied, .*\(SignatureDoesNotMatch\).*credentials"),
    "expired token": ("400 ExpiredToken", r"400 Bad Request \(ExpiredToken\).*session token has expired"),
    "invalid token": ("400 InvalidToken", r"400 Bad Request \(InvalidToken\).*check the session token"),
    "signed for another region": (
        "400 AuthorizationHeaderMalformed",
        r"\(AuthorizationHeaderMalformed\).*another region",
    ),
    "bucket in another region": ("301 PermanentRedirect", r"another region.*s3_region"),
}
"""The answer of S3 and a pattern of the message of the error, by the name of the case."""

GOOGLES_ACCESS = {
    "unknown account": ("401 AuthenticationRequired", r"permission denied, .*\(AuthenticationRequired\).*credentials"),
    "account without permission": ("403 AccessDenied", r"permission denied, .*403 Forbidden \(AccessDenied\)"),
}


@pytest.mark.representatives(name=["wrong key", "expired token", "bucket in another region", *GOOGLES_ACCESS])
@pytest.mark.parametrize(
    ("store", "name"),
    [*(("s3", name) for name in ACCESS), *(("gcs", name) for name in GOOGLES_ACCESS)],
    indirect=["store"],
)
def test_a_table_without_access_has_one_clear_error(place, store, caplog, name):
    """Opening and writing fail after few requests, and the message contains no secret."""
    path, options, _, proxy = place
    fault, message = {**ACCESS, **GOOGLES_ACCESS}[name]
    write_arrow(pa.table(ROWS), path, {**TABLE, **options})
    for work in (lambda: Table(path, options), lambda: write_arrow(pa.table(ROWS), path, {**TABLE, **options})):
        known_bodies.clear()
        proxy.restart(always(fault))
        with caplog.at_level(logging.DEBUG), pytest.raises(StorageError, match=message) as caught:
            work()
        assert path in str(caught.value)
        assert proxy.count <= 3
        text = "".join(traceback.format_exception(caught.value)) + caplog.text
        assert not any(secret in text for secret in store.secrets)
        assert "vErY" not in text
    proxy.restart(always(""))
    assert values(path, options) == ["x", "x", "x"]


def test_a_role_that_may_only_read_reads_and_writes_nothing(place):
    path, options, storage, proxy = place
    write_arrow(pa.table(ROWS), path, {**TABLE, **options})
    before = sorted(info.path for info in [*storage.walk(), *storage.walk(".hoodie")])
    proxy.restart(lambda method, path, number: "" if method in ("GET", "HEAD") else "403 AccessDenied")
    assert values(path, options) == ["x", "x", "x"]
    with pytest.raises(StorageError, match=r"permission denied, .*\(AccessDenied\).*check the credentials"):
        write_arrow(pa.table(ROWS), path, {**TABLE, **options})
    assert len(proxy.hit) <= 2
    assert sorted(info.path for info in [*storage.walk(), *storage.walk(".hoodie")]) == before


@pytest.mark.representatives(first=[7])
@pytest.mark.parametrize("first", [3, 7, 10])
def test_a_token_that_expires_during_a_write(place, store, monkeypatch, first):
    """The write fails and changes no row; the next one, with a new token, rolls it back and succeeds."""
    path, options, _, proxy = place
    expired = {"s3": "400 ExpiredToken", "gs": "401 AuthenticationRequired"}[store.scheme]
    write_arrow(pa.table(ROWS), path, {**TABLE, **options})
    proxy.restart(lambda method, path, number: expired if number >= first else "")
    with pytest.raises(HoodooError, match=expired.split()[1]):
        write_arrow(pa.table({**ROWS, "ts": [2] * 3, "v": ["y"] * 3}), path, {**TABLE, **options})
    assert len(proxy.hit) < 25
    proxy.restart(always(""))
    assert values(path, options) == ["x", "x", "x"]
    # the lock, which could not be released, expires
    lease = pytest.importorskip("hoodoo.storage.object_store.lease_lock")
    now = lease._now
    monkeypatch.setattr(lease, "_now", lambda: now() + 60)
    write_arrow(pa.table({**ROWS, "ts": [3] * 3, "v": ["z"] * 3}), path, {**TABLE, **options})
    assert values(path, options) == ["z", "z", "z"]


def test_a_bucket_that_is_not_there_is_the_error_of_a_table(place, store):
    _, options, _, _ = place
    path = f"{store.scheme}://no-such-bucket-here/t"
    for work in (lambda: Table(path, options), lambda: write_arrow(pa.table(ROWS), path, {**TABLE, **options})):
        with pytest.raises(StorageError, match=rf"no such bucket or container \({path}.*create it"):
            work()


@pytest.mark.representatives(folder=["x+y=z&%41{1}[2]#?*"])
@pytest.mark.parametrize("folder", ["a@b", "a b", "\u00fc\u65e5\u672c", "x+y=z&%41{1}[2]#?*"])
def test_any_characters_in_a_path(place, folder):
    path, options, storage, _ = place
    path = f"{path}/{folder}"
    cities = [folder, "a", "a"]
    given = {**TABLE, **options, "hoodie.datasource.write.partitionpath.urlencode": True}
    write_arrow(pa.table({**ROWS, "city": cities}), path, given)
    write_arrow(pa.table({**ROWS, "city": cities, "ts": [2] * 3, "v": ["y"] * 3}), path, given)
    table = Table(path, options).to_arrow(["city", "v"])
    assert sorted(table["city"].to_pylist()) == sorted(cities)
    assert table["v"].to_pylist() == ["y"] * 3
    assert any(f"/{folder}/" in f"/{info.path}" for info in storage.walk())


def test_credentials_in_a_location_are_not_shown():
    with pytest.raises(UnsupportedTable, match="without credentials") as caught:
        storage_for("s3://key:vErYsEcReT@bucket/t", {})
    assert "vErY" not in str(caught.value)


def test_two_spellings_of_a_secret_that_disagree_are_not_shown(s3_options):
    with pytest.raises(OptionError, match="set the same option to different values") as caught:
        storage_for("s3://bucket/t", {**s3_options, "s3_secret_key": "another-one"})
    assert "another-one" not in str(caught.value)
    assert s3_options["fs.s3a.secret.key"] not in str(caught.value)


ROWS = {"id": [1, 2, 3], "ts": [1, 1, 1], "city": ["a", "a", "b"], "v": ["x", "x", "x"]}


def values(path, options):
    return sorted(Table(path, options).to_arrow(["v"])["v"].to_pylist())


@pytest.mark.representatives(fault=["lost"])
@pytest.mark.parametrize(("fault", "first"), [("lost", 1), ("503 after", 2), ("503", 3)])
def test_a_write_survives_the_loss_of_any_one_answer(place, fault, first):
    """The fault hits every third request in turn; the client must survive it, and the table must stay valid."""
    path, options, _, proxy = place
    write_arrow(pa.table(ROWS), path, {**TABLE, **options})
    proxy.restart(always(""))
    write_arrow(pa.table(ROWS), path, {**TABLE, **options})
    before = proxy.count
    expected, failed = "x", []
    for number in range(first, before + 1, 3):
        change = pa.table({**ROWS, "ts": [number + 1] * 3, "v": [str(number)] * 3})
        proxy.restart(lambda method, path, count, number=number: fault if count == number else "")
        try:
            write_arrow(change, path, {**TABLE, **options})
            expected = str(number)
        except HoodooError as error:
            failed.append(f"{proxy.hit} {error}")
        proxy.restart(always(""))
        assert values(path, options) == [expected] * 3
    assert not failed
