"""Rules that judge deletes by a column: the kit finds those whose results in logs are wrong."""

from __future__ import annotations

from typing import Any

import pytest

from hoodoo.merge import Rule
from hoodoo.record import Law, MergerConfig, Outcome
from hoodoo.testing import Difference, MergerSuite, Path, PayloadSuite
from hoodoo.testing.cases import delete, flagged, merged
from hoodoo.testing.differences import DELETE
from hoodoo.testing.paths.table_paths import History, Tries, play

from .wrong import Install, made, message

pytestmark = pytest.mark.slow

COLUMNS = {"source": "string", "note": "string"}
VALUES = {"source": ["web", "crm"]}

# of two versions the one of the better source wins; `null` is the rank of a source that is not known
PRIORITY = """
@frozen
class Rule:
    laws = frozenset({{Law.REPLAY_SAFE}})
    {declared}

    def uses_ordering(self, config):
        return False

    def rank(self, side):
        known = pc.index_in(side.column("source"), value_set=pa.array(["web", "crm"]))
        return pc.fill_null(known, {null}).to_numpy(zero_copy_only=False)

    def merge(self, older, newer, context, config):
        late = newer.is_delete & ~older.is_delete & ~newer.ordering.absent & (self.rank(newer) < self.rank(older))
        return Outcome.take_where(~late)
"""
# as it is documented: key-only deletes outrank everything
RIGHT = """
@frozen
class Rule:
    laws = frozenset({{Law.ASSOCIATIVE, Law.IDEMPOTENT, Law.REPLAY_SAFE}})
    {declared}

    def uses_ordering(self, config):
        return False

    def rank(self, side):
        known = pc.index_in(side.column("source"), value_set=pa.array(["web", "crm"]))
        rank = pc.fill_null(known, -1).to_numpy(zero_copy_only=False)
        return np.where(side.is_delete & ~side.has_data, 9, rank)

    def merge(self, older, newer, context, config):
        return Outcome.take_where(self.rank(newer) >= self.rank(older))
"""
DECLARED = 'keeps_with_deletes = ("source",)'


def suite(name: str, **attributes: Any) -> Any:
    return made(MergerSuite, name, **{"columns": COLUMNS, "values": VALUES, "vectorised": False, **attributes})


def excused(name: str) -> tuple[Difference, ...]:
    paths = (path for path in Path if path is not Path.ONE_BY_ONE)
    return tuple(Difference("merger", name, path, frozenset({DELETE}), "base files keep no deletes") for path in paths)


@pytest.mark.parametrize("null", [-1, 0, 2, 9])
def test_a_rule_that_reads_a_column_of_a_delete_is_red_whatever_is_listed(install: Install, null: int) -> None:
    """The test that compares deletes finds such a rule; the tests of laws, of results and of paths accept it."""
    name = install(PRIORITY.format(null=null, declared=""))
    tests = suite(name, differences=excused(name))

    tests.test_law(Law.REPLAY_SAFE)
    tests.test_answers_fit_the_table()
    tests.test_paths_agree()
    text = message(tests.test_a_delete_in_a_log_decides_as_in_a_batch)

    assert text.startswith("merger 'made-0' reads column 'source' of a delete, which a log does not keep")
    assert "    key  " in text
    assert "    copy-on-write, " in text
    assert "    merge-on-read, " in text
    assert "keeps_with_deletes = ('source',)" in text
    assert "'Judge deletes by a column' in docs/your-own-merger.md" in text


def test_the_default_columns_are_looked_at_too(install: Install) -> None:
    """The rule is found although the author's suite sets no columns and no values."""
    body = PRIORITY.format(null=9, declared="").replace('"source"', '"v"').replace('["web", "crm"]', '["a", "b"]')
    tests = made(MergerSuite, install(body), vectorised=False)

    assert "reads column 'v' of a delete" in message(tests.test_a_delete_in_a_log_decides_as_in_a_batch)


@pytest.mark.parametrize("declared", [DECLARED, 'keeps_with_deletes = ("*",)'])
def test_a_rule_that_declares_the_column_is_accepted(install: Install, declared: str) -> None:
    name = install(RIGHT.format(declared=declared))
    tests = suite(name)

    tests.test_a_delete_in_a_log_decides_as_in_a_batch()
    tests.test_paths_agree()
    tests.test_unconditional_delete_removes_the_row()
    for law in (Law.ASSOCIATIVE, Law.IDEMPOTENT, Law.REPLAY_SAFE):
        tests.test_law(law)
    assert "reads column 'source'" in message(
        suite(install(RIGHT.format(declared=""))).test_a_delete_in_a_log_decides_as_in_a_batch
    )


def test_a_rule_that_declares_another_column_is_red(install: Install) -> None:
    name = install(RIGHT.format(declared='keeps_with_deletes = ("note",)'))

    text = message(suite(name).test_a_delete_in_a_log_decides_as_in_a_batch)

    assert "keeps_with_deletes = ('note', 'source')" in text


def test_the_stored_side_is_compared_too(install: Install) -> None:
    """A rule that reads a column of a delete only if the delete is the older version is found, too."""
    source = """
    @frozen
    class Rule:
        laws = frozenset({Law.REPLAY_SAFE})

        def uses_ordering(self, config):
            return False

        def merge(self, older, newer, context, config):
            same = pc.fill_null(pc.equal(older.column("source"), newer.column("source")), False)
            blocked = older.is_delete & ~newer.is_delete & same.to_numpy(zero_copy_only=False)
            return Outcome.take_where(~blocked)
    """
    text = message(suite(install(source)).test_a_delete_in_a_log_decides_as_in_a_batch)

    assert "reads column 'source'" in text
    assert "    merge-on-read, logs before a compaction" in text


