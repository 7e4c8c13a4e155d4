"""Test suites of payloads and mergers: claimed laws, paths through a table, and the contract of all rules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import pytest
from attrs import evolve

from hoodoo.errors import HoodooError
from hoodoo.plugin import RowMerger, RowPayload
from hoodoo.plugin.base import RuleMembers
from hoodoo.plugin.completion import completed, defines
from hoodoo.record import Law, MergerConfig
from hoodoo.testing.checks import reason_checks, work_checks
from hoodoo.testing.checks.generated import fail
from hoodoo.testing.data.vector_records import Row
from hoodoo.testing.data.version_domain import Domain
from hoodoo.testing.differences import Difference, entry_problem
from hoodoo.testing.laws import law_checks
from hoodoo.testing.paths import logged_deletes, path_checks
from hoodoo.testing.suites.plugin_suite import Suite
from hoodoo.testing.suites.rule_subject import Subject

__all__ = ["MergerSuite", "PayloadSuite"]


class RuleSuite(Suite):
    """Common base of the suites of payloads and mergers.

    Attributes:
        ordering: The ordering columns of the table.
        columns: The columns that the rule needs, with their types in the notation of merge vectors (`long`,
            `array<string>`). An ordering column that is not among them is tested with several types.
        values: The values of columns that cannot have all values of their type; `hoodoo.testing.LACKING` among them
            makes rows without the column.
        deletes: False for a rule that rejects deletes.
        compat: The semantics of a payload, `legacy` or `1.1`.
        claims_no_laws: The reason why the rule claims no law.
        differences: The differences between the rows of paths through a table; all other rows must be equal. With None,
            the paths are compared only if the claimed laws imply equal rows; for a merger that accepts deletes, batches
            and logs with a delete are always compared. Differences of other options or semantics are ignored.
        row_form: The same rule as a class that merges one record at a time, which must agree.
        vectorised: False for a rule that works row by row.
        not_vectorised_because: The reason for working row by row, which an official plugin must state.
    """

    ordering: ClassVar[tuple[str, ...]] = ("ts",)
    columns: ClassVar[Mapping[str, str]] = {}
    values: ClassVar[Mapping[str, Sequence[Any]]] = {}
    deletes: ClassVar[bool] = True
    compat: ClassVar[str] = "legacy"
    claims_no_laws: ClassVar[str] = ""
    differences: ClassVar[Sequence[Difference] | None] = None
    row_form: ClassVar[type[RowMerger] | type[RowPayload] | None] = None
    vectorised: ClassVar[bool] = True
    not_vectorised_because: ClassVar[str] = ""
    _subject: ClassVar[Subject]

    def admits(self, row: Row) -> bool:
        """Return whether a generated row is valid input of the rule."""
        return True

    def pytest_generate_tests(self, metafunc: pytest.Metafunc) -> None:
        """Make one test per claimed law."""
        if "law" in metafunc.fixturenames:
            try:
                laws = sorted(self.subject().laws, key=lambda law: law.name)
            except HoodooError:  # reported by test_is_found_by_its_name
                laws = []
            metafunc.parametrize("law", laws, ids=[law.name for law in laws])

    def test_claims_laws(self) -> None:
        """Test that the rule claims a law. Without laws, the fold is one by one.

        If the rule is not one of the official plugins, the test may state a reason instead.
        """
        subject = self.subject()
        excused = bool(self.claims_no_laws.strip()) and not self.is_builtin()
        if not subject.laws and not excused:
            fail(
                f"{subject.label} claims no laws",
                [("laws", "frozenset()")],
                "Claim the laws that hold; if none does, set a reason in the test: claims_no_laws = 'reason'.",
            )

    def test_law(self, law: Law) -> None:
        """Test that a claimed law holds for all combinations of a few versions."""
        law_checks.check_law(self.subject(), law)

    def test_laws_hold_for_columns_of_all_types(self) -> None:
        """Test the claimed laws with rows of all types, including random rows."""
        law_checks.check_laws_for_all_types(self.subject())

    def test_answers_fit_the_table(self) -> None:
        """Test that each pair has one decision, and that patches have the types of the table."""
        path_checks.check_answers(self.subject())

    def test_keys_do_not_see_each_other(self) -> None:
        """Test that merging keys one by one, in another order, and at once gives the same rows."""
        path_checks.check_keys_apart(self.subject())

    def test_same_input_gives_same_answer(self) -> None:
        """Test that a second call and a new instance give the same rows."""
        path_checks.check_determinism(self.subject())

    def test_input_is_not_changed(self) -> None:
        """Test that the rule does not change the records and their source."""
        with self.errors_reported():
            work_checks.check_input_unchanged(self.subject())

    def test_reasons_change_nothing_and_have_sentences(self) -> None:
        """Test that the rule makes the same decisions when it is explained, and that reason codes have sentences."""
        reason_checks.check_reasons(self.subject())

    def test_ordering_columns_hold_the_ordering_value(self) -> None:
        """Test that the ordering columns of each resulting row have its ordering value."""
        law_checks.check_ordering_columns(self.subject())

    def test_paths_agree(self) -> None:
        """Test that one batch, several commits, logs and compactions give the same rows, except for `differences`."""
        subject, listed = self.subject(), self._listed()
        if listed is not None:
            path_checks.check_paths(subject, listed)
            return
        promised, deletes = path_checks.promises_paths(subject), self.deletes and self.family == "merger"
        if promised:
            path_checks.check_promised_paths(subject)
        if deletes:
            path_checks.check_deleted_paths(subject)
        if not promised and not deletes:
            pytest.skip(
                f"not tested because no law that {subject.label} claims implies that all paths give the same rows; "
                "set `differences = []` to test it, and list intended differences there"
            )

    def test_a_delete_in_a_log_decides_as_in_a_batch(self) -> None:
        """Test that a delete with data gives the same row in a batch and in a log, before and after a compaction."""
        if not self.deletes:
            pytest.skip("the rule is not tested with deletes")
        logged_deletes.check_logged_deletes(self.subject(), self._listed())

    def test_listed_differences_occur(self) -> None:
        """Test that each listed difference occurs."""
        path_checks.check_listed(self.subject(), self._listed() or ())

    def test_needs_are_enough(self) -> None:
        """Test that a rule makes the same decisions with only the columns that its method `needs` returns."""
        subject = self.subject()
        if not defines(completed(subject.make(), RuleMembers), RuleMembers, "needs"):
            pytest.skip(f"{subject.label} has no method needs: it always gets whole rows")
        path_checks.check_needs(subject)

    def test_runs_vectorised(self) -> None:
        """Test that the rule works on columns: it makes no Python objects, and runs no more lines for more rows.

        A rule that merges one record at a time is not tested; one of the official plugins must state the reason.
        """
        subject = self.subject()
        if self.vectorised and not isinstance(subject.make(), (RowMerger, RowPayload)):
            with self.errors_reported():
                work_checks.check_vectorised(subject)
        elif self.is_builtin() and not (not self.vectorised and self.not_vectorised_because.strip()):
            fail(
                f"{subject.label} merges one record at a time",
                [("vectorised", self.vectorised), ("not_vectorised_because", repr(self.not_vectorised_because))],
                "A built-in sets vectorised = False and states the reason.",
            )
        else:
            pytest.skip(self.not_vectorised_because or "it merges one record at a time")

    def test_agrees_with_its_row_form(self) -> None:
        """Test that the rule agrees with its row form, if the test has one."""
        if self.row_form is None:
            pytest.skip("the test has no row_form")
        row_form = evolve(self.subject(), make=self.row_form)
        orders = row_form.rule().uses_ordering
        domain = evolve(row_form.domain, unordered=row_form.domain.unordered and not orders)
        path_checks.check_row_form(evolve(self.subject(), domain=domain), row_form)

    def subject(self) -> Subject:
        """Return the rule and its test data, which are made once per class."""
        if "_subject" not in vars(type(self)):
            type(self)._subject = self._made_subject()
        return self._subject

    def _made_subject(self) -> Subject:
        self.made()  # raises if the plugin or its options are wrong
        free = tuple(name for name in self.ordering if name not in self.columns)
        columns = {"id": "string", **dict.fromkeys(free, "long"), **(self.columns or {"v": "string", "w": "long"})}
        options = dict(self.options)
        config = MergerConfig(record_key=("id",), ordering=self.ordering, compat=self.compat, options=options)
        domain = Domain(columns, self.ordering, self.values, self.deletes, admits=self.admits)
        subject = Subject(self.family, self.label, self.made, config, domain, free)
        return evolve(subject, domain=evolve(domain, unordered=not subject.rule().uses_ordering))

    def _listed(self) -> Sequence[Difference] | None:
        if self.differences is None:
            return None
        for entry in self.differences:
            problem = entry_problem(entry, self.family, self.plugin)
            if problem is not None:
                fail(f"{self.label} lists an invalid difference: {problem}", [("entry", entry)])
        return [difference for difference in self.differences if difference.applies(self.compat, self.options)]


class MergerSuite(RuleSuite):
    """Tests of a merger: derive a class `Test...` from it and set `plugin`. The attributes are those of `RuleSuite`."""

    family = "merger"

    def test_unconditional_delete_removes_the_row(self) -> None:
        """Test that a key-only delete without ordering value removes the row, in a write and in a log."""
        if not self.deletes:
            pytest.skip("the rule is not tested with deletes")
        path_checks.check_unconditional_delete(self.subject())


class PayloadSuite(RuleSuite):
    """Tests of a payload: derive a class `Test...` from it and set `plugin`.

    The attributes are those of `RuleSuite`.
    """

    family = "payload"
