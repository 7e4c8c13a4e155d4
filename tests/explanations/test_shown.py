"""Output of explain: the picture, the command line, JSON, and the page."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import hoodoo
from hoodoo.explain.render.text_view import QUESTIONS
from hoodoo.merge import Rule
from hoodoo.record import MergerConfig, RecordContext

from .explaining import Run, batch, drawn, write


def test_html_is_escaped_and_has_no_scripts(place: Path) -> None:
    evil = "<script>alert('&')</script>"
    write(place, batch((evil, 5, "<b>bold</b>")), table_type="MERGE_ON_READ")
    write(place, batch((evil, 6, evil)))

    html = hoodoo.Table(place).explain(evil)._repr_html_()

    names = {element.tag.rpartition("}")[2] for element in drawn(html).iter()}
    assert {"svg", "path", "rect", "circle", "table"} <= names
    assert not names & {"script", "b" + "old", "style", "link", "img"}
    assert "&lt;script&gt;" in html
    assert not re.search(r"https?://(?!www\.w3\.org/2000/svg)", html)


def test_the_command_line(place: Path, run: Run) -> None:
    write(place, batch(("a", 5, "first")), table_type="MERGE_ON_READ")
    write(place, batch(("a", 7, "[bold]later")))

    code, out, err = run("table", "explain", place, "a")
    assert (code, err) == (0, "")
    assert "version 2 against version 1: take: the newer version has the greater ordering value" in out
    assert "Which field orders?" in out
    assert "[bold]later" in out

    code, out, err = run("table", "explain", place, "a", "--partition", "elsewhere")
    assert code == 1
    assert err.startswith(f"error: no searched file of {place} has the record key 'a'; check --partition, ")
    assert "No existing file of partition 'elsewhere' has the record key 'a'" in out

    assert run("table", "explain", place)[0] == 2
    assert run("table", "explain", place, "a", "--what")[0] == 2
    code, _, err = run("table", "explain", place / "nowhere", "a")
    assert code == 1
    assert err.startswith("error: ")


def test_json_on_the_command_line(place: Path, run: Run) -> None:
    write(place, batch(("a", 5, "first")), table_type="MERGE_ON_READ")
    write(place, batch(("a", 9, "gone"), deleted=True))

    code, out, _ = run("table", "explain", place, "a", "--json")

    found = json.loads(out)
    assert code == 0
    assert set(found) == {
        *("table", "key", "partition", "as_of", "rules", "settings", "current", "earlier", "lost", "hidden"),
        *("cleaned", "commits", "searched", "statements", "answers", "found"),
    }
    [trace] = found["current"]
    assert set(trace) == {
        *("partition", "file_id", "base_instant", "is_current", "versions", "decisions", "results"),
        "other_paths",
    }
    assert [set(v) for v in trace["versions"]] == [
        {"number", "place", "commit", "file", "offset", "row", "delete", "ordering", "data", "stored_names"}
    ] * 2
    assert trace["versions"][1]["delete"] in ("flagged", "key_only")
    assert trace["decisions"] == [
        {
            "stage": "base",
            "older": 1,
            "newer": 2,
            "choice": "take",
            "changed": {},
            "reason": "the newer version has the greater ordering value",
            "code": 0,
        }
    ]
    assert trace["results"] == []
    assert [answer["question"] for answer in found["answers"]] == ["why_gone", "which_field_orders"]
    assert run("table", "explain", place, "nobody", "--json")[0] == 1


def test_the_page_does_what_it_says(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = (Path(__file__).resolve().parents[2] / "docs/explain.md").read_text(encoding="utf-8")
    write(place, batch(("t1", 5, "first")), table_type="MERGE_ON_READ")
    write(place, batch(("t1", 7, "later")))
    names: dict[str, Any] = {"path": place}

    for block in re.findall(r"```python\n(.*?)```", page, re.DOTALL):
        exec(block, names)

    printed = capsys.readouterr().out
    assert "2 met 1 take the newer version has the greater ordering value" in printed
    assert "versions are ordered by ts (hoodie.table.precombine.field)" in printed
    assert names["why"].rows[0]["v"] == "later"
    assert set(re.findall(r"^\| `(why_\w+|which_\w+|other_\w+)`", page, re.MULTILINE)) == set(QUESTIONS)
    schema = pa.schema([("id", pa.string()), ("price", pa.int64())])
    rule = Rule.of_merger(names["Cheaper"](), "merger 'cheaper'", MergerConfig())
    ids = list("abcdef")
    rows = [(ids, [1, 5, 1, None, 7, None]), (ids, [2, 4, None, 3, None, 1])]
    deletes = [[5], [4]]
    sources = [
        rule.incoming(table, schema, table["id"].combine_chunks(), np.isin(np.arange(6), gone))
        for table, gone in zip((pa.table(list(r), schema=schema) for r in rows), deletes, strict=True)
    ]
    older, newer = (source.records() for source in sources)
    outcome = rule.log.merge(older, newer, RecordContext(schema, explaining=True), MergerConfig())
    assert outcome.choice.tolist() == [0, 1, 0, 1, 1, 0]
    assert outcome.reason is not None
    assert [rule.log.reasons[code] for code in outcome.reason] == [
        "the newer version is not cheaper",
        "the newer version is cheaper",
        "the newer version is not cheaper",
        "the newer version is cheaper",
        "a delete outranks prices",
        "a delete outranks prices",
    ]


def test_the_other_commands_of_a_table(place: Path, run: Run) -> None:
    instant = write(place, batch(("a", 5, "first")))

    [found] = json.loads(run("table", "timeline", place, "--json")[1])
    assert (found["time"], found["action"], found["state"]) == (instant, "commit", "completed")
    [found] = json.loads(run("table", "files", place, "--json")[1])
    assert (found["partition"], found["base_instant"], found["logs"]) == ("x", instant, [])
    shown = json.loads(run("table", "show", place, "--json")[1])
    assert shown["columns"]["ts"] == "int64"
    assert shown["properties"]["hoodie.table.name"] == "t"
    assert run("table", "compact", place)[1] == "there are no logs to compact\n"
    write(place, batch(("a", 6, "second")))
    write(place, batch(("a", 7, "third")))
    [cleaned] = json.loads(run("table", "clean", place, "--commits-retained", "1", "--json")[1])["files"]
    assert instant in cleaned
    assert run("table", "clean", place)[1] == "there is nothing to clean\n"
    for command in ("show", "timeline", "files"):
        code, out, err = run("table", command, place)
        assert (code, err) == (0, "")
        assert out
