"""Tables that Apache Hudi wrote: a diagnosis changes nothing, and finds their faults and no others."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from hoodoo import Table
from hoodoo.diagnosis import Diagnosis, Status, diagnose
from tests.interop.golden import GOLDEN

pytestmark = pytest.mark.slow

SERIOUS = (Status.WARNING, Status.PROBLEM)
FAULTS = {
    "cow6-failed-by-0.15.0": {("data files", Status.WARNING): "1 data file"},
    "cow9-failed": {("data files", Status.WARNING): "1 data file"},
    "cow9-clustering-pending": {("pending", Status.WARNING): "clustering"},
    "mor6-compaction-pending-by-0.15.0": {("pending", Status.WARNING): "compaction"},
    "mor8-compaction-pending-by-1.0.2": {("pending", Status.WARNING): "compaction"},
    "mor9-compaction-pending": {("pending", Status.WARNING): "compaction"},
    "mor6-bucket-by-0.15.0": {("first write", Status.WARNING): "upsert"},
    "mor9-bucket": {("first write", Status.WARNING): "upsert"},
    "mor9-custom-key": {("first write", Status.WARNING): "upsert"},
    "mor9-unfinished": {
        ("pending", Status.WARNING): "deltacommit",
        ("first write", Status.WARNING): "it would first roll back 1 failed write",
    },
    # writes to tables that record changes are refused
    **{
        name: {
            ("version", Status.WARNING): "the table records change data",
            ("first write", Status.WARNING): "",
        }
        for name in GOLDEN
        if "-changes" in name
    },
    **{
        name: {("first write", Status.WARNING): "upsert and insert of rows with the table's columns would be refused"}
        for name, golden in GOLDEN.items()
        if golden.story.lance
    },
}
"""The findings above `info` of golden tables by check and status, with the beginning of the text; others have none."""

SHARED_FAULTS = {
    "sample_table_cow__v9_timebasedkeygen_epochmillis": {
        ("first write", Status.WARNING),
        ("duplicate keys", Status.PROBLEM),
    },
    "sample_table_mor_avro__v9_nonpartitioned_rollback": {("duplicate keys", Status.PROBLEM)},
    "sample_table_mor_avro__v9_timebasedkeygen_nonhivestyle": {("duplicate keys", Status.PROBLEM)},
}
"""The checks with findings above `info` of the shared tables. Another reader returns these keys twice, too."""

SHARED = [
    *(f"quickstart_trips_table_mor_avro__{name}" for name in ("v6_trips_8i1u", "v8_trips_8i3u1d")),
    *(
        f"sample_table_cow__{name}"
        for name in (
            "v6_complexkeygen_hivestyle",
            "v6_empty",
            "v6_nonpartitioned",
            "v6_simplekeygen_hivestyle_no_metafields",
            "v6_simplekeygen_nonhivestyle_overwritetable",
            "v6_timebasedkeygen_nonhivestyle",
            "v8_nonpartitioned",
            "v8_simplekeygen_nonhivestyle",
            "v9_timebasedkeygen_epochmillis",
            "v9_txns_complex_nometa",
            "v9_txns_simple_meta",
            "v9_txns_simple_overwrite",
        )
    ),
    *(
        f"sample_table_mor_avro__{name}"
        for name in (
            "v9_nonpartitioned_rollback",
            "v9_timebasedkeygen_nonhivestyle",
            "v9_txns_complex_meta",
            "v9_txns_simple_nometa",
        )
    ),
    *(
        f"sample_table_mor_parquet__{name}"
        for name in (
            "v6_complexkeygen_hivestyle",
            "v6_empty",
            "v6_nonpartitioned_rollback",
            "v6_simplekeygen_nonhivestyle_overwritetable",
        )
    ),
]

Unpack = Callable[[str], Path]


def serious(diagnosis: Diagnosis) -> dict[tuple[str, Status], str]:
    return {(f.check, f.status): f.found for f in diagnosis.findings if f.status in SERIOUS}


def contents(path: Path) -> dict[str, tuple[int, str]]:
    files = (file for file in path.rglob("*") if file.is_file())
    return {str(file): (file.stat().st_mtime_ns, hashlib.sha256(file.read_bytes()).hexdigest()) for file in files}


@pytest.mark.parametrize("name", GOLDEN)
def test_golden_tables_have_only_the_faults_of_their_stories(name: str, real_table: Unpack) -> None:
    path = real_table(name)
    before = contents(path)

    # in a month, pending plans are old rather than just scheduled
    diagnosis = diagnose(path, clock=lambda: datetime.now(UTC) + timedelta(days=30))

    assert contents(path) == before
    found, expected = serious(diagnosis), FAULTS.get(name, {})
    assert found.keys() == expected.keys(), found
    for check, text in expected.items():
        assert found[check].startswith(text)
    assert any(f.check == "record keys" and f.status is Status.OK for f in diagnosis.findings)


@pytest.mark.parametrize("name", ["cow6", "mor6-by-0.15.0", "mor8-by-1.0.2", "mor9-avro", "mor9-archived"])
def test_a_commit_that_the_metadata_table_of_hudi_lacks_is_a_problem(name: str, real_table: Unpack) -> None:
    path = real_table(name)
    last = Table(path).timeline.latest_commit
    assert last is not None
    files = [file for file in (path / ".hoodie/metadata/.hoodie").rglob(f"{last.time}*") if file.is_file()]
    assert files
    for file in files:
        file.unlink()

    (finding,) = (f for f in diagnose(path).findings if f.check == "metadata table" and f.status in SERIOUS)

    assert finding.status is Status.PROBLEM
    assert [place.instant for place in finding.places] == [last.time]


@pytest.mark.parametrize("name", ["cow6", "mor9-avro"])
def test_a_lost_base_file_of_hudi_is_a_problem(name: str, real_table: Unpack) -> None:
    path = real_table(name)
    lost = next(s.path for s in Table(path).file_slices() if s.path)
    (path / lost).unlink()

    problems = [f for f in diagnose(path).findings if f.status is Status.PROBLEM]

    assert {f.check for f in problems} >= {"data files"}
    assert problems[0].places[0].file == lost


def test_every_shared_table_is_in_the_list(shared_data: Path) -> None:
    assert {file.stem for file in (shared_data / "tables").glob("*.zip")} == set(SHARED)


@pytest.mark.parametrize("name", SHARED)
def test_shared_tables_have_only_faults_that_other_readers_confirm(
    name: str, real_table: Unpack, real_rows: Callable[[str], object]
) -> None:
    path = real_table(name)
    before = contents(path)

    diagnosis = diagnose(path)

    assert contents(path) == before
    assert serious(diagnosis).keys() == SHARED_FAULTS.get(name, set())
    if "no_metafields" in name or name.endswith("_empty"):
        return
    rows = real_rows(name)
    keys = Counter(zip(*(rows[c].to_pylist() for c in ("_hoodie_partition_path", "_hoodie_record_key")), strict=True))  # type: ignore[index]
    twice = {key for key, number in keys.items() if number > 1}
    places = {(p.partition, p.key) for f in diagnosis.findings if f.check == "duplicate keys" for p in f.places}
    assert places == twice
    assert keys.total() == sum(
        int(f.found.split()[0].replace(",", "")) for f in diagnosis.findings if f.check == "partition folders"
    )
