"""The guides for users and authors of rules: every block runs and has the results of its page.

`spark` stands for a session whose rows are Arrow tables, which `hoodoo.write` writes in this process.
A result is written after an expression as `# -> value`.
"""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from hoodoo.cli import main
from hoodoo.options import ConcurrencyOptions, parse
from hoodoo.plugin import BaseAggregateFunction, default_catalogue
from hoodoo.plugin.completion import completed, defines
from hoodoo.plugin.installed.official import official_names
from hoodoo.plugin.option import describe_options
from hoodoo.record import Law
from hoodoo.storage import storage_for
from hoodoo.testing import PayloadSuite
from hoodoo.testing.data.type_names import arrow_table
from hoodoo.testing.laws.law_checks import check_law
from hoodoo.txn import coordination_of

pytestmark = pytest.mark.slow

DOCS = Path(__file__).resolve().parents[2] / "docs"
COOKBOOK = DOCS / "cookbook"
"""A folder of distributions, whose pages show files that `tests/cookbook` tests."""
IN_ORDER = ("choosing-a-merge-rule", "delete-rules", "key-generators", "laws", "mergers", "payloads", "without-spark")
"""Pages whose blocks run one after the other."""
ELSEWHERE = {"catalogs", "concurrency", "explain", "hooks", "reading", "spark-jobs", "table-doctor", "testing-a-plugin"}
"""Pages whose blocks are tested elsewhere."""
COMMANDS = {  # what they do is tested in core/tests/cli and, with real installations, in tests/repository/wheels
    'pip install "hoodoo-core[test]"',
    "hoodoo plugins new merger best-score",
    'pip install -e "./hoodoo-merger-best-score[test]"',
    "pytest ./hoodoo-merger-best-score",
    "pip install build twine",
    "python -m build ./hoodoo-merger-best-score",
    "twine upload ./hoodoo-merger-best-score/dist/*",
}


def blocks(page: str, language: str = "python") -> list[str]:
    text = (DOCS / f"{page}.md").read_text(encoding="utf-8")
    return re.findall(rf"```{language}\n(.*?)```", text, re.DOTALL)


def data_frame(rows: list[tuple[Any, ...]], schema: str) -> Any:
    names = dict(column.split() for column in schema.split(", "))
    return arrow_table([dict(zip(names, row, strict=True)) for row in rows], names)


def run(code: str, names: dict[str, Any]) -> int:
    """Run a block; return the number of compared results."""
    compared = 0
    for node in ast.parse(code).body:
        lines = code.splitlines()[node.lineno - 1 : node.end_lineno]
        expected = re.search(r"# -> (.*)$", lines[-1])
        if expected is None:
            exec(compile(ast.Module([node], []), "<block>", "exec"), names)
            continue
        assert isinstance(node, ast.Expr), f"a result must follow an expression: {lines}"
        assert eval(compile(ast.Expression(node.value), "<block>", "eval"), names) == ast.literal_eval(expected[1])
        compared += 1
    return compared


@pytest.fixture
def longest_text(tmp_path, monkeypatch):
    """Return the folder where the aggregate function of docs/mergers.md is installed."""
    site = tmp_path / "site"
    install(site, "hoodoo-aggregate-longest-text", "longest-text = documented_longest_text", "aggregate")
    [module] = [block for block in blocks("mergers") if "hoodoo_aggregate()" in block]
    site.joinpath("documented_longest_text.py").write_text(module)
    monkeypatch.syspath_prepend(str(site))
    default_catalogue.cache_clear()
    yield site
    sys.modules.pop("documented_longest_text", None)
    default_catalogue.cache_clear()


@pytest.fixture
def names(tmp_path, longest_text):
    """Return the names for a block, `spark` and the `path` of a new table, with the function of docs/mergers.md."""
    return {"spark": SimpleNamespace(createDataFrame=data_frame), "path": str(tmp_path / "table")}


@pytest.mark.parametrize("page", IN_ORDER)
def test_the_blocks_of_a_page_run_one_after_the_other(page, names):
    results = sum(run(block, names) for block in blocks(page))

    assert results == sum(block.count("# -> ") for block in blocks(page)) > 0


@pytest.fixture
def written(tmp_path, monkeypatch, capsys):
    """Create the distribution of the page's merger with `hoodoo plugins new`, and yield its folder, as if installed."""
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit):
        main(blocks("your-own-merger", "shell")[0].splitlines()[1].split()[1:])
    capsys.readouterr()
    folder = tmp_path / "hoodoo-merger-best-score"
    install(folder / "src", "hoodoo-merger-best-score", "best-score = hoodoo_merger_best_score")
    monkeypatch.syspath_prepend(str(folder / "src"))
    yield folder
    sys.modules.pop("hoodoo_merger_best_score", None)
    default_catalogue.cache_clear()


