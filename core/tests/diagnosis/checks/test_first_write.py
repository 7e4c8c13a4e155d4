"""The next write by hoodoo: accepted operations, refusals, and the changes that would come before the write."""

from __future__ import annotations

import pytest

from hoodoo.diagnosis import Status


def test_an_accepted_write_is_described(make, found):
    table = make(table_type="MERGE_ON_READ", table_version=9)
    table.write(range(2))
    accepted = [finding.found for finding in found(table.diagnose(), "first write", Status.OK)]
    keys = "keys of key generator 'simple'"
    found_by = "rows found by index 'simple', rows merged by merger 'event-time'"
    assert accepted == [
        f"upsert: accepted: a deltacommit, {found_by}, {keys}",
        f"insert: accepted: a deltacommit, {keys}",
    ]


def test_a_missing_metadata_table_is_information_because_an_option_removes_it(table, found):
    table.set_property("hoodie.table.metadata.partitions", "files")
    diagnosis = table.diagnose()
    (refused,) = found(diagnosis, "first write", Status.INFO)
    assert refused.found.startswith("upsert and insert would be refused")
    assert "hoodie.metadata.enable=false" in refused.advice
    assert not found(diagnosis, "first write", Status.OK)

    removing = table.diagnose({"hoodie.metadata.enable": "false"})
    assert any("would first remove the metadata table" in f.found for f in found(removing, "first write", Status.INFO))
    assert len(found(removing, "first write", Status.OK)) == 2


def test_a_table_that_records_change_data_is_refused_with_a_warning(table, found):
    table.set_property("hoodie.table.cdc.enabled", "true")
    (finding,) = found(table.diagnose(), "first write", Status.WARNING)
    assert "records change data" in finding.found
    assert not found(table.diagnose(), "first write", Status.OK)


def test_damage_that_no_option_removes_is_a_warning(make, found):
    table = make(index="bucket", buckets=2)
    table.write(range(2))
    table.set_property("hoodoo.buckets", "x")
    diagnosis = table.diagnose()
    (finding,) = found(diagnosis, "first write", Status.WARNING)
    assert "is 'x', which is not a number of buckets" in finding.found
    assert not found(diagnosis, "first write", Status.INFO)


def test_the_options_of_the_planned_write_are_used(table, found):
    diagnosis = table.diagnose({"record_key": "v", "operation": "upsert"})
    (finding,) = found(diagnosis, "first write", Status.WARNING)
    assert "options contradict the table's stored properties: 'record_key'" in finding.found

    (accepted,) = found(table.diagnose({"operation": "delete"}), "first write", Status.OK)
    assert accepted.found.startswith("delete: accepted")


@pytest.mark.parametrize("option", ["populate_meta_fields", "drop_partition_columns"])
def test_tables_whose_files_lack_values_are_written_to(option, make, found):
    examined = make(**{option: option == "drop_partition_columns"})
    examined.write(range(6))
    diagnosis = examined.diagnose()
    assert len(found(diagnosis, "first write", Status.OK)) == 2
    assert [f for f in diagnosis.findings if f.status in (Status.WARNING, Status.PROBLEM)] == []


def test_an_upsert_of_generated_keys_is_shown_as_an_insert(make, found):
    examined = make(record_key=None, ordering=None, operation="insert")
    examined.write(range(6))
    (accepted,) = found(examined.diagnose({"operation": "upsert"}), "first write", Status.OK)
    assert accepted.found.startswith("upsert: accepted as insert: ")
