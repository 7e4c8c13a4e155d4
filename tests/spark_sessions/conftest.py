"""Fixtures for sessions that need a separate process, in which a script runs."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

JOBS = Path(__file__).parent / "jobs"

# `tox -e fast` has no PySpark, which these modules import
collect_ignore_glob = [] if find_spec("pyspark") else ["*test_*.py", "sql"]

SECONDS = 600


@pytest.fixture(scope="session")
def run_script() -> Callable[..., dict[str, Any]]:
    """Return a function that runs a script of `jobs` in another process, and returns the JSON object that it prints."""

    def run(name: str, *arguments: object) -> dict[str, Any]:
        environment = {k: v for k, v in os.environ.items() if k == "SPARK_SUBMIT_OPTS" or not k.startswith("SPARK_")}
        done = subprocess.run(
            [sys.executable, str(JOBS / name), *map(str, arguments)],
            capture_output=True,
            text=True,
            timeout=SECONDS,
            env=environment,
        )
        assert done.returncode == 0, f"{name} failed\n{done.stdout[-4000:]}\n{done.stderr[-8000:]}"
        facts: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
        return facts

    return run
