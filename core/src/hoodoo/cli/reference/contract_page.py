"""Markdown page of the objects and functions that plugins use, generated from their docstrings.

`python -m hoodoo.cli.reference.contract_page docs/plugin-objects.md` writes it; a test compares the page with the
output.
"""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import FunctionType
from typing import Any

from attrs import frozen

from hoodoo import keys
from hoodoo.cli.reference.docstring_table import WIDTH, class_lines, function_lines
from hoodoo.plugin import (
    BaseAggregateFunction,
    BaseCatalogProvider,
    BaseDeleteRule,
    BaseKeyGenerator,
    BaseLockProvider,
    BaseMerger,
    BasePayload,
    CatalogColumn,
    CatalogPartition,
    CatalogTable,
    CommitSummary,
    HeldLock,
    LockTarget,
    LoneKey,
    MergeMode,
    PartialUpdate,
    RowMerger,
    RowPayload,
    Substitute,
    option,
)
from hoodoo.plugin.helpers import (
    batch_order,
    column_function,
    ordering_reasons,
    partial_update,
    sequence,
    version_pairs,
)
from hoodoo.record import (
    BufferedRecord,
    Choice,
    DeleteContext,
    KeyConfig,
    MergerConfig,
    Operation,
    Ordering,
    Outcome,
    RecordContext,
    Records,
    check_orderable,
)
from hoodoo.schema import columns
from hoodoo.writing.commit import Commit

__all__ = ["GROUPS", "Group", "contract_page"]

_INTRODUCTION = """\
This page lists what the methods of a plugin receive, what they return, and the functions that help to write them. Names
of the first four sections are in `hoodoo.record` and `hoodoo.plugin`; other modules are named. A member in a class of a
plugin is optional unless its text states that it is required. [hooks.md](hooks.md) explains the contract of each family
with examples, and the [cookbook](cookbook/README.md) has complete rules.
"""


@frozen
class Group:
    """A section of the page.

    Attributes:
        title: The heading.
        text: A paragraph below it.
        classes: The classes of objects that a plugin receives or returns.
        bases: The base classes of plugins, with the members that a plugin may have.
        functions: Functions by the module that plugins import them from.
    """

    title: str
    text: str
    classes: Sequence[type] = ()
    bases: Sequence[type] = ()
    functions: Sequence[tuple[str, Sequence[Callable[..., Any]]]] = ()


def _public(module: object) -> list[Callable[..., Any]]:
    names = sorted(getattr(module, "__all__", ()))
    return [value for name in names if isinstance(value := getattr(module, name), FunctionType)]


GROUPS = (
    Group(
        "Mergers and payloads",
        "A method receives `Records`, the `RecordContext` and the `MergerConfig`, and returns an `Outcome`. Masks are "
        "numpy arrays of booleans, and columns are Arrow arrays.",
        (Records, Ordering, Outcome, Choice, MergerConfig, RecordContext, Operation),
        (BaseMerger, BasePayload),
        (("hoodoo.record", (check_orderable,)),),
    ),
    Group(
        "Mergers and payloads in row form",
        "A method receives one `BufferedRecord` per version, and returns one.",
        (BufferedRecord,),
        (RowMerger, RowPayload),
    ),
    Group(
        "Key generators",
        "A method receives a `pyarrow.Table` of incoming rows and the `KeyConfig`, and returns one text per row. The "
        "functions of `hoodoo.keys` make keys and paths as Hudi does. `DEFAULT_PARTITION` is the path of null values. "
        "`ARRIVAL` is the column with the arrival number of a row, for a generator that creates keys, and "
        "`PARTITION_BITS` is the number of its bits below the number of the input partition.",
        (KeyConfig, LoneKey),
        (BaseKeyGenerator,),
        (("hoodoo.keys", _public(keys)),),
    ),
    Group(
        "Delete rules",
        "A method receives a `pyarrow.Table` of incoming rows and the `DeleteContext`, and returns a boolean per row.",
        (DeleteContext,),
        (BaseDeleteRule,),
    ),
    Group(
        "Aggregate functions",
        "A method receives Arrow arrays of the type of a column, and returns one. A merger calls functions through "
        "`ColumnFunction` of `hoodoo.plugin.helpers.column_function`, which checks what they return.",
        (column_function.ColumnFunction,),
        (BaseAggregateFunction,),
    ),
    Group(
        "Lock providers",
        "A method receives a `LockTarget`, and `try_acquire` returns a lock with the methods of `HeldLock`.",
        (LockTarget, HeldLock),
        (BaseLockProvider,),
    ),
    Group(
        "Catalog providers",
        "A method receives a `CatalogTable`, and the partitions of the table as `CatalogPartition`.",
        (CatalogTable, CatalogColumn, CatalogPartition),
        (BaseCatalogProvider,),
    ),
    Group(
        "Commit hooks",
        "A pre-commit hook receives the table and a `CommitSummary`, a post-commit hook the table and the `Commit` "
        "that the write returns (`hoodoo.Commit`).",
        (CommitSummary, Commit),
    ),
    Group(
        "Declarations",
        "A plugin declares its entries in table properties with these objects, and its options with `option`.",
        (MergeMode, PartialUpdate, Substitute),
        (),
        (("hoodoo.plugin", (option,)),),
    ),
    Group(
        "Helpers of rules",
        "Functions that built-in rules share. Bases that built-in payloads share: a subclass of `LatestPayload` (of "
        "`hoodoo.plugin.helpers.latest_payload`) takes the incoming record, one of `GreatestPayload` "
        "(`greatest_payload`) the greater ordering value, one of `SequencePayload` (`sequence`) the greater sequence "
        "of change data.",
        (version_pairs.Pairs,),
        (),
        (
            ("hoodoo.schema.columns", _public(columns)),
            *(
                (f"hoodoo.plugin.helpers.{module.__name__.rpartition('.')[2]}", _public(module))
                for module in (partial_update, ordering_reasons, batch_order, sequence, version_pairs)
            ),
        ),
    ),
)


def contract_page() -> str:
    """Return the page as Markdown."""
    note = "<!-- Generated by `tox -e sync` from the docstrings of `hoodoo`. -->"
    lines = ["# What plugins receive and return", "", note, "", _INTRODUCTION]
    return "\n".join([*lines, *(line for group in GROUPS for line in _section(group))])


def _section(group: Group) -> Iterator[str]:
    yield f"## {group.title}"
    yield ""
    yield textwrap.fill(group.text, WIDTH)
    yield ""
    for cls in group.classes:
        yield f"### `{cls.__name__}`"
        yield ""
        yield from class_lines(cls)
        yield ""
    for cls in group.bases:
        yield f"### Members of a class like `{cls.__name__}`"
        yield ""
        yield from class_lines(cls)
        yield ""
    for module, functions in group.functions:
        yield f"### Functions of `{module}`"
        yield ""
        yield from function_lines(functions)
        yield ""


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(contract_page(), encoding="utf-8")
