"""Choice of the reader of each split: Spark's own Parquet reader or Python workers, and the reason for workers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from attrs import frozen

from hoodoo.reading import ChangeSplit, Plan, Split
from hoodoo.spark.scan.schema_match import unreadable_instants
from hoodoo.spark.workers.divided_slices import is_worth_dividing
from hoodoo.storage import Storage
from hoodoo.timeline import Timeline

__all__ = ["ReaderChoice"]

_MOST_REASONS = 3


@frozen
class ReaderChoice:
    """Splits of a plan by their reader.

    Attributes:
        plain: The splits whose base file Spark's Parquet reader reads.
        in_part: The divided splits: Spark's reader reads the unchanged base rows, workers the other rows.
        by_workers: The splits that Python workers read.
        why: The reason for workers, as `explain()` shows it; "" without such splits.
    """

    plain: Sequence[Split]
    in_part: Sequence[Split]
    by_workers: Sequence[Split]
    why: str

    @classmethod
    def of(cls, storage: Storage, timeline: Timeline, plan: Plan) -> ReaderChoice:
        """Return the choice for a plan, with at least one split, whose files the session can read.

        Args:
            storage: The table's files.
            timeline: The timeline, which has the schemas of commits.
            plan: The plan, whose splits are assigned to readers.
        """
        candidates = [split for split in plan.splits if split.is_plain or split.is_divisible]
        misfits = unreadable_instants(storage, timeline, candidates, plan.splits[0].read_schema)
        plain: list[Split] = []
        in_part: list[Split] = []
        others: list[tuple[Split, str]] = []
        for split in plan.splits:
            reason = _reason(split, misfits)
            if reason is not None:
                others.append((split, reason))
            elif split.is_plain:
                plain.append(split)
            else:
                in_part.append(split)
        if not is_worth_dividing(plan, in_part):
            others = [*((split, "with logs") for split in in_part), *others]
            in_part = []
        return cls(plain, in_part, [split for split, _ in others], _text([reason for _, reason in others]))

    @classmethod
    def all_by_workers(cls, plan: Plan, reason: str) -> ReaderChoice:
        """Return the choice for a plan whose files the session cannot read."""
        return cls((), (), plan.splits, f"{_slices(len(plan.splits))}: {reason}")


def _reason(split: Any, misfits: Mapping[str, str]) -> str | None:
    """Return the reason why workers read a split; None if Spark's reader can read it, at least in part."""
    if isinstance(split, ChangeSplit):
        return "with changes of rows"
    if split.is_lance:
        return "with a base file in Lance format"
    if not split.is_plain and not split.is_divisible:
        if split.merge is not None:
            return "with logs"
        return "without values of partition columns" if split.from_path else "with names from before a column's change"
    if split.file_slice.size == 0:
        # Spark skips empty files; a worker raises an error for them
        return "with an empty base file"
    misfit = misfits.get(split.file_slice.base_instant)
    return None if misfit is None else f"with {misfit}"


def _text(reasons: Sequence[str]) -> str:
    found = Counter(reasons).most_common()
    texts = [f"{_slices(count)} {reason}" for reason, count in found[:_MOST_REASONS]]
    if len(found) > _MOST_REASONS:
        texts.append(f"{sum(count for _, count in found[_MOST_REASONS:])} for other reasons")
    return "; ".join(texts)


def _slices(count: int) -> str:
    return f"{count} file slice{'s' * (count != 1)}"
