"""Shared merge vectors, and the command that runs them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from hoodoo.plugin import default_catalogue
from hoodoo.testing.vectors import main, run_vectors

SHARED = Path(os.environ.get("HOODOO_SHARED") or Path(__file__).resolve().parents[4] / "shared") / "data"
VECTORS = SHARED / "vectors" / "merge-vectors.json"

WITHOUT_VECTORS = {
    ("delete", "ignore-delete"),
    ("delete", "none"),
    ("keygen", "uuid"),
    ("merger", "json-merge-patch"),
    ("merger", "per-column-event-time"),
}
"""Plugins without reference vectors: random ones, and those that Hudi does not have."""

PASSING = {
    "id": "A1",
    "kind": "merger",
    "name": "event_time",
    "compat": "1.1",
    "mode": "log",
    "config": {"ordering_fields": "ts"},
    "schema": {"id": "string", "ts": "long?", "v": "string?"},
    "stored": {"id": "1", "ts": 1, "v": "a"},
    "incoming": [{"id": "1", "ts": 2, "v": "b"}],
    "expect": {"result": {"id": "1", "ts": 2, "v": "b"}},
}
WRONG = PASSING | {"id": "A2", "expect": {"result": {"id": "1", "ts": 1, "v": "a"}}}
MISSING = PASSING | {"id": "A3", "name": "not_there"}


@pytest.fixture(scope="module")
def vectors() -> list[dict[str, Any]]:
    if not VECTORS.exists():
        pytest.skip(f"no merge vectors at {VECTORS}")
    return json.loads(VECTORS.read_text(encoding="utf-8"))  # type: ignore[no-any-return]


def test_all_vectors_of_installed_plugins_pass(vectors: list[dict[str, Any]]) -> None:
    families = {vector["kind"] for vector in vectors}
    installed = {(info.family, info.name) for info in default_catalogue().list() if info.family in families}
    ours = [v for v in vectors if (v["kind"], v["name"].replace("_", "-")) in installed]

    assert {(v["kind"], v["name"].replace("_", "-")) for v in ours} == installed - WITHOUT_VECTORS
    assert run_vectors(ours) == []


def test_the_command_says_what_failed_and_how_many(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A vector whose plugin is not installed fails."""
    file = tmp_path / "vectors.json"
    file.write_text(json.dumps([PASSING, WRONG, MISSING]))

    status = main([str(file)])

    lines = capsys.readouterr().out.splitlines()
    assert status == 1
    assert lines[0].startswith("A2: expected {'result': {'id': '1', 'ts': 1, 'v': 'a'}}")
    assert "'ts': 2" in lines[1]
    assert lines[2].startswith("A3: expected")
    assert "unknown_plugin" in lines[3]
    assert lines[-1] == "1 passed, 2 failed"


@pytest.mark.slow
def test_the_command_as_a_process(tmp_path: Path) -> None:
    file = tmp_path / "vectors.json"
    file.write_text(json.dumps([PASSING]))

    command = [sys.executable, "-W", "error", "-m", "hoodoo.testing.vectors", str(file)]
    plain = subprocess.run(command, capture_output=True, text=True, check=False)
    as_json = subprocess.run([*command, "--json"], capture_output=True, text=True, check=False)

    assert (plain.returncode, plain.stdout, plain.stderr) == (0, "1 passed, 0 failed\n", "")
    assert json.loads(as_json.stdout) == {"passed": 1, "failed": 0, "failures": []}
