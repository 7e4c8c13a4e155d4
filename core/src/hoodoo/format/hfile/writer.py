"""Writer of HFiles of version 3, in the form of Hudi 1.x."""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping
from itertools import pairwise

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
from attrs import define, field

from hoodoo.errors import DataError
from hoodoo.format.avro.numpy_arrays import int64s
from hoodoo.format.hfile.block import DATA, FILE_INFO, META, ROOT_INDEX, Codec, compressed, encode_block
from hoodoo.format.hfile.cells import Cells, cell_key, encode_cells
from hoodoo.format.hfile.index import IndexEntry, encode_root
from hoodoo.format.hfile.reader import LAST_KEY
from hoodoo.format.hfile.trailer import Trailer, encode_info

__all__ = ["BLOCK_BYTES", "HFileWriter", "hfile_bytes"]

BLOCK_BYTES = 1024 * 1024
"""Size in bytes of a data block before compression, as in Hudi's metadata table."""

_INT = struct.Struct(">i")
_LONG = struct.Struct(">q")


@define
class HFileWriter:
    """Writer of an HFile: cells are appended in the order of their keys, and `close` writes the index.

    The index has one level for any number of blocks: no writer of Hudi 1.x writes more, and each reader accepts it.

    Attributes:
        write: Function that receives the bytes, in order.
        codec: Compression of the blocks.
        block_bytes: Maximum size of a data block in bytes before compression. A single cell, or all cells with the same
            key, may exceed it.
        created: Creation time in milliseconds since 1970, for the file info.
    """

    write: Callable[[bytes], object]
    codec: Codec = Codec.GZIP
    block_bytes: int = BLOCK_BYTES
    created: int = 0
    _offset: int = field(init=False, default=0)
    _entries: list[IndexEntry] = field(init=False, factory=list)
    _pending: list[Cells] = field(init=False, factory=list)
    _pending_bytes: int = field(init=False, default=0)
    _last: bytes | None = field(init=False, default=None)
    _count: int = field(init=False, default=0)
    _key_bytes: int = field(init=False, default=0)
    _value_bytes: int = field(init=False, default=0)
    _data_bytes: int = field(init=False, default=0)

    def append(self, cells: Cells) -> None:
        """Append cells, whose keys must not be less than the keys before them.

        Raises:
            DataError: A key is too long, a key or a value is null, or the keys are not in ascending order. The
                lengths and the order of keys that stay pending are checked by a later `append` or by `close`.
        """
        if not len(cells):
            return
        cells = Cells(cells.keys.cast(pa.large_binary()), cells.values.cast(pa.large_binary()))
        if cells.keys.null_count or cells.values.null_count:
            raise DataError("a key or a value of an HFile is null; leave out the cell, or give it bytes")
        if self._last is not None and cells.keys[0].as_py() < self._last:
            raise DataError("the keys of an HFile must be in ascending order of their bytes; sort the cells")
        self._last = cells.keys[-1].as_py()
        self._count += len(cells)
        keys, values = pc.sum(pc.binary_length(cells.keys)).as_py(), pc.sum(pc.binary_length(cells.values)).as_py()
        self._key_bytes += keys
        self._value_bytes += values
        self._pending.append(cells)
        self._pending_bytes += keys + values
        if self._pending_bytes >= self.block_bytes:
            self._flush(is_last=False)

    def close(self, info: Mapping[str, bytes] | None = None, metas: Mapping[str, bytes] | None = None) -> None:
        """Write the pending cells and all parts after the data blocks; the writer cannot be used afterwards.

        Args:
            info: Further entries of the file info, such as the schema of the values.
            metas: Meta blocks by name, such as a bloom filter.

        Raises:
            DataError: A pending key is too long, or the pending keys are not in ascending order.
        """
        self._flush(is_last=True)
        meta_entries = []
        for name, content in (metas or {}).items():
            meta_entries.append(IndexEntry(name.encode(), self._offset, self._block(META, content)))
        load = self._offset
        self._block(ROOT_INDEX, encode_root(self._entries))
        self._block(ROOT_INDEX, encode_root(meta_entries))
        at = self._offset
        self._block(FILE_INFO, encode_info({**(info or {}), **self._own_info()}))
        first, last = (self._entries[0].offset, self._entries[-1].offset) if self._entries else (-1, -1)
        trailer = Trailer(
            info_offset=at,
            load_offset=load,
            blocks=len(self._entries),
            metas=len(meta_entries),
            entries=self._count,
            levels=1,
            codec=self.codec,
            data_bytes=self._data_bytes,
            first=first,
            last=last,
        )
        self._out(trailer.encode())

    def _own_info(self) -> dict[str, bytes]:
        count = max(self._count, 1)
        return {
            LAST_KEY: cell_key(self._last or b""),
            "hfile.AVG_KEY_LEN": _INT.pack(self._key_bytes // count),
            "hfile.AVG_VALUE_LEN": _INT.pack(self._value_bytes // count),
            "hfile.CREATE_TIME_TS": _LONG.pack(self.created),
            "KEY_VALUE_VERSION": _INT.pack(1),
            "MAX_MEMSTORE_TS_KEY": _LONG.pack(0),
        }

    def _flush(self, *, is_last: bool) -> None:
        """Write the data blocks of the pending cells; unless they are the last ones, the last block stays pending."""
        if not self._pending:
            return
        cells = Cells.joined(self._pending)
        encoded = encode_cells(cells)
        ends = np.cumsum(int64s(pc.binary_length(encoded)))
        data = memoryview(encoded.buffers()[2])
        bounds = _block_bounds(ends, cells.keys, self.block_bytes)
        kept = len(cells) if is_last else bounds[-2]
        for first, last in pairwise(bounds):
            if last > kept:
                break
            begin = int(ends[first - 1]) if first else 0
            key = cell_key(cells.keys[first].as_py())
            content = bytes(data[begin : int(ends[last - 1])])
            self._entries.append(IndexEntry(key, self._offset, self._block(DATA, content)))
            self._data_bytes += len(content)
        rest = Cells(cells.keys[kept:], cells.values[kept:])
        self._pending = [rest] if len(rest) else []
        self._pending_bytes = int(ends[-1] - (ends[kept - 1] if kept else 0)) if len(rest) else 0

    def _block(self, kind: bytes, content: bytes) -> int:
        block = encode_block(kind, compressed(content, self.codec), len(content))
        self._out(block)
        return len(block)

    def _out(self, data: bytes) -> None:
        self.write(data)
        self._offset += len(data)


def _block_bounds(ends: npt.NDArray[np.int64], keys: pa.Array, limit: int) -> list[int]:
    """Return the first cell of each block, and the number of cells; equal keys are in one block."""
    same = np.zeros(len(ends) + 1, bool)
    if len(keys) > 1:
        same[1:-1] = np.asarray(pc.equal(keys[:-1], keys[1:]).to_numpy(zero_copy_only=False), bool)
    bounds = [0]
    while bounds[-1] < len(ends):
        first = bounds[-1]
        begin = int(ends[first - 1]) if first else 0
        last = max(int(np.searchsorted(ends, begin + limit, "right")), first + 1)
        while last < len(ends) and same[last]:
            last += 1
        bounds.append(last)
    return bounds


def hfile_bytes(
    cells: Cells,
    info: Mapping[str, bytes] | None = None,
    metas: Mapping[str, bytes] | None = None,
    *,
    codec: Codec = Codec.GZIP,
    block_bytes: int = BLOCK_BYTES,
) -> bytes:
    """Return a whole HFile; arguments and errors are those of `HFileWriter` and its methods."""
    parts: list[bytes] = []
    writer = HFileWriter(parts.append, codec, block_bytes)
    writer.append(cells)
    writer.close(info, metas)
    return b"".join(parts)
