"""The suites of payloads and mergers: claimed laws, ways through a table, and what every rule owes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import pytest
from attrs import evolve

from hoodoo.errors import PluginError
from hoodoo.plugin import RowMerger, RowPayload
from hoodoo.plugin.base import RuleMembers
from hoodoo.plugin.completion import completed, defines
from hoodoo.record import Law, MergerConfig
from hoodoo.testing.checks import reason_checks, work_checks
from hoodoo.testing.checks.generated import fail
from hoodoo.testing.data.vector_records import Row
from hoodoo.testing.data.version_domain import Domain
from hoodoo.testing.differences import Difference
from hoodoo.testing.laws import law_checks
from hoodoo.testing.paths import path_checks
from hoodoo.testing.suites.plugin_suite import Suite
from hoodoo.testing.suites.rule_subject import Subject

__all__ = ["MergerSuite", "PayloadSuite"]


class RuleSuite(Suite):
    """What the suites of payloads and mergers share.

    Attributes:
        ordering: The ordering columns of the table.
        columns: Columns that the rule needs, with their types as merge vectors name them (`long`, `array<string>`).
            An ordering column that is not among them is tried with several types.
        values: Values of columns where not any of the type will do; `hoodoo.testing.LACKING` among them makes rows
            that do not have the column.
        deletes: False for a rule that refuses deletes.
        compat: Whose semantics a payload has, `legacy` or `1.1`.
        claims_no_laws: Why the rule claims no law at all.
        differences: The differences that the rule has on some paths through a table; all else must be the same then.
            Those that are for other options or semantics are left out. Without it the paths must agree as far as the
            claimed laws state, and a merger's wherever a batch or a log has a delete.
        row_form: The same rule as a class written one record at a time, which must agree.
        vectorised: False for a rule that works row by row.
        not_vectorised_because: Why it does.
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
        """Whether a generated row is one that the rule is made for."""
        return True

    def pytest_generate_tests(self, metafunc: pytest.Metafunc) -> None:
        """One test per claimed law."""
        if "law" in metafunc.fixturenames:
            try:
                laws = sorted(self.subject().laws, key=lambda law: law.name)
            except PluginError:  # test_is_found_by_its_name says what is wrong
                laws = []
            metafunc.parametrize("law", laws, ids=[law.name for law in laws])

    def test_claims_laws(self) -> None:
        """A rule without laws is folded version by version, and nobody can rely on anything about it."""
        subject = self.subject()
        excused = bool(self.claims_no_laws.strip()) and not self.is_builtin()
        if not subject.laws and not excused:
            fail(
                f"{subject.label} claims no laws",
                [("laws", "frozenset()")],
                "Claim those that hold; where none does, say why in the test: claims_no_laws = 'reason'.",
            )

    def test_law(self, law: Law) -> None:
        """A claimed law holds for every combination of a few versions."""
        law_checks.check_law(self.subject(), law)

    def test_laws_hold_for_columns_of_all_types(self) -> None:
        """As `test_law`, with random rows."""
        law_checks.check_laws_for_all_types(self.subject())

    def test_answers_fit_the_table(self) -> None:
        """One answer per pair, patches in the types of the table."""
        path_checks.check_answers(self.subject())

    def test_keys_do_not_see_each_other(self) -> None:
        """Streamed in small parts, in another order, or at once: the same rows."""
        path_checks.check_keys_apart(self.subject())

    def test_same_input_gives_same_answer(self) -> None:
        """The second time, and from a new instance."""
        path_checks.check_determinism(self.subject())

    def test_input_is_not_changed(self) -> None:
        """Records, and the source that they are a view of."""
        work_checks.check_input_unchanged(self.subject())

    def test_reasons_change_nothing_and_have_sentences(self) -> None:
        """What is explained is what happens without an explanation."""
        reason_checks.check_reasons(self.subject())

    def test_ordering_columns_hold_the_ordering_value(self) -> None:
        """Of every row that a merge leaves."""
        law_checks.check_ordering_columns(self.subject())

    def test_paths_agree(self) -> None:
        """In one batch or many, copy-on-write or merge-on-read, compacted or not."""
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
                f"not tested because no law that {subject.label} claims says that all paths leave the same rows; "
                "set `differences = []` to try, and list there what is meant"
            )

    def test_listed_differences_occur(self) -> None:
        """An entry of the list that never occurs has to go."""
        path_checks.check_listed(self.subject(), self._listed() or ())

    def test_needs_are_enough(self) -> None:
        """A rule that says which columns it needs decides alike when it is given no others."""
        subject = self.subject()
        if not defines(completed(subject.make(), RuleMembers), RuleMembers, "needs"):
            pytest.skip(f"{subject.label} has no method needs: it is always given whole rows")
        path_checks.check_needs(subject)

    def test_runs_vectorised(self) -> None:
        """Column by column, in pyarrow and numpy."""
        subject = self.subject()
        if self.vectorised and not isinstance(subject.make(), (RowMerger, RowPayload)):
            work_checks.check_vectorised(subject)
        elif self.is_builtin() and not (not self.vectorised and self.not_vectorised_because.strip()):
            fail(
                f"{subject.label} is written one record at a time",
                [("vectorised", self.vectorised), ("not_vectorised_because", repr(self.not_vectorised_because))],
                "A built-in says vectorised = False and why.",
            )
        else:
            pytest.skip(self.not_vectorised_because or "it is written one record at a time")

    def test_agrees_with_its_row_form(self) -> None:
        """Where the test gives one."""
        if self.row_form is None:
            pytest.skip("the test gives no row_form")
        row_form = evolve(self.subject(), make=self.row_form)
        orders = row_form.rule().uses_ordering
        domain = evolve(row_form.domain, unordered=row_form.domain.unordered and not orders)
        path_checks.check_row_form(evolve(self.subject(), domain=domain), row_form)

    def subject(self) -> Subject:
        """The rule, and what it is tried with; made once per class."""
        if "_subject" not in vars(type(self)):
            type(self)._subject = self._made_subject()
        return self._subject

    def _made_subject(self) -> Subject:
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
        return [difference for difference in self.differences if difference.applies(self.compat, self.options)]


class MergerSuite(RuleSuite):
    """Tests of a merger: derive a class `Test...` from it and set `plugin`. The attributes are `RuleSuite`'s."""

    family = "merger"

    def test_unconditional_delete_removes_the_row(self) -> None:
        """A delete of the key alone, without ordering value, by a write or in a log."""
        if not self.deletes:
            pytest.skip("the rule is not tried with deletes")
        path_checks.check_unconditional_delete(self.subject())


class PayloadSuite(RuleSuite):
    """Tests of a payload: derive a class `Test...` from it and set `plugin`. The attributes are `RuleSuite`'s."""

    family = "payload"
