"""`tox -e fast` runs where PySpark is missing: no module that it collects imports PySpark."""

from __future__ import annotations

import shlex
import subprocess
import sys
from configparser import RawConfigParser
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

WITHOUT_SPARK = "import sys, pytest; sys.modules['pyspark'] = None; sys.exit(pytest.main(sys.argv[1:]))"


@pytest.mark.nightly
def test_the_tests_of_fast_are_collected_without_pyspark():
    tox = RawConfigParser()
    tox.read(ROOT / "tox.ini")
    words = shlex.split(tox["testenv:fast"]["commands"])
    chosen = words[words.index("-m", words.index("pytest")) + 1]

    collection = subprocess.run(
        [
            sys.executable,
            "-c",
            WITHOUT_SPARK,
            "--collect-only",
            "-q",
            "-m",
            chosen,
            "core/tests",
            "plugins",
            "contrib",
            "tests",
        ],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )

    assert collection.returncode == 0, collection.stdout[-4000:] + collection.stderr[-4000:]
    assert "tests/repository/test_fast_environment.py" not in collection.stdout
    assert "core/tests/schema/" in collection.stdout
