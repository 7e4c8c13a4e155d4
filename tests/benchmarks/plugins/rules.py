"""Merge rules without a table: versions folded per second by one process, and the cost of the row form.

The program prints one line of JSON per case, with the best of several runs and the target: versions or pairs per
second, or the seconds for a key with many versions.
The exit code is 1 if a case misses its target.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
import warnings
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pyarrow as pa
from attrs import frozen

from hoodoo.merge import Rule
from hoodoo.merge.fold import HotKeyWarning
from hoodoo.plugin import RowMerger, default_catalogue
from hoodoo.record import BufferedRecord, Law, MergerConfig, Outcome, RecordContext, Records
from hoodoo.record.ordering import Ordering

ROW_FORM, PARTIAL, HOT_KEY_SECONDS = 150_000, 1_000_000, 1.0
HOT_KEY = 10_000
GROUPS = {"sequence_groups": {"s1": ["i1", "i2", "d1"], "s2": ["d2", "t1", "t2"]}}
LAST = {"agg": "last-non-null-value", "ignore_retract": True}
SUMS = {"default_agg": "max", "fields": {name: {"agg": "sum"} for name in ("i1", "d1")} | {"t1": LAST, "t2": LAST}}
PARTIAL_RULES: Mapping[str, tuple[str, str, Mapping[str, Any]]] = {
    "null-partial": ("merger", "null-partial", {}),
    "sequence-group": ("merger", "sequence-group", GROUPS),
    "commit-time-partial": ("merger", "commit-time-partial", {"partial": "ignore-defaults"}),
    "event-time-partial": ("merger", "event-time-partial", {"partial": "ignore-defaults"}),
    "per-column-event-time": ("merger", "per-column-event-time", {}),
    "partial-update": ("payload", "partial-update", {}),
}
HOT_RULES: Mapping[str, tuple[str, str, Mapping[str, Any]]] = {
    "commit-time": ("merger", "commit-time", {}),
    "event-time": ("merger", "event-time", {}),
    "first-value": ("merger", "first-value", {}),
    "deduplicate": ("merger", "deduplicate", {}),
    "null-partial": ("merger", "null-partial", {}),
    "sequence-group": ("merger", "sequence-group", GROUPS),
    "aggregate": ("merger", "aggregate", SUMS),
    "per-column-event-time": ("merger", "per-column-event-time", {}),
}


class LargerByRow(RowMerger):
    """Rule by which the larger value wins, one record at a time."""

    laws = frozenset({Law.IDEMPOTENT, Law.REPLAY_SAFE})

    def merge(
        self, older: BufferedRecord, newer: BufferedRecord, context: RecordContext, config: MergerConfig
    ) -> BufferedRecord:
        """Return the record with the larger value; the newer one of two equal values."""
        return newer if newer.data["i2"] >= older.data["i2"] else older


class AddingByRow(RowMerger):
    """Rule that changes two columns of the newer record in every pair."""

    laws = frozenset({Law.ASSOCIATIVE})

    def merge(
        self, older: BufferedRecord, newer: BufferedRecord, context: RecordContext, config: MergerConfig
    ) -> BufferedRecord:
        """Return the newer record with a sum and the larger of two numbers."""
        before, now = older.data, newer.data
        return newer.with_data(i1=before["i1"] + now["i1"], i2=max(before["i2"], now["i2"]))


@frozen
class Larger:
    """Rule by which the larger value wins, on columns."""

    laws = frozenset({Law.IDEMPOTENT, Law.REPLAY_SAFE})

    def merge(self, older: Records, newer: Records, context: RecordContext, config: MergerConfig) -> Outcome:
        """Return TAKE if the newer value is at least the older one, otherwise KEEP."""
        ours, theirs = (Ordering.of(("i2",), (side.column("i2"),), len(side)) for side in (newer, older))
        return Outcome.take_where(ours.compare(theirs) >= 0)


def main() -> None:
    """Run the benchmark and print its results."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--versions", type=int, default=1_000_000)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--only", nargs="*", default=["row", "partial", "hot"], choices=["row", "partial", "hot"])
    arguments = parser.parse_args()
    results = []
    if "row" in arguments.only:
        results += row_form(arguments.versions, arguments.runs)
    if "partial" in arguments.only:
        results += partial_rules(arguments.versions, arguments.runs)
    if "hot" in arguments.only:
        results += hot_key(arguments.runs)
    sys.exit(any(result["short"] for result in results))


def row_form(versions: int, runs: int) -> list[dict[str, Any]]:
    """Return the pairs per second of rules in the row form and on columns; each key has two versions.

    The pairs are folded, as in a write, or only decided.
    """
    pairs = versions // 2
    table, keys = data(versions, counts=np.full(pairs, 2))
    config = MergerConfig(record_key=("id",))
    speeds, results = {}, []
    for name, merger, least in (
        ("row form, one column read", LargerByRow(), ROW_FORM),
        ("row form, two columns changed", AddingByRow(), ROW_FORM),
        ("on columns, one column read", Larger(), 0),
    ):
        rule = Rule.of_merger(merger, name, config)
        folded, alone = (pairs / best(runs, call) for call in (folding(rule, table, keys), deciding(rule, table, keys)))
        speeds[name] = folded, alone
        speed = {"pairs_per_second": round(folded), "decided_per_second": round(alone)}
        results.append(shown(case=name, **speed, least=least, short=folded < least))
    by_row, by_column = speeds["row form, one column read"], speeds["on columns, one column read"]
    price = {"folded": round(by_column[0] / by_row[0], 1), "decided": round(by_column[1] / by_row[1], 1)}
    results.append(shown(case="price of the row form, times", **price, short=False))
    return results


