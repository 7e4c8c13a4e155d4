"""Where hoodoo and Hudi are known to differ: table, query, why. A row that is equal again fails its test."""

from __future__ import annotations

from collections.abc import Mapping

__all__ = ["DIFFERENT"]

DIFFERENT: Mapping[str, Mapping[str, str]] = {}
