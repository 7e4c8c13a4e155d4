"""Checks of reads of damaged files: the result must be the right rows or an error of hoodoo."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest
from attrs import define, field

from tests.damage.made_tables.kinds import Kind

from .damages import DAMAGES
from .reader import MEMORY, SECONDS, Reader

__all__ = ["Case"]

EVERY_BYTE = int(os.environ.get("HOODOO_EVERY_BYTE", "7"))
"""The tests of every bit flip the bits of every n-th byte, where n is this number; 1 flips the bits of all bytes."""


@define
class Case:
    """A table with files to damage.

    Attributes:
        kind: The kind of the files to damage, with the action that reads the table.
        root: The folder of the table.
        reader: The reader of the table.
        intact: The result for the undamaged table.
    """

    kind: Kind
    root: Path
    reader: Reader
    intact: dict[str, Any] = field(init=False)

    def __attrs_post_init__(self) -> None:
        self.intact = self.look()
        assert self.intact["outcome"] == "rows", self.intact

    def look(self) -> dict[str, Any]:
        return self.reader.ask(self.kind.action, self.root, **self.kind.arguments)

    def try_damages(self, name: str, numbers: range, replay: str) -> None:
        """Damage a random file for each number, and fail if a read is wrong.

        The seed consists of the kind, the name of the damage and the number.

        Args:
            name: The name of the damage in `DAMAGES`.
            numbers: The numbers of the damages, which are part of their seeds.
            replay: The command that repeats a damage, up to its number.
        """
        files = sorted(self.kind.files(self.root))
        assert files, f"{self.kind.name}: no files"
        failures = []
        for number in numbers:
            random = Random(f"{self.kind.name}/{name}/{number}")
            file = random.choice(files)
            body = file.read_bytes()
            file.write_bytes(DAMAGES[name](body, self.kind.spans(body), random))
            try:
                wrong = self.judge(self.look())
            finally:
                file.write_bytes(body)
            if wrong is not None:
                failures.append(f"{file.relative_to(self.root)}: {wrong}\n  replay: {replay}{number}")
        if failures:
            pytest.fail("\n".join([f"{len(failures)} of {len(numbers)}", *failures[:5]]), pytrace=False)

    def try_bodies(self, bodies: dict[str, Callable[[bytes], bytes]]) -> list[dict[str, Any]]:
        """Change the content of each file by each of the functions, return the results, and fail if a read is wrong."""
        found = []
        for file in self.kind.files(self.root):
            body = file.read_bytes()
            for what, change in bodies.items():
                file.write_bytes(change(body))
                result = self.look()
                file.write_bytes(body)
                wrong = self.judge(result)
                assert wrong is None, f"{file.name}, {what}: {wrong}"
                found.append(result)
        return found

    def try_every_bit(self, least: int) -> None:
        """Flip each bit of every `EVERY_BYTE`-th byte of the files of the kind, and fail if a read is wrong.

        Args:
            least: The least number of reads with rows, and of reads with an error, if all bytes are tried.
        """
        counts, failures = {"rows": 0, "hoodoo error": 0}, []
        then = {"action": self.kind.action, "arguments": self.kind.arguments}
        for file in sorted(self.kind.files(self.root)):
            name, body = str(file.relative_to(self.root)), file.read_bytes()
            places = itertools.chain.from_iterable(range(*span) for span in self.kind.spans(body))
            for at in itertools.islice(places, 0, None, EVERY_BYTE):
                result = self.reader.ask("flipped", self.root, file=name, at=at, then=then)
                if "found" not in result:
                    # the process has died, and the bit is still flipped
                    file.write_bytes(body)
                    failures.append(f"{name}: byte {at}: {result['outcome']}: {result['message']}")
                    continue
                for bit, found in enumerate(result["found"]):
                    wrong = self.judge({**found, "peak": result["peak"], "seconds": result["seconds"]})
                    if wrong is not None:
                        failures.append(f"{name}: byte {at}, bit {bit}: {wrong}")
                    else:
                        counts[found["outcome"]] += 1
        if failures:
            pytest.fail("\n".join([f"{len(failures)} failures, {counts}", *failures[:10]]), pytrace=False)
        assert min(counts.values()) > least / EVERY_BYTE

    def judge(self, result: dict[str, Any]) -> str | None:
        """Return what is wrong with an outcome; None if nothing is."""
        outcome = result["outcome"]
        if outcome == "hoodoo error":
            wrong = None if result["message"] else f"{result['type']} has no message"
        elif outcome != "rows":
            wrong = f"{outcome}: {result.get('type', '')} {result['message']}"
        else:
            wrong = self._compared(result)
        if wrong is None and result["peak"] > MEMORY:
            wrong = f"{result['peak'] >> 20} MB of memory were used"
        # the eight reads of `flipped` are timed together
        if wrong is None and result.get("seconds", 0) > SECONDS:
            wrong = f"{result['seconds']:.1f} s of processor time were used"
        return wrong

    def _compared(self, result: dict[str, Any]) -> str | None:
        for part in ("columns", "keys", "rows"):
            if result.get(part) != self.intact.get(part) and part not in self.kind.may_change:
                lost = set(self.intact[part]) - set(result[part])
                new = set(result[part]) - set(self.intact[part])
                return f"wrong {part}, no error: lost {sorted(lost)[:2]}, new {sorted(new)[:2]}"
        return None
