"""Result of a check of `hoodoo doctor`."""

from __future__ import annotations

from attrs import frozen

from hoodoo.diagnosis.finding import Status

__all__ = ["Check", "Status"]


@frozen
class Check:
    """Result of a check.

    Attributes:
        subject: The name of the checked object, such as a package.
        status: The severity of the finding.
        found: The state that the check found, such as a version or a fault.
        advice: The advice for the user; empty if there is nothing to do.
    """

    subject: str
    status: Status
    found: str
    advice: str = ""
