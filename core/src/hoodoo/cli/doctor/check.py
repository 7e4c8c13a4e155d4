"""What one check of `hoodoo doctor` found."""

from __future__ import annotations

from enum import StrEnum

from attrs import frozen

__all__ = ["Check", "Status"]


class Status(StrEnum):
    """How a check ended. A `problem` keeps hoodoo from working, a `warning` only some of it."""

    OK = "ok"
    WARNING = "warning"
    PROBLEM = "problem"


@frozen
class Check:
    """One finding: `subject` is what was looked at, `advice` what to do about it ("" for nothing)."""

    subject: str
    status: Status
    found: str
    advice: str = ""
