"""The command `hoodoo check`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from hoodoo.cli import app, main

OPTIONS = {"hoodie.table.name": "t", "hoodie.datasource.write.recordkey.field": "id"}
REFUSED = "hoodie.allow.operation.metadata.field"
JOBS = [
    {"id": "good", "options": OPTIONS, "columns": {"id": "string"}},
    {
        "id": "bad",
        "kind": "write",
        "mode": "append",
        "options": {**OPTIONS, REFUSED: "true"},
    },
]


def file_with(folder: Path, content: object) -> str:
    file = folder / "jobs.json"
    file.write_text(json.dumps(content))
    return str(file)


def test_a_dictionary_of_options(tmp_path: Path) -> None:
    done = CliRunner().invoke(app, ["check", file_with(tmp_path, {**OPTIONS, "hoodie.metrics.on": "true"})])
    assert done.exit_code == 0
    assert done.stdout.splitlines()[0] == "jobs.json: accepted"
    assert "notice: metrics (hoodie.metrics.on)" in done.stdout


def test_a_list_of_jobs(tmp_path: Path) -> None:
    done = CliRunner().invoke(app, ["check", file_with(tmp_path, JOBS)])
    assert done.exit_code == 1
    lines = done.stdout.splitlines()
    assert lines[:2] == ["good: accepted", "bad: not accepted"]
    assert lines[2].startswith("  blocker: option 'hoodie.allow.operation.metadata.field' cannot be 'true'")
    assert lines[-1] == "1 of 2 jobs accepted"


def test_one_object_per_job_as_json(tmp_path: Path) -> None:
    done = CliRunner().invoke(app, ["check", file_with(tmp_path, JOBS), "--json"])
    found = [json.loads(line) for line in done.stdout.splitlines()]
    assert [sorted(entry) for entry in found] == [["accepted", "blockers", "id", "notices"]] * 2
    assert [(entry["id"], entry["accepted"]) for entry in found] == [("good", True), ("bad", False)]


def test_a_job_and_a_table(tmp_path: Path) -> None:
    job = {"options": {"operation": "delete", **OPTIONS}}
    done = CliRunner().invoke(app, ["check", file_with(tmp_path, job), "--table", str(tmp_path / "none")])
    assert done.exit_code == 1
    assert "no Hudi table" in done.stdout


@pytest.mark.parametrize(("content", "message"), [("{", "is not JSON"), ("5", "expected an object or a list")])
def test_a_file_of_another_form(tmp_path: Path, capsys: pytest.CaptureFixture[str], content: str, message: str) -> None:
    (tmp_path / "jobs.json").write_text(content)
    with pytest.raises(SystemExit):
        main(["check", str(tmp_path / "jobs.json")])
    assert message in capsys.readouterr().err


def test_a_file_that_is_not_there(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["check", str(tmp_path / "none.json")])
    assert "cannot be read" in capsys.readouterr().err
