"""Checks for every suite: no test of the kit is lost silently, and the plugin is the one of its entry point."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from hoodoo.errors import PluginError
from hoodoo.testing import KeyGeneratorSuite, MergerSuite, replaces

pytestmark = pytest.mark.slow

Install = Callable[..., str]
NEWEST = """
    @frozen
    class Rule:
        laws = frozenset({Law.IDEMPOTENT})
        note: str = option(default="")

        def merge(self, older, newer, context, config):
            return Outcome.all(Choice.TAKE, len(newer))
"""


def test_an_overridden_test_is_refused() -> None:
    with pytest.raises(PluginError, match=r"TestMine overrides test_paths_agree, a test of hoodoo\.testing\.RuleSuite"):

        class TestMine(MergerSuite):
            plugin = "mine"

            def test_paths_agree(self) -> None: ...


def test_a_test_that_is_set_to_none_is_refused() -> None:
    with pytest.raises(PluginError, match="overrides test_vectors"):
        type("TestMine", (MergerSuite,), {"plugin": "mine", "test_vectors": None})


def test_a_test_that_another_base_overrides_is_refused() -> None:
    class Mixin:
        def test_law(self) -> None: ...

    with pytest.raises(PluginError, match="overrides test_law"):
        type("TestMine", (Mixin, MergerSuite), {"plugin": "mine"})


def test_what_makes_the_tests_of_the_laws_may_not_be_overridden_either() -> None:
    with pytest.raises(PluginError, match="overrides pytest_generate_tests"):
        type("TestMine", (MergerSuite,), {"pytest_generate_tests": lambda self, metafunc: None})


def test_a_test_that_is_replaced_for_a_reason_is_let_through() -> None:
    class TestRandom(KeyGeneratorSuite):
        plugin = "random"

        @replaces("keys are random by definition")
        def test_same_input_gives_same_answer(self) -> None: ...

        def test_of_my_own(self) -> None: ...

    type("TestMore", (TestRandom,), {})


def test_a_reason_is_a_reason() -> None:
    with pytest.raises(PluginError, match="needs a reason"):
        replaces(" ")


def test_what_is_replaced_must_be_there() -> None:
    with pytest.raises(PluginError, match="test_pathz is marked to replace a test that the kit does not have"):

        class TestMine(MergerSuite):
            @replaces("for a reason")
            def test_pathz(self) -> None: ...


def made(name: str, **attributes: Any) -> Any:
    return type("TestMade", (MergerSuite,), {"plugin": name, **attributes})()


def test_a_plugin_that_is_not_installed_says_so() -> None:
    with pytest.raises(pytest.fail.Exception, match=r"no merger named 'nothing-of-this-name'.*\n\n.*pip install -e"):
        made("nothing-of-this-name").test_is_found_by_its_name()


def counts(tmp_path: Path, source: str, *arguments: str) -> tuple[str, str]:
    """Run tests in a separate process, in which one must fail; return the process's output and summary line."""
    tests = tmp_path / "test_made.py"
    tests.write_text(dedent(source))
    code = f"import sys, pytest\nsys.path.insert(0, {str(tmp_path / 'site')!r})\n"
    # -rN: pytest would repeat each message in its list of failed tests, cut to the terminal or, in CI, whole
    code += "sys.exit(pytest.main(['-q', '-rN', '-p', 'no:cacheprovider', *sys.argv[1:]]))\n"
    done = subprocess.run(
        [sys.executable, "-c", code, str(tests), *arguments], capture_output=True, text=True, check=False, cwd=tmp_path
    )
    assert done.returncode == 1, done.stdout + done.stderr
    return done.stdout, done.stdout.strip().splitlines()[-1]


ALL_SUITES = """
from hoodoo.testing import *

class TestMerger(MergerSuite):
    plugin = "nothing-of-this-name"

class TestPayload(PayloadSuite):
    plugin = "nothing-of-this-name"

class TestKeys(KeyGeneratorSuite):
    plugin = "nothing-of-this-name"

class TestDeletes(DeleteRuleSuite):
    plugin = "nothing-of-this-name"

class TestFunction(AggregateSuite):
    plugin = "nothing-of-this-name"

class TestLock(LockSuite):
    plugin = "nothing-of-this-name"
"""


@pytest.mark.nightly
def test_a_plugin_that_is_not_installed_fails_one_test_of_each_suite(tmp_path: Path) -> None:
    output, summary = counts(tmp_path, ALL_SUITES)

    assert "6 failed" in summary
    assert "passed" not in summary
    assert "error" not in summary
    assert output.count("pip install -e .") == 6
    assert "Traceback" not in output


