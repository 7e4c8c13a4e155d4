"""A table that hoodoo and another writer change in turn, with the rows that it must have."""

from __future__ import annotations

from pathlib import Path

from attrs import define, field

from hoodoo.diagnosis import Status
from hoodoo.diagnosis.metadata.validate import validate

from .test_turns import History

__all__ = ["WrittenTable"]


@define
class WrittenTable:
    """Table with its predicted rows.

    Attributes:
        folder: The folder of the table and of other files of the test.
        history: The predicted rows, and the batches.
        turns: The writes so far, for messages.
    """

    folder: Path
    history: History
    turns: list[str] = field(factory=list, init=False)

    @property
    def path(self) -> Path:
        """Return the folder of the table."""
        return self.folder / "table"

    @property
    def told(self) -> str:
        """Return the writes so far as text."""
        return "\n".join(self.turns)

    def check_entries(self) -> None:
        """Assert that `validate` finds no problem in the table and in the entries of its metadata table."""
        found = [finding for finding in validate(self.path).findings if finding.status is Status.PROBLEM]
        assert found == [], f"{found}\n{self.told}"
