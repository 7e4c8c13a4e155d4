"""Damage in log files: an error in bytes of a completed commit, a warning in others."""

from __future__ import annotations

import struct

import pytest

from tests.damage.made_tables.kinds import COMMAND_6, DELETES_9, PARQUET_6, TRIPS_6, Kind, files

pytestmark = pytest.mark.slow

LOGS = files("**/.*.log.*")
SKIP = {"on_corrupt": "skip"}


def torn(body):
    """Return the bytes of a file whose writer died while it appended a block."""
    return body + body[: len(body) // 2]


def framed_wrongly(body):
    """Return a file whose first block has different lengths at its beginning and at its end."""
    (size,) = struct.unpack_from(">Q", body, 6)
    return body[: 14 + size - 8] + struct.pack(">Q", 1) + body[14 + size :]


def cut(body):
    return body[: len(body) - 10]


@pytest.fixture
def logs_of(case_of):
    def prepare(table):
        case = case_of(Kind("logs", table, LOGS))
        return case, sorted(LOGS(case.root))

    return prepare


@pytest.mark.parametrize("table", [TRIPS_6, PARQUET_6, COMMAND_6, DELETES_9])
def test_a_torn_tail_that_no_commit_wrote(table, logs_of):
    case, logs = logs_of(table)
    for log in logs:
        body = log.read_bytes()
        log.write_bytes(torn(body))
        result = case.look()
        assert result["rows"] == case.intact["rows"]
        [warning] = result["warnings"]
        assert "SkippedCorruption" in warning
        assert f"byte {len(body)}" in warning
        assert "no completed commit" in warning
        log.write_bytes(body)


@pytest.mark.parametrize("table", [TRIPS_6, PARQUET_6, DELETES_9])
@pytest.mark.parametrize("damage", [framed_wrongly, cut, lambda body: b""], ids=["framed wrongly", "cut", "emptied"])
def test_damage_to_what_a_completed_commit_wrote(table, damage, logs_of):
    case, logs = logs_of(table)
    for log in logs:
        body = log.read_bytes()
        log.write_bytes(damage(body))
        result = case.look()
        assert result.get("type") == "CorruptTableError", result
        assert result["file"] == str(log.relative_to(case.root))
        assert "on_corrupt='skip'" in result["message"]
        skipped = case.reader.ask("read", case.root, **SKIP)
        assert skipped["outcome"] == "rows"
        assert all(
            "SkippedCorruption" in warning and "on_corrupt is 'skip'" in warning for warning in skipped["warnings"]
        )
        assert skipped["warnings"]
        log.write_bytes(body)


def test_one_of_two_blocks_of_a_commit(logs_of):
    """The damaged block belongs to the commit too, although the other block is whole."""
    case, [log] = logs_of(TRIPS_6)
    body = log.read_bytes()
    [inflight] = case.root.glob(".hoodie/20250331030645735.deltacommit")
    metadata = inflight.read_bytes()
    assert metadata.count(b"1148") >= 1
    log.write_bytes(body + framed_wrongly(body))
    inflight.write_bytes(metadata.replace(b"1148", str(2 * len(body)).encode()))
    assert case.look().get("type") == "CorruptTableError"
    assert case.reader.ask("read", case.root, **SKIP)["rows"] == case.intact["rows"]
    # without recorded bytes, the instant in the damaged bytes identifies the commit
    inflight.write_bytes(metadata.replace(b"1148", b"0"))
    assert case.look().get("type") == "CorruptTableError"


def test_a_torn_file_of_a_commit_that_failed(logs_of):
    case, [log] = logs_of(TRIPS_6)
    log.with_name(log.name.replace(".log.1_0-26-85", ".log.2_0-99-99")).write_bytes(cut(log.read_bytes()))
    result = case.look()
    assert result["rows"] == case.intact["rows"]
    assert len(result["warnings"]) == 1


def test_read_optimized_needs_no_logs(logs_of):
    case, logs = logs_of(PARQUET_6)
    before = case.reader.ask("read", case.root, query_type="read_optimized")
    for log in logs:
        log.write_bytes(framed_wrongly(log.read_bytes()))
    assert case.reader.ask("read", case.root, query_type="read_optimized")["rows"] == before["rows"]