def test_a_rule_that_treats_deletes_with_data_in_another_way_lists_that(install: Install) -> None:
    """The rule reads no column, but ignores deletes with data. The author may list this difference."""
    name = install(
        """
    @frozen
    class Rule:
        laws = frozenset({Law.REPLAY_SAFE})

        def uses_ordering(self, config):
            return False

        def merge(self, older, newer, context, config):
            return Outcome.take_where(~newer.is_delete | ~newer.has_data)
    """
    )

    text = message(suite(name).test_a_delete_in_a_log_decides_as_in_a_batch)

    assert text.startswith("merger 'made-0' treats a delete that has data differently from the same delete in a log")
    assert "Path.LOG" in text
    suite(name, differences=excused(name)).test_a_delete_in_a_log_decides_as_in_a_batch()


def test_a_payload_that_reads_a_column_of_a_delete_is_red(install: Install) -> None:
    source = """
    @frozen
    class Rule:
        laws = frozenset({Law.REPLAY_SAFE})

        def pre_combine(self, older, newer, context, config):
            return Outcome.all(Choice.TAKE, len(newer))

        def combine_and_get_update_value(self, stored, incoming, context, config):
            web = pc.fill_null(pc.equal(incoming.column("source"), "web"), False).to_numpy(zero_copy_only=False)
            return Outcome.take_where(~(incoming.is_delete & web))

        def get_insert_value(self, incoming, context, config):
            return Outcome.all(Choice.TAKE, len(incoming))
    """
    name = install(source, "payload")
    text = message(
        made(PayloadSuite, name, columns=COLUMNS, values=VALUES).test_a_delete_in_a_log_decides_as_in_a_batch
    )

    assert text.startswith("payload 'made-0' reads column 'source' of a delete")


@pytest.mark.parametrize("declared", ["", DECLARED])
def test_a_rule_in_row_form_is_compared_too(install: Install, declared: str) -> None:
    """A rule in row form that reads a column of a delete is found, unless it declares the column."""
    source = f"""
    class Rule(RowMerger):
        laws = frozenset({{Law.REPLAY_SAFE}})
        {declared}

        def uses_ordering(self, config):
            return False

        def rank(self, record):
            return 9 if record.data is None else {{"web": 0, "crm": 1}}.get(record.data["source"], -1)

        def merge(self, older, newer, context, config):
            return newer if self.rank(newer) >= self.rank(older) else older
    """
    tests = suite(install(source))

    if declared:
        tests.test_a_delete_in_a_log_decides_as_in_a_batch()
    else:
        assert "reads column 'source'" in message(tests.test_a_delete_in_a_log_decides_as_in_a_batch)


def test_a_rule_without_deletes_is_not_compared(install: Install) -> None:
    tests = suite(install(PRIORITY.format(null=0, declared="")), deletes=False)

    with pytest.raises(pytest.skip.Exception, match="not tested with deletes"):
        tests.test_a_delete_in_a_log_decides_as_in_a_batch()


SCHEMA = {"id": "string", "ts": "long?", "source": "string?"}
STORED, GONE = {"id": "1", "ts": 1, "source": "crm"}, {"id": "1", "ts": 2, "source": "web"}


def test_merged_in_mode_log_has_of_a_delete_what_a_log_keeps(install: Install) -> None:
    forgets, keeps = (install(RIGHT.format(declared=declared)) for declared in ("", DECLARED))

    def left(name: str, mode: str) -> Any:
        return merged("merger", name, [flagged(GONE)], stored=STORED, mode=mode, schema=SCHEMA)

    assert left(forgets, "commits") == left(keeps, "commits") == left(keeps, "log") == STORED
    assert left(forgets, "log") is None
    again = merged("merger", keeps, [GONE], stored=flagged(STORED), mode="log", schema=SCHEMA)
    assert again is None
    assert merged("merger", keeps, [delete("1", 0)], stored=STORED, mode="log", schema=SCHEMA) is None


def test_a_log_keeps_only_the_declared_columns_of_a_delete() -> None:
    """A rule gets only the declared columns of a delete in a log, and all columns in a copy-on-write table."""
    seen: list[list[Any]] = []

    class Watching:
        laws = frozenset[Law]()
        keeps_with_deletes = ("source",)

        def merge(self, older: Any, newer: Any, context: Any, config: Any) -> Outcome:
            seen.extend(zip(newer.column("source").to_pylist(), newer.column("note").to_pylist(), strict=True))
            return Outcome.take_where(newer.is_delete)

    rule = Rule.of_merger(Watching(), "watching", MergerConfig(("id",), ordering=("ts",)))
    row = {"id": "1", "ts": 1, "source": "crm", "note": "x"}
    tries = Tries({"id": "string", "ts": "long", **COLUMNS}, ("ts",), [History(row, (flagged({**row, "ts": 2}),))])

    play(rule, tries, Path.LOG)
    play(rule, tries, Path.COMMITS)

    assert seen == [("crm", None), ("crm", "x")]
