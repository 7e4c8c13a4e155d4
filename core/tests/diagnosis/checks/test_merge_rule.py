"""The check of the merge rule of readers."""

from __future__ import annotations

from hoodoo.diagnosis import Status


def test_an_unknown_rule_is_a_problem_only_with_logs(make, found):
    table = make(table_type="MERGE_ON_READ")
    table.write(range(2))
    table.set_property("hoodoo.merger", "not-installed")
    (finding,) = found(table.diagnose(), "merge rule")
    assert finding.status is Status.WARNING

    table.set_property("hoodoo.merger", "event-time")
    table.write(range(2), 2)
    table.set_property("hoodoo.merger", "not-installed")
    diagnosis = table.diagnose()
    (finding,) = found(diagnosis, "merge rule")
    assert finding.status is Status.PROBLEM
    assert "2 of 2 file slices with logs" in finding.found
    assert any("rows in log files" in text for text in diagnosis.unread)
    # the base files are still examined
    assert found(diagnosis, "duplicate keys")[0].found == "2 rows: no key occurs twice"


def test_the_advice_fits_a_rule_of_another_language(make, found):
    table = make(table_version=9)
    table.write(range(2))
    table.set_property("hoodoo.merger", "")
    table.set_property("hoodie.record.merge.mode", "CUSTOM")
    table.set_property("hoodie.record.merge.strategy.id", "11111111-0000-0000-0000-000000000000")
    (finding,) = found(table.diagnose(), "merge rule")
    assert finding.advice == "name an installed rule before hoodoo writes rows"
