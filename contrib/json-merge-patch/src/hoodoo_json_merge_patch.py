"""Newer versions patch the JSON documents of older ones (RFC 7396), instead of replacing them."""

from __future__ import annotations

import json
from types import MappingProxyType
from typing import Any

import pyarrow as pa
from attrs import frozen

from hoodoo.errors import DataError, OptionError
from hoodoo.plugin import RowMerger, hookimpl, option
from hoodoo.record import BufferedRecord, Law, MergerConfig, RecordContext

__version__ = "0.1.0"


def _some(instance: Any, attribute: Any, value: tuple[str, ...]) -> None:
    if not value:
        raise ValueError(f"'{attribute.name}' is empty; name at least one column with JSON documents")


@frozen
class JsonMergePatch(RowMerger):
    """Merger in which the greater ordering value wins, and the documents of the winner patch those of the loser.

    A member that a patch sets to null stays in the document as null. Versions are merged with each other before they
    are merged with the stored row: without the null, the merged patch would not remove the member from that row.
    """

    columns: tuple[str, ...] = option(
        validator=_some, help="The columns with JSON documents; all other columns come from the winner."
    )

    laws = frozenset({Law.IDEMPOTENT, Law.REPLAY_SAFE, Law.DELETE_STICKY, Law.ORDERING_IS_MAX, Law.SCHEMA_LOCAL})
    reasons = MappingProxyType(
        {
            0: "the newer version, whose ordering value is not lower, replaces the older one",
            1: "the newer version is late, and does not change the older one",
            2: "the newer version patches the documents of the older one",
            3: "the newer version is late, and the older one patches its documents",
            4: "the newer version is a delete that is applied without a comparison",
            5: "the older version is a delete, and no version is compared with it",
        }
    )

    def check(self, schema: pa.Schema, config: MergerConfig) -> None:
        """Raise `OptionError` if the table lacks a column that `columns` names."""
        for name in self.columns:
            if schema.get_field_index(name) < 0:
                raise OptionError(
                    f"'columns' of merger 'json-merge-patch' names '{name}', which is not a column of the table; "
                    "correct the option"
                )

    def merge(
        self, older: BufferedRecord, newer: BufferedRecord, context: RecordContext, config: MergerConfig
    ) -> BufferedRecord:
        """Return the winner; its documents keep those members of the loser that they do not contain.

        If a version is a delete, the winner is not changed.

        Raises:
            DataError: Two different documents have to be merged, and one of them is not JSON.
        """
        result, reason = self._merged(older, newer)
        return result.because(reason) if context.explaining else result

    def _merged(self, older: BufferedRecord, newer: BufferedRecord) -> tuple[BufferedRecord, int]:
        if newer.is_delete and newer.ordering is None:
            return (older, 5) if older.is_delete and older.ordering is None else (newer, 4)
        newer_wins = not _is_less(newer.ordering, older.ordering)
        winner, loser = (newer, older) if newer_wins else (older, newer)
        if winner.is_delete or loser.is_delete:
            return winner, 0 if newer_wins else 1
        merged = {name: _patched(name, loser, winner) for name in self.columns}
        changed = {name: document for name, document in merged.items() if document != _text(name, winner)}
        if not changed:
            return winner, 0 if newer_wins else 1
        return winner.with_data(**changed), 2 if newer_wins else 3


def _is_less(one: tuple[Any, ...] | None, other: tuple[Any, ...] | None) -> bool:
    """Return whether `one` is less than `other` in the order of tables: missing < null < any value < NaN."""
    return _comparable(one) < _comparable(other)


def _comparable(ordering: tuple[Any, ...] | None) -> tuple[tuple[Any, ...], ...]:
    # only NaN differs from itself
    return tuple((0,) if v is None else (2,) if v != v else (1, v) for v in ordering or ())


def _patched(name: str, loser: BufferedRecord, winner: BufferedRecord) -> str | None:
    """Return the document of the loser, patched by that of the winner.

    If one document is null, the other one is returned unchanged; if one is not an object, that of the winner.
    """
    base, patch = _text(name, loser), _text(name, winner)
    if patch is None or base is None or base == patch:
        return base if patch is None else patch
    target, change = _parsed(name, loser), _parsed(name, winner)
    if not isinstance(target, dict) or not isinstance(change, dict):
        return patch
    return json.dumps(_members(target, change), ensure_ascii=False, separators=(",", ":"))


def _members(target: dict[str, Any], change: dict[str, Any]) -> dict[str, Any]:
    merged = dict(target)
    for name, value in change.items():
        before = target.get(name)
        both = isinstance(before, dict) and isinstance(value, dict)
        merged[name] = _members(before, value) if both else value
    return merged


def _text(name: str, record: BufferedRecord) -> str | None:
    return None if record.data is None else record.data[name]


def _parsed(name: str, record: BufferedRecord) -> Any:
    try:
        return json.loads(str(_text(name, record)), parse_constant=_refused)
    except ValueError as error:
        raise DataError(
            f"column '{name}' of the record with key '{record.key}' is not JSON: {error}; correct the document"
        ) from error


def _refused(constant: str) -> Any:
    raise ValueError(f"JSON has no number {constant}")


@hookimpl
def hoodoo_merger() -> type[JsonMergePatch]:
    """Return the class of the merger."""
    return JsonMergePatch
