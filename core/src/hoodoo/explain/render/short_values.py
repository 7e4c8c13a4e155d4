"""Values of records as JSON and as short text."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from math import isfinite
from typing import Any

__all__ = ["plain", "short"]

MOST = 60


def plain(value: Any) -> Any:
    """Return a value as JSON types; a value that is not a JSON type becomes text."""
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, (datetime, date, time)):
        return value.isoformat()
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, (Decimal, timedelta)) or (isinstance(value, float) and not isfinite(value)):
        return str(value)
    return value


def short(value: Any) -> str:
    """Return a value as text for users, shortened to `MOST` characters."""
    if isinstance(value, str):
        text = value
    elif isinstance(value, (datetime, date, time)):
        text = value.isoformat()
    elif value is None:
        text = "null"
    else:
        text = str(plain(value))
    return text if len(text) <= MOST else f"{text[: MOST - 1]}…"
