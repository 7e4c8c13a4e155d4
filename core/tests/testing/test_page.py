"""Every block of docs/testing-a-plugin.md has the result that the page describes."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

PAGE = Path(__file__).resolve().parents[3] / "docs" / "testing-a-plugin.md"
PLUGIN, TEST, REPLACED, DIFFERENCES, CASES, IN_A_TABLE = range(6)


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder in which the plugin of the page is installed."""
    info = tmp_path / "hoodoo_merger_best_score-1.0.dist-info"
    info.mkdir()
    info.joinpath("METADATA").write_text("Metadata-Version: 2.1\nName: hoodoo-merger-best-score\nVersion: 1.0\n")
    info.joinpath("entry_points.txt").write_text("[hoodoo.merger]\nbest-score = hoodoo_merger_best_score\n")
    tmp_path.joinpath("hoodoo_merger_best_score.py").write_text(blocks("python")[PLUGIN])
    return tmp_path


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(folder), os.environ.get("PYTHONPATH", "")])}
    command = [sys.executable, "-W", "error", "-m", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder, env=environment)


def pytest_in(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return run(folder, "pytest", "-q", "-p", "no:cacheprovider", *arguments)


@pytest.mark.nightly
def test_the_plugin_of_the_page_passes_its_test(folder: Path) -> None:
    folder.joinpath("test_best_score.py").write_text(blocks("python")[TEST])
    folder.joinpath("test_replaced.py").write_text(blocks("python")[REPLACED])

    done = pytest_in(folder, "-rA")

    assert done.returncode == 0, done.stdout + done.stderr
    assert "test_law[REPLAY_SAFE]" in done.stdout


@pytest.mark.nightly
def test_a_law_too_many_fails_as_the_page_says(folder: Path) -> None:
    module = folder / "hoodoo_merger_best_score.py"
    module.write_text(module.read_text().replace("Law.DELETE_STICKY}", "Law.DELETE_STICKY, Law.ORDER_INDEPENDENT}"))
    folder.joinpath("test_best_score.py").write_text(blocks("python")[TEST])

    done = pytest_in(folder, "-k", "test_law and ORDER_INDEPENDENT")

    assert done.returncode == 1
    assert blocks("text")[0] in done.stdout


@pytest.mark.nightly
def test_the_differences_of_the_page_are_all_there_are(folder: Path) -> None:
    folder.joinpath("test_paths.py").write_text(blocks("python")[DIFFERENCES])

    done = pytest_in(folder, "-k", "test_paths_agree or test_listed", "-rA")

    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("PASSED") == 2


def test_the_constants_of_the_page_are_all_there_are() -> None:
    from hoodoo.testing import differences

    named = re.findall(r"^\| `([A-Z_]+)` \|", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert set(named) == set(differences.__all__) - {"Difference", "entry_problem", "traits"}


def test_the_cases_of_the_page_pass(folder: Path) -> None:
    folder.joinpath("test_cases.py").write_text(blocks("python")[CASES])

    done = pytest_in(folder)

    assert done.returncode == 0, done.stdout + done.stderr


def test_the_vectors_of_the_page_pass(folder: Path) -> None:
    folder.joinpath("FILE.json").write_text(blocks("json")[0])

    done = run(folder, "hoodoo.testing.vectors", "FILE.json")

    assert (done.returncode, done.stdout) == (0, "1 passed, 0 failed\n"), done.stderr


@pytest.mark.nightly
def test_the_table_of_the_page_holds_the_better_scores(folder: Path) -> None:
    folder.joinpath("test_in_a_table.py").write_text(blocks("python")[IN_A_TABLE])

    done = pytest_in(folder)

    assert done.returncode == 0, done.stdout + done.stderr


def test_every_block_is_run() -> None:
    every = re.findall(r"```(\w+)\n", PAGE.read_text(encoding="utf-8"))

    assert sorted(every) == sorted(["shell", "text", "json", *["python"] * 6])


def test_every_test_and_attribute_of_the_suites_is_on_the_page() -> None:
    from hoodoo import testing

    suites = [getattr(testing, name) for name in testing.__all__ if name.endswith("Suite")]
    assert len(suites) == 7
    homes = {home for suite in suites for home in suite.__mro__ if home.__module__.startswith("hoodoo.testing")}
    tests = {name for home in homes for name in vars(home) if name.startswith("test_")}
    attributes = {name for home in homes for name in home.__annotations__ if not name.startswith("_")}
    named = set(re.findall(r"`(\w+)", PAGE.read_text(encoding="utf-8")))
    beginnings = tuple(name for name in named if name.startswith("test_") and name.endswith("_"))

    assert {name for name in tests if name not in named and not name.startswith(beginnings)} == set()
    assert attributes - {"family", "plugin"} <= named
