"""Signs of damage in `hoodie.properties`, whose checksum covers two of its entries only.

An entry that is missing has a default. So a damaged key, or a line that ran into another, would quietly give the table
another merge rule or another timeline.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from hoodoo.errors import CorruptTableError
from hoodoo.schema.consistency import looks_like

__all__ = ["check_undamaged"]

# bytes that the writer escapes; blanks, line ends and form feeds are no damage
_CONTROL = re.compile(rb"[\0-\x08\x0b\x0e-\x1f\x7f]")
_WRITERS = (b"#Properties saved on ", b"#Updated at ")
_ALWAYS = "hoodie.table.checksum"

_READ = frozenset(
    {
        "hoodie.archivelog.folder",
        "hoodie.compaction.payload.class",
        "hoodie.compaction.record.merger.strategy",
        "hoodie.datasource.write.drop.partition.columns",
        "hoodie.datasource.write.hive_style_partitioning",
        "hoodie.payload.ordering.field",
        "hoodie.populate.meta.fields",
        "hoodie.record.merge.mode",
        "hoodie.record.merge.strategy.id",
        "hoodie.table.base.file.format",
        "hoodie.table.checksum",
        "hoodie.table.create.schema",
        "hoodie.table.keygenerator.class",
        "hoodie.table.keygenerator.type",
        "hoodie.table.ordering.fields",
        "hoodie.table.partial.update.mode",
        "hoodie.table.partition.fields",
        "hoodie.table.precombine.field",
        "hoodie.table.recordkey.fields",
        "hoodie.table.timeline.timezone",
        "hoodie.timeline.history.path",
        "hoodie.timeline.layout.version",
        "hoodie.timeline.path",
        "hoodoo.compat",
        "hoodoo.delete_rule",
        "hoodoo.merger",
        "hoodoo.payload",
        "hoodoo.rule.options",
    }
)
"""Keys that decide what is read, and that a table may lack."""


def check_undamaged(body: bytes, entries: Mapping[str, str], file: str) -> None:
    """Raise `CorruptTableError` where a file of properties shows that it is damaged.

    Args:
        body: The file.
        entries: What it was parsed to.
        file: Its path, for the message.
    """
    damage = _in_text(body, entries) or _in_keys(entries)
    if damage is not None:
        raise CorruptTableError(f"'{file}' is damaged: {damage}; restore the file", file=file)


def _in_text(body: bytes, entries: Mapping[str, str]) -> str | None:
    control = _CONTROL.search(body)
    if control is not None:
        return f"a control character at byte {control.start()}"
    # people who write the file by hand may leave things out, Hudi and we do not
    if body.startswith(_WRITERS):
        if not body.endswith(b"\n"):
            return "it ends within a line"
        if _ALWAYS not in entries:
            return f"it has no '{_ALWAYS}'"
    return None


def _in_keys(entries: Mapping[str, str]) -> str | None:
    """A key that is not there, but in a damaged form or within another entry."""
    unknown = [key for key in entries if key not in _READ]
    for key in sorted(_READ - entries.keys()):
        for other in unknown:
            if looks_like(key, other) or _begins(other, key):
                return f"'{other}' looks like a damaged '{key}'"
        if any(f"{key}=" in value for value in _texts(entries)):
            return f"'{key}' stands within another entry"
    return None


def _begins(text: str, key: str) -> bool:
    """Whether a key has run into its value."""
    return text.startswith(key) and text[len(key)] not in ".abcdefghijklmnopqrstuvwxyz_"


def _texts(entries: Mapping[str, str]) -> Iterable[str]:
    yield from entries.values()
    # without a separator a whole line is a key
    yield from entries.keys()
