"""Detection of damage in `hoodie.properties`, whose checksum covers only two entries.

A missing entry has a default. Without this check, a damaged key or two joined lines would silently give the table
another merge rule or another timeline.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from hoodoo.errors import CorruptTableError
from hoodoo.properties.property_keys import (
    ARCHIVE_FOLDER,
    BASE_FILE_FORMAT,
    COMPAT,
    CREATE_SCHEMA,
    DELETE_RULE,
    DROP_PARTITION_COLUMNS,
    HISTORY_PATH,
    HIVE_STYLE,
    KEYGEN_CLASS,
    KEYGEN_TYPE,
    LAYOUT_VERSION,
    MERGE_MODE,
    MERGER,
    OLD_STRATEGY_ID,
    ORDERING_FIELDS,
    PARTIAL_UPDATE_MODE,
    PARTITION_FIELDS,
    PAYLOAD,
    PAYLOAD_CLASS,
    PAYLOAD_ORDERING,
    POPULATE_META_FIELDS,
    PRECOMBINE_FIELD,
    RECORD_KEY_FIELDS,
    RULE_OPTIONS,
    STRATEGY_ID,
    TABLE_CHECKSUM,
    TIMELINE_PATH,
    TIMEZONE,
)
from hoodoo.schema.consistency import looks_like

__all__ = ["check_undamaged"]

# bytes that the writer escapes; blanks, line ends and form feeds are not damage
_CONTROL = re.compile(rb"[\0-\x08\x0b\x0e-\x1f\x7f]")
_WRITERS = (b"#Properties saved on ", b"#Updated at ")

_READ = frozenset(
    {
        ARCHIVE_FOLDER,
        PAYLOAD_CLASS,
        OLD_STRATEGY_ID,
        DROP_PARTITION_COLUMNS,
        HIVE_STYLE,
        PAYLOAD_ORDERING,
        POPULATE_META_FIELDS,
        MERGE_MODE,
        STRATEGY_ID,
        BASE_FILE_FORMAT,
        TABLE_CHECKSUM,
        CREATE_SCHEMA,
        KEYGEN_CLASS,
        KEYGEN_TYPE,
        ORDERING_FIELDS,
        PARTIAL_UPDATE_MODE,
        PARTITION_FIELDS,
        PRECOMBINE_FIELD,
        RECORD_KEY_FIELDS,
        TIMEZONE,
        HISTORY_PATH,
        LAYOUT_VERSION,
        TIMELINE_PATH,
        COMPAT,
        DELETE_RULE,
        MERGER,
        PAYLOAD,
        RULE_OPTIONS,
    }
)
"""Optional keys that a read uses."""


def check_undamaged(body: bytes, entries: Mapping[str, str], file: str) -> None:
    """Raise `CorruptTableError` if a properties file is damaged.

    Args:
        body: The content of the file.
        entries: The parsed entries.
        file: The table-relative path of the file, for the message.
    """
    damage = _in_text(body, entries) or _in_keys(entries)
    if damage is not None:
        raise CorruptTableError(f"'{file}' is damaged: {damage}; restore the file", file=file)


def _in_text(body: bytes, entries: Mapping[str, str]) -> str | None:
    control = _CONTROL.search(body)
    if control is not None:
        return f"a control character at byte {control.start()}"
    # Hudi and hoodoo always write a line end and a checksum; only a file written by hand may lack them
    if body.startswith(_WRITERS):
        if not body.endswith(b"\n"):
            return "it ends within a line"
        if TABLE_CHECKSUM not in entries:
            return f"it has no '{TABLE_CHECKSUM}'"
    return None


def _in_keys(entries: Mapping[str, str]) -> str | None:
    """Return a description of a key that occurs only in a damaged form or within another entry; None without one."""
    unknown = [key for key in entries if key not in _READ]
    # without a separator a whole line is a key
    texts = "\n".join([*entries.values(), *entries])
    for key in sorted(_READ - entries.keys()):
        for other in unknown:
            if looks_like(key, other) or _begins(other, key):
                return f"'{other}' looks like a damaged '{key}'"
        if f"{key}=" in texts:
            return f"'{key}' occurs within another entry"
    return None


def _begins(text: str, key: str) -> bool:
    """Return whether a text is a known key with a value but without the separator between them."""
    return text.startswith(key) and text[len(key)] not in ".abcdefghijklmnopqrstuvwxyz_"