@pytest.mark.representatives(options=["['note']"])
@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("{'nothing': 1}", "merger 'made-0' (made-0 1.0) has no option 'nothing'; did you mean 'note'?"),
        ("['note']", "`options` of TestMade is ['note']; it must be a dictionary: options = {'option': value}"),
    ],
)
def test_wrong_options_fail_one_test(install: Install, tmp_path: Path, options: str, message: str) -> None:
    install(NEWEST)
    output, summary = counts(tmp_path, f"{ALL_OF_IT}    options = {options}\n")

    assert "1 failed" in summary
    assert "error" not in summary
    assert message in output
    chosen, summary = counts(tmp_path, f"{ALL_OF_IT}    options = {options}\n", "-k", "test_paths_agree")
    assert "1 error" in summary, "the problem must not be hidden if the first test is not selected"
    assert message in chosen


def test_a_plugin_is_found_and_travels_with_its_options(install: Install) -> None:
    suite = made(install(NEWEST), options={"note": "x"})

    suite.test_is_found_by_its_name()
    suite.test_travels_to_an_executor()


def test_own_vectors_are_run(install: Install, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    vector = {
        "id": "V1",
        "kind": "merger",
        "name": install(NEWEST),
        "compat": "1.1",
        "mode": "log",
        "config": {"ordering_fields": "ts"},
        "schema": {"id": "string", "ts": "long?"},
        "stored": {"id": "1", "ts": 5},
        "incoming": [{"id": "1", "ts": 2}],
        "expect": {"result": {"id": "1", "ts": 2}},
    }
    wrong = vector | {"id": "V2", "expect": {"result": {"id": "1", "ts": 5}}}
    file = tmp_path / "vectors.json"
    file.write_text(json.dumps([vector]))

    made(vector["name"], vectors=[vector, file]).test_vectors()
    with pytest.raises(pytest.fail.Exception, match="merge vectors that fail: 1 of 2") as caught:
        made(vector["name"], vectors=[file, wrong]).test_vectors()
    assert "V2 expected" in str(caught.value)


ALL_OF_IT = """
from hoodoo.testing import MergerSuite

class TestMade(MergerSuite):
    plugin = "made-0"
"""


@pytest.mark.nightly
def test_pytest_runs_one_test_per_claimed_law(install: Install, tmp_path: Path) -> None:
    """Claimed laws have tests, others have none; the suite does not import PySpark, which an author may not have."""
    install(NEWEST)
    tests = tmp_path / "test_made.py"
    tests.write_text(ALL_OF_IT)
    code = (
        "import sys, pytest\n"
        f"sys.path.insert(0, {str(tmp_path / 'site')!r})\n"
        "status = pytest.main(['-q', '-rA', '-W', 'error', '-p', 'no:cacheprovider', sys.argv[1]])\n"
        "assert not any(name.partition('.')[0] == 'pyspark' for name in sys.modules)\n"
        "sys.exit(status)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, tests], capture_output=True, text=True, check=False, cwd=tmp_path
    )

    assert done.returncode == 0, done.stdout + done.stderr
    assert "TestMade::test_law[IDEMPOTENT]" in done.stdout
    assert "test_law[ASSOCIATIVE]" not in done.stdout


RAISING = {
    "MergerSuite": """
    @frozen
    class Rule:
        laws = frozenset({Law.IDEMPOTENT})

        def merge(self, older, newer, context, config):
            raise ZeroDivisionError("oops")
""",
    "KeyGeneratorSuite": """
    @frozen
    class Rule:
        def record_keys(self, rows, config):
            raise ZeroDivisionError("oops")

        def partition_paths(self, rows, config):
            raise ZeroDivisionError("oops")
""",
    "DeleteRuleSuite": """
    @frozen
    class Rule:
        def is_delete(self, rows, context):
            raise ZeroDivisionError("oops")
""",
    "AggregateSuite": """
    @frozen
    class Rule:
        laws = frozenset({Law.IDEMPOTENT})
        takes = "numbers"

        def accepts(self, type_):
            return pa.types.is_int64(type_)

        def add(self, older, newer):
            raise ZeroDivisionError("oops")
""",
}
FAMILIES = {
    "MergerSuite": "merger",
    "KeyGeneratorSuite": "keygen",
    "DeleteRuleSuite": "delete",
    "AggregateSuite": "aggregate",
}


@pytest.mark.representatives(suite=["MergerSuite"])
@pytest.mark.parametrize("suite", RAISING)
def test_each_test_of_a_plugin_that_raises_begins_with_the_line_of_its_code(
    install: Install, tmp_path: Path, suite: str
) -> None:
    name = install(RAISING[suite], FAMILIES[suite])
    source = f"from hoodoo.testing import {suite}\n\nclass TestMade({suite}):\n    plugin = {name!r}\n"
    output, _ = counts(tmp_path, source)

    failures = re.findall(r"^_+ TestMade\.(\S+) _+\n(.*)\n(.*)\n", output, re.MULTILINE)
    assert len(failures) >= 5
    for test, first, second in failures:
        assert first.endswith("raised ZeroDivisionError: oops"), test
        assert f'File "{tmp_path / "site" / "made_0.py"}", line ' in second, test