def install(site: Path, distribution: str, point: str, family: str = "merger") -> None:
    info = site / f"{distribution.replace('-', '_')}-0.1.0.dist-info"
    info.mkdir(parents=True)
    info.joinpath("METADATA").write_text(f"Metadata-Version: 2.1\nName: {distribution}\nVersion: 0.1.0\n")
    info.joinpath("entry_points.txt").write_text(f"[hoodoo.{family}]\n{point}\n")


def pytest_in(folder: Path) -> str:
    """Return the output of pytest for a folder, whose tests must pass with its modules on the path."""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-m", "pytest", "-q", "-rA", "-p", "no:cacheprovider"],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(folder), os.environ.get("PYTHONPATH", "")])},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_configuration_of_docs_concurrency_names_a_lock_provider(tmp_path):
    [block] = blocks("concurrency")
    names: dict[str, Any] = {}
    run(block, names)
    # `describe` tries to reach the servers of the page, which do not exist
    options = {**names["options"], "hoodie.write.lock.zookeeper.connection_timeout_ms": "100"}

    found = coordination_of(
        storage_for(tmp_path),
        {"hoodie.table.name": "trips"},
        parse(options, (ConcurrencyOptions,)),
        default_catalogue(),
    )

    assert found.lock is not None
    assert "zk1:2181,zk2:2181,zk3:2181" in found.lock.provider.describe(found.lock.target)


def test_the_function_of_docs_mergers_passes_its_suite(longest_text):
    [test] = [block for block in blocks("mergers") if "AggregateSuite" in block]
    longest_text.joinpath("test_longest_text.py").write_text(test)

    output = pytest_in(longest_text)

    assert {"ASSOCIATIVE", "IDEMPOTENT", "REPLAY_SAFE"} == set(re.findall(r"::test_law\[(\w+)\]", output))
    assert re.search("^PASSED .*test_agrees_with_by_hand", output, re.MULTILINE)


def test_the_generator_with_qualifiers_passes_its_suite(tmp_path):
    [module] = [block for block in blocks("key-generators") if "hoodoo_keygen()" in block]
    install(tmp_path, "hoodoo-keygen-upper-case", "upper-case = documented_upper_case", "keygen")
    (tmp_path / "documented_upper_case.py").write_text(module)
    (tmp_path / "test_upper_case.py").write_text(
        "from hoodoo.record import KeyConfig\n"
        "from hoodoo.testing import KeyGeneratorSuite\n\n\n"
        "class TestUpperCase(KeyGeneratorSuite):\n"
        "    plugin = 'upper-case'\n"
        "    config = KeyConfig(('id',))\n"
        "    columns = {'id': 'string'}\n"
        "    values = {'id': ('a', 'A', 'b', 'aB')}\n"
    )

    assert re.search("^PASSED .*test_qualifiers_tell_keys_apart", pytest_in(tmp_path), re.MULTILINE)


def test_every_built_in_function_is_listed():
    """The table lists the columns that each function accepts, its options, and whether it supports retraction."""
    guide = (DOCS / "mergers.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (`.+`) \|(.+)\|(.*)\|(.*)\|$", guide.partition("## Aggregates")[2], re.MULTILINE)
    listed = {
        name: (takes.strip(), set(re.findall("`([a-z]+)`", options)), bool(back.strip()))
        for names, takes, options, back in rows
        for name in re.findall("`(.+?)`", names)
    }

    functions = {name: default_catalogue().make("aggregate", name, {}) for name in official_names("aggregate")}
    assert listed == {
        name: (
            function.takes,
            {option.name for option in describe_options(type(function))},
            defines(completed(function, BaseAggregateFunction), BaseAggregateFunction, "retract"),
        )
        for name, function in functions.items()
    }


def test_the_merger_of_the_page_is_the_one_that_is_written(written):
    module, _, test, *_ = blocks("your-own-merger")

    assert (written / "src/hoodoo_merger_best_score.py").read_text() == module
    assert test.partition("\n\n\n")[2] in (written / "tests/test_merger_best_score.py").read_text()


def test_the_merger_of_the_page_decides_as_the_page_says(written, names):
    assert run(blocks("your-own-merger")[3], names) == 1


def test_the_merger_that_judges_deletes_by_a_column_decides_as_the_page_says(tmp_path, monkeypatch, names):
    module, _, use = blocks("your-own-merger")[4:]
    site = tmp_path / "source"
    install(site, "hoodoo-merger-source-priority", "source-priority = documented_source_priority")
    site.joinpath("documented_source_priority.py").write_text(module)
    monkeypatch.syspath_prepend(str(site))
    default_catalogue.cache_clear()

    assert run(use, names) == 2
    sys.modules.pop("documented_source_priority", None)
    default_catalogue.cache_clear()


