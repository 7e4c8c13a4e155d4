"""Markdown page with the verdict of every configuration key of Hudi, generated from `hoodoo.options`.

`python -m hoodoo.cli.reference.hudi_page docs/hudi-keys.md` writes it; a test compares the page with the output.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from hoodoo.cli.reference.docstring_table import markdown_table
from hoodoo.cli.reference.option_page import codes
from hoodoo.options.catalog import CATALOG_KEYS
from hoodoo.options.hudi import VERDICTS, Effect, Verdict, earlier_keys, listed_keys, verdict_of
from hoodoo.options.hudi.lock_keys import LOCK_KEYS
from hoodoo.options.parsing.parse import TIMEBASED_PREFIXES, option_of

__all__ = ["all_keys", "hudi_page", "verdict_in_words"]

_INTRODUCTION = """\
Every configuration key of Apache Hudi 1.2, with its alternative names, and every key that only Hudi 1.0.2, 0.15.0 or
0.9.0 has, has a verdict:

- an **option** of hoodoo: the key has its effect ([options.md](options.md));
- **no effect**: the key tunes a part of Hudi that hoodoo does not have, and one warning (`NoEffectWarning`) names all
  such keys of a job;
- **no effect, with a notice**: the rows are the same, but an effect of the key outside the rows is missing; one warning
  per subject states the reason and the alternative;
- **refused**: the key would change rows, or what readers find. A value that agrees with the behavior of hoodoo is
  accepted.

The list of keys comes from Hudi's bundles, by reflection. A key of an option of a read has no effect on a write, and
the reverse. A star stands for any text: a key of such a name that Hudi does not have has no effect there either.

A key that is neither an option nor a key of Hudi is refused with similar names, unless it cannot change rows. It is
left out with a warning if it misspells a key without effect, or an option that has the given value by default; if it
is named as keys of catalog sync, cleaning, compaction, archiving, files or buckets; if it is a key of a read in a
write; or if it belongs to another source of Spark or to Flink. Hudi ignores all these keys as well. With
`hoodoo.unknown_keys=warn` any such key is left out. An example of a refused key is
`hoodie.datasource.read.instant.time`, which no release of Hudi has: a job that gives it expects the rows of an instant,
and Hudi returns the newest rows; the key for that is `as.of.instant`.

Some options have no effect together with others, as in Hudi, and a warning states so: partition columns with a key
generator that makes no partitions, options of timestamps with a key generator that has none, the range of commits of
a read-optimized query, and `hoodie.datasource.write.insert.drop.duplicates` with an operation that looks up no stored
key. An upsert with the payload `EmptyHoodieRecordPayload` into a table with another rule deletes the rows of its
keys, whatever their ordering values are.
`hoodoo check FILE` shows the verdicts of a job before it runs.
"""

_REFUSED_TEXT = """\
These values of options, and these kinds of jobs, are refused as well:

