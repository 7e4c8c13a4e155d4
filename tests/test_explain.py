"""`Table.explain` and `hoodoo table explain`: the four questions, on tables of ours and of Apache Hudi's."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import hoodoo
from hoodoo.cli import main
from hoodoo.errors import OptionError
from hoodoo.explain.text import QUESTIONS
from hoodoo.merge import Rule
from hoodoo.record import MergerConfig, RecordContext
from hoodoo.testing.engine import write_arrow

OPTIONS = {"table_name": "t", "record_key": "id", "partition_by": "part", "ordering": "ts"}
Run = Callable[..., tuple[int, str, str]]


def batch(*rows: tuple[str, int, str], part: str = "x", deleted: bool = False) -> pa.Table:
    ids, times, texts = (list(column) for column in zip(*rows, strict=True))
    flags = [deleted] * len(rows)
    return pa.table({"id": ids, "part": [part] * len(rows), "ts": times, "v": texts, "_hoodie_is_deleted": flags})


@pytest.fixture(params=["COPY_ON_WRITE", "MERGE_ON_READ"])
def table_type(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return tmp_path / "t"


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    def run(*arguments: object) -> tuple[int, str, str]:
        code = 0
        try:
            main([str(argument) for argument in arguments])
        except SystemExit as ended:
            code = int(ended.code or 0)
        return code, *capsys.readouterr()

    return run


def write(place: Path, rows: pa.Table, **options: Any) -> str:
    instant = write_arrow(rows, place, OPTIONS | options).instant
    assert instant is not None
    return instant


def asked(place: Path, question: str, key: str = "a") -> str:
    answer = hoodoo.Table(place).explain(key).answer(question)
    assert answer is not None
    return answer


def test_versions_decisions_and_winner_of_a_merge(place: Path) -> None:
    first = write(place, batch(("a", 5, "first"), ("b", 1, "b")), table_type="MERGE_ON_READ")
    late = write(place, batch(("a", 3, "late")))
    newest = write(place, batch(("a", 7, "newest")))

    explained = hoodoo.Table(place).explain("a")

    [trace] = explained.current
    assert [(v.place, v.commit, v.ordering, v.data and v.data["v"]) for v in trace.versions] == [
        ("base", first, {"ts": 5}, "first"),
        ("log", late, {"ts": 3}, "late"),
        ("log", newest, {"ts": 7}, "newest"),
    ]
    assert [(d.stage, d.older, d.newer, d.choice) for d in trace.decisions] == [
        ("logs", 2, 3, "take"),
        ("base", 1, 3, "take"),
    ]
    assert {d.reason for d in trace.decisions} == {"the newer version has the greater ordering value"}
    assert trace.winners == {3}
    assert explained.rows[0]["v"] == "newest"
    assert "version 3 wins: the newer version has the greater ordering value" in asked(place, "why_this_one")


def test_a_late_record_lost_and_the_rule_says_why(place: Path) -> None:
    write(place, batch(("a", 5, "first")), table_type="MERGE_ON_READ")
    write(place, batch(("a", 3, "late")))

    assert "and version 1 stays: the newer version has the lower ordering value: it came late" in asked(
        place, "why_this_one"
    )


def test_a_payload_overwrites_and_says_why(place: Path) -> None:
    options = {"table_type": "MERGE_ON_READ", "payload": "overwrite-with-latest"}
    write(place, batch(("a", 5, "first")), **options)
    write(place, batch(("a", 3, "late")), **options)

    explained = hoodoo.Table(place).explain("a")

    assert explained.rows[0]["v"] == "late"
    assert explained.current[0].decisions[-1].reason == "the newer arrival wins; ordering values are not compared"
    orders = explained.answer("which_field_orders") or ""
    assert "Readers and compaction merge logs by merger 'commit-time'" in orders
    assert "ts (hoodie.table.precombine.field) is stored and not compared" in orders
    assert "Writers merge by payload 'overwrite-with-latest'" in orders


def test_columns_that_the_rule_sets_are_named(place: Path) -> None:
    options = {"table_type": "MERGE_ON_READ", "merger": "null-partial", "ordering": None}
    write(place, batch(("a", 5, "first")).drop_columns("_hoodie_is_deleted"), **options)
    half = pa.table({"id": ["a"], "part": ["x"], "ts": [6], "v": pa.nulls(1, pa.string())})
    write(place, half, **options)

    [trace] = hoodoo.Table(place).explain("a").current

    assert trace.decisions[0].changed["v"] == "first"
    assert trace.results[0].merged == ("v",)
    assert "Not its own are the values of v" in asked(place, "why_this_one")


def test_a_lost_tombstone_is_named(place: Path, table_type: str) -> None:
    write(place, batch(("a", 5, "first"), ("b", 1, "b")), table_type=table_type)
    deleted = write(place, batch(("a", 9, "gone"), deleted=True))
    explained = hoodoo.Table(place).explain("a")
    assert explained.found
    assert not explained.rows
    assert explained.answer("why_back") is None
    compaction = hoodoo.Table(place).compact()
    back = write(place, batch(("a", 8, "back")))

    explained = hoodoo.Table(place).explain("a")

    assert explained.rows[0]["v"] == "back"
    [lost] = explained.lost
    assert lost.commit == deleted
    answer = explained.answer("why_back") or ""
    assert f"Commit {deleted} (upsert) deleted it" in answer
    assert f"commit {back} (upsert), ts = 8) came after that" in answer
    if table_type == "MERGE_ON_READ":
        assert compaction is not None
        assert lost.dropped_by == compaction.instant
        assert lost.version is not None
        assert lost.version.ordering == {"ts": 9}
        assert f"'{lost.version.file}' at byte {lost.version.offset}" in answer
        assert f"Commit {compaction.instant} (compact)" in answer
    else:
        assert lost.version is None
        assert "keeps no tombstone" in answer


def test_a_tombstone_that_is_there_decides(place: Path) -> None:
    write(place, batch(("a", 5, "first")), table_type="MERGE_ON_READ")
    write(place, batch(("a", 9, "gone"), deleted=True))
    write(place, batch(("a", 8, "late")))

    explained = hoodoo.Table(place).explain("a")
    assert explained.rows == ()
    assert explained.lost == ()
    gone = explained.answer("why_gone") or ""
    assert "version 2 (ts = 9, a delete)" in gone
    assert "version 2 stays: the newer version has the lower ordering value" in gone

    write(place, batch(("a", 10, "again")))
    assert asked(place, "why_back").startswith("A delete of it is there and lost: version 4 (ts = 10) met version 2")


def test_what_the_cleaner_took_cannot_be_known(place: Path, table_type: str) -> None:
    keep = {"commits_retained": 1, "clean_after_commits": 1} if table_type == "COPY_ON_WRITE" else {}
    first = write(place, batch(("a", 5, "first"), ("b", 1, "b")), table_type=table_type, **keep)
    write(place, batch(("a", 9, "gone"), deleted=True), **keep)
    hoodoo.Table(place).compact()
    for time in range(10, 14):
        write(place, batch(("a", time, "back"), ("b", time, "b")), **keep)
        hoodoo.Table(place).compact()
    hoodoo.Table(place).clean(clean_policy="KEEP_LATEST_FILE_VERSIONS", file_versions_retained=1)

    explained = hoodoo.Table(place).explain("a")

    assert explained.lost == ()
    assert explained.cleaned[0] == first
    assert "Whether something did cannot be known: the files of " in (explained.answer("why_back") or "")


def test_two_rows_in_two_partitions(place: Path, table_type: str) -> None:
    write(place, batch(("a", 1, "here")), table_type=table_type)
    write(place, batch(("a", 2, "there"), part="y"))

    explained = hoodoo.Table(place).explain("a")

    assert sorted(row["v"] for row in explained.rows) == ["here", "there"]
    answer = explained.answer("why_two_rows") or ""
    assert "partition 'x'" in answer
    assert "partition 'y'" in answer
    assert "A key is unique within its partition only" in answer
    assert [row["v"] for row in hoodoo.Table(place).explain("a", partition="y").rows] == ["there"]


def test_two_rows_in_one_base_file(place: Path, table_type: str) -> None:
    write(place, batch(("a", 1, "one"), ("a", 2, "two")), table_type=table_type, operation="bulk_insert")
    assert "Within one file group it stands more than once" in asked(place, "why_two_rows")

    write(place, batch(("a", 3, "both")))
    explained = hoodoo.Table(place).explain("a")
    assert [row["v"] for row in explained.rows] == ["both", "both"]
    assert len(explained.current[0].results) == 2


def test_two_rows_in_two_file_groups(place: Path) -> None:
    options = {"operation": "insert", "small_file_limit": 0}
    write(place, batch(("a", 1, "one")), **options)
    write(place, batch(("a", 2, "two")), **options)

    assert "Within a partition it stands in several file groups" in asked(place, "why_two_rows")


def test_a_replaced_file_group_is_named(place: Path) -> None:
    write(place, batch(("a", 1, "one")))
    replaced = write(place, batch(("b", 1, "b")), operation="insert_overwrite")

    explained = hoodoo.Table(place).explain("a")

    assert explained.rows == ()
    assert [hidden.replaced_by for hidden in explained.hidden] == [replaced]
    assert f"commit {replaced} (insert_overwrite) replaced its file group" in (explained.answer("why_gone") or "")


def test_an_older_row_than_its_base_file(place: Path) -> None:
    first = write(place, batch(("a", 5, "first"), ("b", 1, "b")))
    second = write(place, batch(("a", 3, "late"), ("b", 2, "b")))

    answer = asked(place, "why_this_one")

    assert f"row of commit {first}" in answer
    assert f"Commit {second} (upsert) wrote the base file anew and left the row as it was" in answer


def test_as_of_an_instant(place: Path, table_type: str) -> None:
    first = write(place, batch(("a", 5, "first")), table_type=table_type)
    write(place, batch(("a", 7, "later")))

    table = hoodoo.Table(place)

    assert table.explain("a", as_of=first).rows[0]["v"] == "first"
    assert table.explain("a").rows[0]["v"] == "later"
    with pytest.raises(OptionError):
        table.explain("a", as_of="yesterday")


def test_a_rule_without_reasons_gets_a_sentence(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from hoodoo_merger_event_time import EventTime

    monkeypatch.setattr(EventTime, "reasons", {})
    write(place, batch(("a", 5, "first")), table_type="MERGE_ON_READ")
    write(place, batch(("a", 7, "later")))

    [decision] = hoodoo.Table(place).explain("a").current[0].decisions

    assert re.fullmatch(r"merger 'event-time' \(.*\) takes the newer version, and gives no reason", decision.reason)
    assert decision.code is None


@pytest.mark.parametrize(
    "name",
    [
        "quickstart_trips_table_mor_avro__v8_trips_8i3u1d",
        "quickstart_trips_table_mor_avro__v6_trips_8i1u",
        "sample_table_mor_parquet__v6_complexkeygen_hivestyle",
        "sample_table_mor_parquet__v6_nonpartitioned_rollback",
        "sample_table_mor_avro__v9_timebasedkeygen_nonhivestyle",
        "sample_table_mor_avro__v9_txns_complex_meta",
        "sample_table_cow__v9_txns_complex_nometa",
        "sample_table_cow__v6_simplekeygen_nonhivestyle_overwritetable",
    ],
)
def test_real_tables(name: str, real_table: Callable[[str], Path]) -> None:
    table = hoodoo.Table(real_table(name))
    rows = table.to_arrow().to_pylist()
    assert rows
    for key, partition in {(row["_hoodie_record_key"], row["_hoodie_partition_path"]) for row in rows}:
        mine = [r for r in rows if (r["_hoodie_record_key"], r["_hoodie_partition_path"]) == (key, partition)]
        explained = table.explain(key, partition)
        assert sorted(map(repr, explained.rows)) == sorted(map(repr, mine))
        assert explained.answer("why_this_one")
        assert (explained.answer("why_two_rows") is not None) == (len(mine) > 1)
        json.loads(explained.to_json())
        drawn(explained._repr_html_())


def test_a_table_without_meta_columns(real_table: Callable[[str], Path]) -> None:
    table = hoodoo.Table(real_table("sample_table_cow__v6_simplekeygen_hivestyle_no_metafields"))
    row = table.to_arrow().to_pylist()[0]

    explained = table.explain(row["id"])

    assert list(explained.rows) == [row]
    assert explained.current[0].versions[0].commit is None
    assert "no meta column names" in (explained.answer("why_this_one") or "")


def test_a_delete_in_a_real_table(real_table: Callable[[str], Path]) -> None:
    """Hudi deleted two of eight trips; what their log blocks say is all that is left of them."""
    table = hoodoo.Table(real_table("quickstart_trips_table_mor_avro__v8_trips_8i3u1d"))
    live = {row["_hoodie_record_key"] for row in table.to_arrow().to_pylist()}
    first = table.timeline.commits[0].time
    gone = {row["_hoodie_record_key"] for row in table.to_arrow(as_of=first).to_pylist()} - live
    assert len(gone) == 2
    for key in gone:
        explained = table.explain(key)
        versions = [v for t in (*explained.current, *explained.earlier) for v in t.versions]
        assert explained.rows == ()
        assert any(version.delete for version in versions)
        assert explained.answer("why_gone")


def drawn(html: str) -> ET.Element:
    return ET.fromstring(html.replace("<details open ", "<details "))


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
    assert "version 2 met version 1: take: the newer version has the greater ordering value" in out
    assert "Which field orders?" in out
    assert "[bold]later" in out

    code, out, err = run("table", "explain", place, "a", "--partition", "elsewhere")
    assert code == 1
    assert err == f"error: record key 'a' is in no file of {place}\n"
    assert "No file of partition 'elsewhere' that is still there holds the record key 'a'" in out

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
        *("cleaned", "commits", "searched", "answers", "found"),
    }
    [trace] = found["current"]
    assert set(trace) == {
        *("partition", "file_id", "base_instant", "is_current", "versions", "decisions", "results"),
    }
    assert [set(v) for v in trace["versions"]] == [
        {"number", "place", "commit", "file", "offset", "row", "delete", "ordering", "data"}
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
    page = (Path(__file__).resolve().parents[1] / "docs/explain.md").read_text(encoding="utf-8")
    write(place, batch(("t1", 5, "first")), table_type="MERGE_ON_READ")
    write(place, batch(("t1", 7, "later")))
    names: dict[str, Any] = {"path": place}

    for block in re.findall(r"```python\n(.*?)```", page, re.DOTALL):
        exec(block, names)

    printed = capsys.readouterr().out
    assert "2 met 1 take the newer version has the greater ordering value" in printed
    assert "versions are ordered by ts (hoodie.table.precombine.field)" in printed
    assert names["why"].rows[0]["v"] == "later"
    assert set(re.findall(r"^\| `(why_\w+|which_\w+)`", page, re.MULTILINE)) == set(QUESTIONS)
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