@pytest.mark.nightly
def test_the_mergers_of_the_page_pass_their_suites(tmp_path):
    by_column, by_row, test, _, by_source, source_test, _ = blocks("your-own-merger")
    of_readme = re.search(r'```python\n(""".*?)```', (DOCS.parent / "README.md").read_text(encoding="utf-8"), re.DOTALL)
    for name, module in (
        ("best-score", by_column),
        ("longest-note", by_row),
        ("source-priority", by_source),
        ("larger-fare", of_readme[1]),
    ):
        install(tmp_path, f"hoodoo-merger-{name}", f"{name} = documented_{name.replace('-', '_')}")
        (tmp_path / f"documented_{name.replace('-', '_')}.py").write_text(module)
    (tmp_path / "test_best_score.py").write_text(test)
    (tmp_path / "test_longest_note.py").write_text(
        test.replace("BestScore", "LongestNote").replace("best-score", "longest-note") + "    vectorised = False\n"
    )
    (tmp_path / "test_larger_fare.py").write_text(
        test.replace("BestScore", "LargerFare").replace("best-score", "larger-fare").replace("score", "fare")
        + '    vectorised = False\n    claims_no_laws = "it is the shortest"\n'
    )

    (tmp_path / "test_source_priority.py").write_text(source_test)

    output = pytest_in(tmp_path)

    assert re.search(r"^PASSED .*test_source_priority.py.*::test_a_delete_in_a_log_decides_as_in_a_batch", output, re.M)
    assert "test_best_score.py::TestBestScoreMerger::test_law[REPLAY_SAFE]" in output
    assert "test_longest_note.py::TestLongestNoteMerger::test_law[REPLAY_SAFE]" in output


def test_every_law_has_a_row_with_its_sentence():
    table = (DOCS / "laws.md").read_text(encoding="utf-8").partition("## Laws of a payload")[0]
    rows = re.findall(r"^\| `(\w+)` \| (.*?) \|", table, re.MULTILINE)

    assert dict(rows) == {law.name: law.value for law in Law}


def test_laws_of_payloads_are_those_that_they_claim():
    """The last cell of a row names the payloads that claim its law with default options, apart from `expression`."""
    part = (DOCS / "laws.md").read_text(encoding="utf-8").partition("## Laws of a payload")[2]
    cells = dict(re.findall(r"^\| `(\w+)` \|.*\| ([^|]*) ?\|$", part, re.MULTILINE))
    made = {
        name: default_catalogue().make("payload", name, {})
        for name in official_names("payload")
        if name != "expression"
    }

    assert set(cells) == {law.name for law in Law}
    for law, cell in cells.items():
        named = set(made) if cell.startswith("all except") else set(re.findall("`([a-z-]+)`", cell))
        assert named == {name for name, payload in made.items() if Law[law] in payload.laws}, law


@pytest.mark.parametrize("law", Law, ids=lambda law: law.name)
def test_laws_of_the_payload_event_time_fail_because_of_deletes(law):
    class TestWithoutDeletes(PayloadSuite):
        plugin = "event-time"
        deletes = False

    class TestWithDeletes(PayloadSuite):
        plugin = "event-time"

    check_law(TestWithoutDeletes().subject(), law)
    if law not in (Law.REPLAY_SAFE, Law.SCHEMA_LOCAL):
        with pytest.raises(pytest.fail.Exception, match=f"claims {law.name}, and it does not hold"):
            check_law(TestWithDeletes().subject(), law)


def test_the_project_file_of_the_page_is_the_one_that_is_written(written):
    project, alias = blocks("publishing-a-plugin", "toml")

    assert (written / "pyproject.toml").read_text() == project
    assert set(tomllib.loads(alias)["project"]["entry-points"]) == {"hoodoo.merger.alias"}
    modules = {*tomllib.loads(alias)["project"]["entry-points"]["hoodoo.merger.alias"].values()}
    assert modules == {tomllib.loads(project)["tool"]["flit"]["module"]["name"]}


def test_commands_are_known():
    shell = [
        line
        for page in ("your-own-merger", "publishing-a-plugin")
        for block in blocks(page, "shell")
        for line in block.splitlines()
    ]

    assert set(shell) == COMMANDS


def test_every_page_with_code_has_a_test():
    """Each page with code outside the cookbook is in a list here, because a block that is never run becomes wrong."""
    pages = {
        path.stem
        for path in DOCS.rglob("*.md")
        if COOKBOOK not in path.parents and re.search("^```(?!mermaid)\\w", path.read_text(), re.MULTILINE)
    }

    assert pages <= {*IN_ORDER, *ELSEWHERE, "your-own-merger", "publishing-a-plugin"}