- operation `bootstrap` without a copy of the rows (`METADATA_ONLY`, Hudi's default), and the operations that are
  internal to Hudi (`*_prepped`);
- `hoodie.index.type` = `INMEMORY` or `FLINK_STATE`: they lose or share the keys of a process of Hudi or Flink. The
  index `HBASE`, which is not written, falls back to `global-simple`, which finds the same rows. So do `RECORD_INDEX`
  and `GLOBAL_RECORD_LEVEL_INDEX` on a table without a record index, and `RECORD_LEVEL_INDEX`, on a table without a
  partitioned one, falls back to `simple`;
- `hoodie.write.concurrency.mode` = `NON_BLOCKING_CONCURRENCY_CONTROL`, and `OPTIMISTIC_CONCURRENCY_CONTROL` without a
  lock provider on a table that Hudi made (Hudi fails for each table);
- operation `delete` without a record key: each row gets a new key, so that no row would be deleted;
- an upsert with `hoodie.combine.before.upsert` = `false` whose batch has two rows of one key: the result would depend
  on the sizes of files;
- `hoodie.populate.meta.fields` = `false` without a record key, or with a key generator of another type than `SIMPLE`,
  `COMPLEX` and `NON_PARTITION`, as in Hudi;
- `hoodie.datasource.write.drop.partition.columns` = `true` with values that a reader would not find in the partition
  path: those of a timestamp or custom key generator, empty texts, decimal numbers, times;
- `hoodie.keep.max.commits` that is not greater than `hoodie.keep.min.commits`, as in Hudi;
- a partition column or record key that is a meta column (`_hoodie_partition_path`): a write drops meta columns;
- `hoodie.datasource.query.type` with another value than `snapshot`, `read_optimized` and `incremental`, as in Hudi.

Of the half of a collection of public jobs that the tests use, 128 of 131 writes and 25 of 26 reads are accepted. The
others: a validator of Java; `hoodie.keep.max.commits` = 3 alone, which Hudi 0.15.0, 1.0.2 and 1.2.0 refuse as well,
because `hoodie.keep.min.commits` is 20; a partition column that is a meta column; one query of the type `metadata`.
"""


def hudi_page() -> str:
    """Return the page as Markdown."""
    return "\n".join(
        [
            "# Keys of Hudi",
            "",
            "<!-- Generated by `python -m hoodoo.cli.reference.hudi_page` from `hoodoo.options.hudi`. -->",
            "",
            _INTRODUCTION,
            "## Options",
            "",
            *markdown_table(("Key", "Option"), _option_rows()),
            "",
            *_section("## Refused", Effect.REFUSED, ("Keys", "Accepted values", "Reason")),
            _REFUSED_TEXT,
            *_section("## No effect, with a notice", Effect.MISSED, ("Keys", "Subject", "Reason", "Advice")),
            *_section("## No effect", Effect.NONE, ("Keys", "Subject", "Reason")),
            "## All keys",
            "",
            *markdown_table(("Key", "Verdict"), ((f"`{key}`", verdict_in_words(key)) for key in all_keys())),
            "",
        ]
    )


def all_keys() -> list[str]:
    """Return all keys and alternative names of the newest release and the keys that only earlier ones have, sorted."""
    names = [*listed_keys(), *(name for names in listed_keys().values() for name in names), *earlier_keys()]
    return sorted(set(names))


def verdict_in_words(key: str) -> str:
    """Return the verdict of a key as a short phrase.

    Raises:
        LookupError: The key has no verdict.
    """
    option = option_of(key)
    if option is not None:
        return f"option `{option}`"
    if key.startswith(TIMEBASED_PREFIXES):
        return "option of the key generator (`keygen_options`)"
    verdict = verdict_of(key)
    if verdict is not None:
        return f"{verdict.effect.value}: {verdict.subject}"
    if LOCK_KEYS.fullmatch(key):
        return "option of the lock provider (`lock_options`)"
    if CATALOG_KEYS.fullmatch(key):
        return "option of the catalog provider (`catalog_options`)"
    raise LookupError(f"key '{key}' has no verdict; add it to the verdicts in hoodoo.options.hudi")


def _option_rows() -> Iterator[tuple[str, str]]:
    for key in all_keys():
        option = option_of(key)
        if option is not None:
            yield f"`{key}`", f"`{option}`"


def _section(title: str, effect: Effect, head: tuple[str, ...]) -> Iterator[str]:
    yield title
    yield ""
    yield from markdown_table(head, (_cells(verdict, head) for verdict in VERDICTS if verdict.effect is effect))
    yield ""


def _cells(verdict: Verdict, head: tuple[str, ...]) -> list[str]:
    ignored = [f"`{value}` (no effect, with a warning)" for value in verdict.ignored]
    cells = {
        "Keys": codes(sorted(verdict.keys)),
        "Accepted values": ", ".join([*(f"`{value}`" for value in verdict.same), *ignored]) or "none",
        "Subject": verdict.subject,
        "Reason": verdict.reason,
        "Advice": verdict.advice,
    }
    return [cells[name] for name in head]


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(hudi_page())