def partial_rules(versions: int, runs: int) -> list[dict[str, Any]]:
    """Return the versions per second of partial rules; a key has up to four versions, with nulls in six columns."""
    rng = np.random.default_rng(1)
    counts = rng.integers(1, 5, versions)
    counts = counts[: int(np.searchsorted(np.cumsum(counts), versions))]
    table, keys = data(versions, counts)
    results = []
    for name, rule in rules(PARTIAL_RULES).items():
        seconds = best(runs, folding(rule, with_its_columns(rule, table), keys))
        speed = table.num_rows / seconds
        results.append(shown(case=name, versions_per_second=round(speed), least=PARTIAL, short=speed < PARTIAL))
    return results


def hot_key(runs: int) -> list[dict[str, Any]]:
    """Return the seconds for one key with 10,000 versions and 10,000 keys with one; associative rules have a limit."""
    table, keys = data(2 * HOT_KEY, counts=np.r_[HOT_KEY, np.ones(HOT_KEY, dtype=np.int64)])
    results = []
    for name, rule in rules(HOT_RULES).items():
        claimed = Law.ASSOCIATIVE in rule.batch.laws
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", HotKeyWarning)
            seconds = best(runs, folding(rule, with_its_columns(rule, table), keys))
        short = claimed and seconds > HOT_KEY_SECONDS
        results.append(
            shown(
                case=f"hot key: {name}",
                seconds=round(seconds, 3),
                associative=claimed,
                most=HOT_KEY_SECONDS,
                short=short,
            )
        )
    return results


def rules(chosen: Mapping[str, tuple[str, str, Mapping[str, Any]]]) -> dict[str, Rule]:
    """Return the rules whose plugin is installed."""
    catalogue = default_catalogue()
    installed = {(info.family, info.name) for info in catalogue.list()}
    config = MergerConfig(record_key=("id",), ordering=("ts",))
    found = {}
    for name, (family, plugin, options) in chosen.items():
        if (family, plugin) not in installed:
            print(f"{family} '{plugin}' is not installed, and left out", file=sys.stderr)
            continue
        make = Rule.of_merger if family == "merger" else Rule.of_payload
        found[name] = make(catalogue.make(family, plugin, options), plugin, config)
    return found


def data(versions: int, counts: np.ndarray) -> tuple[pa.Table, pa.Array]:
    """Return versions of keys in random order of arrival, and their record keys.

    `counts` has the number of versions of each key.
    """
    rng = np.random.default_rng(2)
    owner = rng.permutation(np.repeat(np.arange(len(counts)), counts))
    n = len(owner)

    def some(values: Any, type_: pa.DataType) -> pa.Array:
        return pa.array(values, type_, mask=rng.random(n) < 0.3)

    keys = pa.array([f"{key:012x}" for key in owner.tolist()])
    words = pa.array([f"text number {number}" for number in range(1000)])
    table = pa.table(
        {
            "id": keys,
            "ts": rng.permutation(n),
            "s1": some(rng.integers(0, 1000, n), pa.int64()),
            "s2": some(rng.integers(0, 1000, n), pa.int64()),
            "i1": rng.integers(0, 1000, n),
            "i2": rng.integers(0, 2**40, n),
            "d1": some(rng.random(n), pa.float64()),
            "d2": some(rng.random(n), pa.float64()),
            "t1": words.take(some(rng.integers(0, 1000, n), pa.int64())),
            "t2": words.take(some(rng.integers(0, 1000, n), pa.int64())),
        }
    )
    return table, keys


def with_its_columns(rule: Rule, table: pa.Table) -> pa.Table:
    """Return the table with the columns that the rule adds, which have no values."""
    adds = getattr(rule.batch.merger, "adds", None)
    for field in () if adds is None else adds(table.schema, rule.config):
        table = table.append_column(field, pa.nulls(table.num_rows, field.type))
    return table


def folding(rule: Rule, table: pa.Table, keys: pa.Array) -> Callable[[], Any]:
    """Return a function that folds the versions and collects the columns of the result, as a write does."""

    def run() -> None:
        deletes = np.zeros(table.num_rows, dtype=bool)
        records = rule.fold(rule.incoming(table, table.schema, keys, deletes))
        for name in table.column_names:
            records.column(name)

    return run


def deciding(rule: Rule, table: pa.Table, keys: pa.Array) -> Callable[[], Any]:
    """Return a function that decides each pair of versions, and does nothing else."""
    source = rule.incoming(table, table.schema, keys, np.zeros(table.num_rows, dtype=bool))
    older, newer = np.arange(table.num_rows).reshape(2, -1)
    return lambda: rule.combine(source.records(older), source.records(newer))


def best(runs: int, call: Callable[[], Any]) -> float:
    """Return the processor time of the fastest run in seconds, because the machine may be shared."""
    seconds = []
    for _ in range(runs):
        start = time.process_time()
        call()
        seconds.append(time.process_time() - start)
    return min(seconds)


def shown(**result: Any) -> dict[str, Any]:
    """Print a result and return it."""
    print(json.dumps(result), flush=True)
    return result


if __name__ == "__main__":
    main()
