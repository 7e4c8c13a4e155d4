"""Reading of rows: samples, damaged files, progress."""

from __future__ import annotations

from hoodoo.diagnosis import Status


def test_a_sample_reads_the_first_rows_of_each_file_group_and_says_so(table, found):
    diagnosis = table.diagnose(sample=4)

    assert found(diagnosis, "duplicate keys")[0].found == "4 rows: no key occurs twice"
    (unread,) = diagnosis.unread
    assert unread.startswith("rows after the first 2 of each file group (4 rows read, 0 of 2 file groups")


def test_a_sample_larger_than_the_table_leaves_nothing_out(table):
    assert table.diagnose(sample=100).unread == ()


def test_a_damaged_file_is_a_problem_and_the_others_are_examined(table, found):
    lost = table.path / table.files()[0]
    lost.write_bytes(b"PAR1" + b"\0" * (lost.stat().st_size - 4))

    diagnosis = table.diagnose()

    (finding,) = found(diagnosis, "rows")
    assert finding.status is Status.PROBLEM
    assert finding.found.startswith("1 file group of 2 cannot be read")
    assert finding.places[0].file == table.files()[0]
    assert found(diagnosis, "record keys")[0].found == "3 rows compared"


def test_the_progress_ends_with_all_bytes(table):
    steps = []
    table.diagnose(progress=lambda *step: steps.append(step))
    assert {name for name, _, _ in steps} == {"reading keys"}
    assert [done for _, done, _ in steps] == sorted(done for _, done, _ in steps)
    assert steps[-1][1] == steps[-1][2] == sum((table.path / f).stat().st_size for f in table.files())


def test_rows_of_a_table_without_meta_columns_are_examined_by_their_columns(table, found):
    table.set_property("hoodie.populate.meta.fields", "false")
    diagnosis = table.diagnose()
    assert found(diagnosis, "duplicate keys")[0].found == "6 rows: no key occurs twice"
    assert "record keys: the table has no meta columns" in diagnosis.unread
    assert found(diagnosis, "partition paths", Status.OK)


def test_rows_of_a_table_without_any_key_are_compared_with_their_partitions(table, found):
    table.set_property("hoodie.populate.meta.fields", "false")
    table.set_property("hoodie.table.recordkey.fields", "")
    diagnosis = table.diagnose()
    assert "repeated keys: the table has neither meta columns nor record key columns" in diagnosis.unread
    assert not found(diagnosis, "duplicate keys")
    assert not found(diagnosis, "rows", Status.PROBLEM)
