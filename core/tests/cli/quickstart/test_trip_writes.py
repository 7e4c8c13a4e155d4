"""`hoodoo quickstart`, run once in a separate process; its output is compared with an independent model."""

from __future__ import annotations

import io
import json
import re
import subprocess
import sys
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from attrs import define
from rich.console import Console

from hoodoo import Table
from hoodoo.cli import main
from hoodoo.cli.quickstart.table_figures import read_back
from hoodoo.cli.quickstart.terminal_output import show
from hoodoo.cli.quickstart.trip_events import SCHEMA, TripEvents, trip_events
from hoodoo.cli.quickstart.trip_writes import MERGERS, free_folder
from hoodoo.errors import TableExists

ROWS = 300

pytestmark = [
    pytest.mark.nightly,
    pytest.mark.spark,
    pytest.mark.skipif(find_spec("pyspark") is None, reason="PySpark is not installed"),
    pytest.mark.skipif(find_spec("hoodoo_merger_event_time") is None, reason="the mergers are not installed"),
]


@define
class Run:
    """Result of a run of the quickstart: its folder, its answer as JSON, and the events that it wrote."""

    folder: Path
    answer: Mapping[str, Any]
    events: TripEvents

    @property
    def paths(self) -> dict[str, Path]:
        return {merger: self.folder / "tables" / merger for merger in MERGERS}


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    folder = tmp_path_factory.mktemp("quickstart")
    program = "from hoodoo.cli import main; main()"
    command = [sys.executable, "-c", program, "quickstart", "--json", "--rows", str(ROWS), "--path", "tables"]
    ended = subprocess.run(command, capture_output=True, text=True, cwd=folder, timeout=600)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert [entry.name for entry in folder.iterdir()] == ["tables"]
    return Run(folder, json.loads(ended.stdout), trip_events(ROWS))


def model(merger: str, events: TripEvents) -> dict[str, dict[str, Any]]:
    """Return the expected rows at the end, by trip."""
    rows = {row["trip_id"]: row for row in events.first_load.to_pylist()}
    for row in events.upserts.to_pylist():
        stored = rows.get(row["trip_id"])
        if stored is None or merger == "commit-time" or row["ts"] >= stored["ts"]:
            rows[row["trip_id"]] = row
    for row in events.deletes.to_pylist():
        del rows[row["trip_id"]]
    return rows


@pytest.mark.parametrize("merger", MERGERS)
def test_the_table_holds_what_the_model_says(run: Run, merger: str) -> None:
    rows = Table(run.paths[merger]).to_arrow(SCHEMA.names).to_pylist()
    assert {row["trip_id"]: row for row in rows} == model(merger, run.events)
    assert len(rows) == len(model(merger, run.events))


@pytest.mark.parametrize(("merger", "late_changes"), [("event-time", 0), ("commit-time", 1)])
def test_the_timeline_has_the_counts_of_each_batch(run: Run, merger: str, late_changes: int) -> None:
    table, events = run.answer["tables"][merger], run.events
    changed = len(events.updated) + len(events.tied) + late_changes * len(events.late)
    ignored = (1 - late_changes) * len(events.late)
    names = ["operation", "rows_inserted", "rows_updated", "rows_deleted", "rows_ignored"]
    assert [[commit[name] for name in names] for commit in table["commits"]] == [
        ["bulk_insert", ROWS, 0, 0, 0],
        ["upsert", len(events.new), changed, 0, ignored],
        ["delete", 0, 0, len(events.deletes), 0],
    ]
    after_upsert = ROWS + len(events.new)
    assert table["rows"] == [ROWS, after_upsert, after_upsert - len(events.deletes)]


def test_the_files_are_those_of_the_table(run: Run) -> None:
    table = run.answer["tables"]["event-time"]
    assert sum(partition["rows"] for partition in table["partitions"]) == table["rows"][-1]
    slices = Table(run.paths["event-time"]).file_slices()
    assert sum(partition["file_slices"] for partition in table["partitions"]) == len(slices)
    assert table["base_files"] == len(list(run.paths["event-time"].rglob("*.parquet"))) > len(slices)


def test_the_same_late_record_loses_under_event_time_and_wins_under_commit_time(run: Run) -> None:
    late = run.answer["late"]
    assert late["trip_id"] in run.events.late.to_pylist()
    assert late["now"]["event-time"] == late["first"]
    assert late["now"]["commit-time"]["ts"] < late["first"]["ts"]
    assert late["now"]["commit-time"]["fare"] != late["first"]["fare"]


def test_a_tie_goes_to_the_later_arrival_and_a_deleted_trip_is_gone(run: Run) -> None:
    tied, deleted = run.answer["tied"], run.answer["deleted"]
    for merger in MERGERS:
        assert tied["now"][merger]["ts"] == tied["first"]["ts"]
        assert tied["now"][merger]["status"] == "completed" != tied["first"]["status"]
    assert deleted["first"] is not None
    assert deleted["now"] == dict.fromkeys(MERGERS)


def test_the_output_contains_the_figures(run: Run) -> None:
    text = io.StringIO()
    show(read_back(run.paths, run.events), Console(file=text, width=40))
    lines = text.getvalue().splitlines()
    table = run.answer["tables"]["event-time"]
    for commit, rows in zip(table["commits"], table["rows"], strict=True):
        (line,) = [line for line in lines if line.split()[:1] == [commit["instant"]]]
        assert line.split()[1] == commit["operation"]
        assert line.split()[-1] == str(rows)
    assert sum(bool(re.match(r"  event-time .* the late record lost$", line)) for line in lines) == 1
    assert sum(bool(re.match(r"  commit-time .* the late record won$", line)) for line in lines) == 1
    assert sum(line.endswith("the later arrival won") for line in lines) == 2
    assert sum(bool(re.match(r"  \S+ +no row +the delete won$", line)) for line in lines) == 2
    assert len([line for line in lines[lines.index("Try next") + 1 :] if line]) == 3


def test_the_commands_to_try_work(run: Run) -> None:
    show_plugin, doctor, read = run.answer["next"]
    for command in (show_plugin, f"{doctor} --help", read):
        ended = subprocess.run(command, shell=True, capture_output=True, text=True, cwd=run.folder, timeout=120)
        assert (ended.returncode, ended.stderr) == (0, "")
        assert ended.stdout


def test_tables_of_an_earlier_run_are_never_replaced(
    run: Run, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["quickstart", "--path", str(run.folder / "tables")])
    assert ended.value.code == 1
    assert f"{run.folder / 'tables' / 'event-time'}' exists already" in capsys.readouterr().err
    with pytest.raises(TableExists):
        free_folder(run.folder / "tables")
    monkeypatch.chdir(tmp_path)
    assert free_folder(None) == Path("quickstart-tables/1")
    Path("quickstart-tables/1").mkdir(parents=True)
    assert free_folder(None) == Path("quickstart-tables/2")
