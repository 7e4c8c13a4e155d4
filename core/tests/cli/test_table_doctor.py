"""`hoodoo table doctor`: its output, its document and its exit codes."""

from __future__ import annotations

import io
import json

import pyarrow as pa
import pytest
from rich.console import Console

from hoodoo.cli import main
from hoodoo.cli.doctor.check_result import Check, Status
from hoodoo.cli.doctor.rendering import print_checks
from hoodoo.testing.engine import write_arrow

OPTIONS = {"table_name": "t", "record_key": "id", "timeline_timezone": "UTC"}


@pytest.fixture
def path(tmp_path):
    write_arrow(pa.table({"id": ["a", "b"], "v": [1, 2]}), tmp_path / "t", OPTIONS)
    return tmp_path / "t"


@pytest.fixture
def run(capsys):
    def run(*arguments):
        with pytest.raises(SystemExit) as caught:
            main(["table", "doctor", *map(str, arguments)])
        out, err = capsys.readouterr()
        return caught.value.code, out, err

    return run


def test_a_healthy_table_exits_with_0_and_shows_no_progress_without_a_terminal(run, path):
    code, out, err = run(path)
    assert (code, err) == (0, "")
    assert out.startswith(f"{path.as_uri()}\nok       version ")
    assert "2 rows: no key occurs twice" in out
    assert "not examined" not in out
    assert out.rstrip().splitlines()[-1].endswith(" ok")


def test_a_problem_exits_with_1_and_names_the_place_and_the_advice(run, path):
    write_arrow(pa.table({"id": ["a"], "v": [3]}), path, {**OPTIONS, "operation": "insert"})
    code, out, _ = run(path)
    assert code == 1
    lines = out.splitlines()
    number = next(n for n, line in enumerate(lines) if line.startswith("problem  duplicate keys"))
    assert lines[number + 1].strip().endswith("partition '', key 'a'")
    assert lines[number + 2].strip().startswith("-> delete these keys")
    assert lines[-1].startswith("1 problem, ")


def test_the_document_has_status_findings_and_what_was_not_examined(run, path):
    code, out, _ = run(path, "--json", "--no-rows")
    document = json.loads(out)
    assert code == 0
    assert document["path"] == path.as_uri()
    assert document["not_examined"] == ["rows: repeated keys, record keys and partition paths"]
    assert {"check", "status", "found", "advice", "places"} == set(document["findings"][0])


def test_options_and_sample_are_passed(run, path):
    code, out, _ = run(path, "--sample", 1, "-o", "operation=delete")
    assert code == 0
    assert "delete: accepted" in out
    assert "rows after the first 1 of each file group" in out


def test_wrong_usage(run, path, tmp_path):
    assert run(path, "--sample", 0)[0] == 2
    assert run(path, "-o", "novalue")[0] == 1
    code, _, err = run(tmp_path / "nothing")
    assert (code, err.startswith("error: no Hudi table")) == (1, True)


def test_a_terminal_shows_long_names_in_full():
    shown = io.StringIO()
    console = Console(file=shown, force_terminal=True, width=40, color_system=None, markup=False)
    print_checks(console, [Check("files", Status.INFO, "x" * 100, "advice")])
    assert shown.getvalue().count("x") == 100
    assert "→ advice" in shown.getvalue()
