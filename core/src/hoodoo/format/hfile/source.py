"""Bytes of an HFile, which is a separate file or the content of a log block."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from attrs import frozen

from hoodoo.errors import CorruptTableError
from hoodoo.format.corruption import translate_read_errors

__all__ = ["HFileDamage", "HFileSource"]


class HFileDamage(ValueError):
    """Error about invalid bytes of an HFile; `offset` is their position in the HFile."""

    def __init__(self, reason: str, offset: int) -> None:
        super().__init__(reason)
        self.offset = offset


@frozen
class HFileSource:
    """Bytes of an HFile, read on demand.

    Attributes:
        read_at: Function of an offset in the HFile and a length that returns that many bytes, or fewer at the end.
        size: Size of the HFile in bytes.
        what: Description of the HFile for messages, with its path.
        file: Table-relative path of the file that contains it.
        start: Position of the HFile in that file, in bytes.
    """

    read_at: Callable[[int, int], bytes]
    size: int
    what: str
    file: str
    start: int = 0

    def read(self, offset: int, length: int) -> bytes:
        """Return `length` bytes from an offset in the HFile.

        Raises:
            HFileDamage: The bytes are outside the HFile, or the file is too short.
        """
        if offset < 0 or length < 0 or offset + length > self.size:
            raise HFileDamage(
                f"it refers to bytes {offset} to {offset + length}, but its size is {self.size}", max(offset, 0)
            )
        found = self.read_at(offset, length)
        if len(found) != length:
            raise HFileDamage(f"it ends at byte {offset + len(found)} instead of {self.size}", offset)
        return found

    @contextmanager
    def checked(self) -> Iterator[None]:
        """Turn errors about damaged bytes into a `CorruptTableError` with description, file and, if known, offset.

        Other errors are translated as in `translate_read_errors`.
        """
        with translate_read_errors(self.what, self.file):
            try:
                yield
            except HFileDamage as error:
                raise CorruptTableError(
                    f"{self.what} is damaged at byte {self.start + error.offset}: {error}; restore it",
                    file=self.file,
                    offset=self.start + error.offset,
                ) from error
