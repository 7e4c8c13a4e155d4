"""Updates are JSON patches (RFC 6902), which are applied to the document of the row in order of arrival."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

import jsonpatch
import pyarrow as pa
from attrs import frozen

from hoodoo.errors import SchemaError
from hoodoo.plugin import RowMerger, hookimpl, option
from hoodoo.record import BufferedRecord, Law, MergerConfig, RecordContext
from hoodoo.schema.columns import check_columns

__version__ = "0.1.0"

_TEXTS = pa.list_(pa.string())


@frozen
class JsonPatchMerger(RowMerger):
    """Merger of rows with a document, and of rows with patches and without a document.

    Patches that meet in a log are collected in order: they cannot be applied before they meet the document. A patch
    that does not fit the document changes nothing and is kept in the row.
    """

    document: str = option(default="document", help="Column of the JSON document; null in an update.")
    patches: str = option(default="patches", help="Column with a list of JSON patches; null in a row with a document.")
    failed: str = option(default="failed_patches", help="Column for patches that could not be applied.")

    laws = frozenset({Law.ASSOCIATIVE})

    def uses_ordering(self, config: MergerConfig) -> bool:
        """Return False: patches are applied in order of arrival."""
        return False

    def adds(self, schema: pa.Schema, config: MergerConfig) -> Iterable[pa.Field]:
        """Return the column for patches that could not be applied."""
        return () if self.failed in schema.names else (pa.field(self.failed, _TEXTS),)

    def check(self, schema: pa.Schema, config: MergerConfig) -> None:
        """Raise `SchemaError` if the columns are missing or have other types."""
        check_columns(schema, (self.document, self.patches), "options 'document' and 'patches' of 'json-patch'")
        for name, type_ in ((self.document, pa.string()), (self.patches, _TEXTS), (self.failed, _TEXTS)):
            if name in schema.names and not schema.field(name).type.equals(type_):
                raise SchemaError(
                    f"column '{name}' of merger 'json-patch' must be {type_}, not {schema.field(name).type}"
                )

    def merge(
        self, older: BufferedRecord, newer: BufferedRecord, context: RecordContext, config: MergerConfig
    ) -> BufferedRecord:
        """Return the newer document or delete, or the older record with the newer patches; a delete takes none."""
        if newer.is_delete or not self._is_update(newer):
            return newer
        if older.is_delete:
            return older
        patches = newer.data[self.patches]
        if self._is_update(older):
            return older.with_data(**{self.patches: [*older.data[self.patches], *patches]})
        document, failed = _applied(older.data[self.document], patches)
        changes: dict[str, Any] = {} if document == older.data[self.document] else {self.document: document}
        if failed:
            changes[self.failed] = [*(older.data[self.failed] or ()), *failed]
        return older.with_data(**changes) if changes else older

    def _is_update(self, record: BufferedRecord) -> bool:
        return record.data[self.document] is None and record.data[self.patches] is not None


def _applied(document: str | None, patches: Iterable[str | None]) -> tuple[str | None, list[str | None]]:
    """Return the document after the patches, and the patches that do not fit it or are not patches."""
    failed: list[str | None] = []
    for patch in patches:
        try:
            document = _patched(document, patch)
        except (ValueError, TypeError, jsonpatch.JsonPatchException, jsonpatch.JsonPointerException):
            failed.append(patch)
    return document, failed


def _patched(document: Any, patch: Any) -> str:
    value = jsonpatch.JsonPatch.from_string(patch).apply(json.loads(document))
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


@hookimpl
def hoodoo_merger() -> type[JsonPatchMerger]:
    """Return the class of the plugin."""
    return JsonPatchMerger
