"""Reader of HFiles of version 3, as Hudi and HBase write them."""

from __future__ import annotations

import struct
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager

import pyarrow as pa
import pyarrow.compute as pc
from attrs import define

from hoodoo.errors import CorruptTableError
from hoodoo.format.bloom.bloom_filter import BloomFilter
from hoodoo.format.corruption import open_data_file, translate_read_errors
from hoodoo.format.hfile.block import DATA, FILE_INFO, META, ROOT_INDEX, parse_block, read_block
from hoodoo.format.hfile.cells import Cells, decode_cells, key_content
from hoodoo.format.hfile.index import EVERYTHING, DataIndex, IndexEntry, Span, decode_root
from hoodoo.format.hfile.source import HFileDamage, HFileSource
from hoodoo.format.hfile.trailer import TRAILER_BYTES, Trailer, decode_info
from hoodoo.storage import Storage

__all__ = ["BLOOM", "BLOOM_KIND", "LAST_KEY", "SCHEMA", "HFile", "open_hfile"]

LAST_KEY, SCHEMA = "hfile.LASTKEY", "schema"
BLOOM, BLOOM_KIND = "bloomFilter", "bloomFilterTypeCode"
_CELL_FORM, _WITH_MVCC = "KEY_VALUE_VERSION", struct.pack(">i", 1)
_FEW_KEYS, _CELLS_PER_KEY = 100, 1000
"""Limits up to which `lookup` reads only the blocks of the keys: a number of keys, or one key in a number of cells.

A block of 1 MiB has about ten thousand cells.
"""


@define
class HFile:
    """HFile whose root index is in memory.

    Attributes:
        source: The bytes of the HFile.
        trailer: The positions and counts of its parts.
        info: The entries of the file info, by name.
        index: The index of the data blocks.
        metas: The entries of the index of the meta blocks.
    """

    source: HFileSource
    trailer: Trailer
    info: Mapping[str, bytes]
    index: DataIndex
    metas: Sequence[IndexEntry]

    @classmethod
    def open(cls, source: HFileSource) -> HFile:
        """Return the HFile after reading its trailer, its index and its file info.

        Raises:
            CorruptTableError: The bytes are not an HFile, or are damaged.
            UnsupportedTable: The HFile has another version, or an unsupported compression.
        """
        with source.checked():
            end = source.size - TRAILER_BYTES
            if end < 0:
                raise HFileDamage(f"its size {source.size} is less than the {TRAILER_BYTES} bytes of a trailer", 0)
            trailer = Trailer.decode(source.read(end, TRAILER_BYTES), end, source.what)
            start, codec = trailer.load_offset, trailer.codec
            loaded = source.read(start, end - start)
            root = parse_block(loaded, 0, ROOT_INDEX, codec, start)
            metas = parse_block(loaded, root.size, ROOT_INDEX, codec, start + root.size)
            info = parse_block(loaded, trailer.info_offset - start, FILE_INFO, codec, trailer.info_offset)
            entries = decode_root(root.content, trailer.blocks, start)
            return cls(
                source,
                trailer,
                decode_info(info.content, info.offset),
                DataIndex(source, entries, trailer.levels, codec, start),
                decode_root(metas.content, trailer.metas, metas.offset),
            )

    def __len__(self) -> int:
        """Return the number of cells that the trailer states."""
        return self.trailer.entries

    @property
    def schema_text(self) -> str | None:
        """Return the Avro schema of the values, from the file info; None if the file info has no schema.

        Raises:
            CorruptTableError: The schema is not a text.
        """
        schema = self.info.get(SCHEMA)
        with self.source.checked():
            try:
                return None if schema is None else schema.decode()
            except UnicodeDecodeError as error:
                raise HFileDamage("its schema is not valid UTF-8", self.trailer.info_offset) from error

    def scan(self) -> Iterator[Cells]:
        """Yield all cells in the order of their keys, one data block at a time.

        Raises:
            CorruptTableError: The HFile is damaged, or has another number of cells or another last key than it states.
        """
        count = 0
        last: bytes | None = None
        for cells in self._blocks([EVERYTHING]):
            if len(cells):
                count += len(cells)
                last = cells.keys[-1].as_py()
            yield cells
        with self.source.checked():
            if count != len(self):
                raise HFileDamage(
                    f"it does not have the number of cells in its trailer: {count} instead of {len(self)}",
                    self.source.size - TRAILER_BYTES,
                )
            if last is not None and self._stated_last_key() not in (None, last):
                raise HFileDamage(
                    f"its last key is '{last.decode(errors='replace')}', but its file info states another",
                    self.trailer.info_offset,
                )

    def _stated_last_key(self) -> bytes | None:
        """Return the last key by the file info; None if the file info has none."""
        stated = self.info.get(LAST_KEY)
        try:
            return None if stated is None else key_content(stated)
        except ValueError as error:
            raise HFileDamage(f"its file info has a damaged last key: {error}", self.trailer.info_offset) from error

    def all(self) -> Cells:
        """Return all cells; errors are those of `scan`."""
        return Cells.joined(list(self.scan()))

    def lookup(self, keys: Collection[bytes] | pa.Array) -> Cells:
        """Return the cells with the given keys; for few keys, only data blocks that may have them are read.

        Args:
            keys: The keys, or an array of them (`large_binary`). For many keys, all blocks are read.

        Raises:
            CorruptTableError: A part of the HFile that is read is damaged.
        """
        wanted = keys if isinstance(keys, pa.Array) else pa.array(set(keys), pa.large_binary())
        if not len(wanted):
            return Cells.joined([])
        many = len(wanted) > max(_FEW_KEYS, len(self) // _CELLS_PER_KEY)
        spans = [EVERYTHING] if many else [Span.of_key(key) for key in sorted(wanted.to_pylist())]
        return Cells.joined(list(self._blocks(spans, wanted)))

    def with_prefixes(self, prefixes: Collection[bytes]) -> Cells:
        """Return the cells whose keys begin with one of the given prefixes; errors are those of `lookup`."""
        wanted = sorted(set(prefixes))
        found = []
        for cells in self._blocks([Span.of_prefix(prefix) for prefix in wanted]):
            mask = pa.array([False] * len(cells), pa.bool_())
            for prefix in wanted:
                mask = pc.or_(mask, pc.starts_with(cells.keys, pattern=prefix))
            found.append(cells.filtered(mask))
        return Cells.joined(found)

    def meta(self, name: str) -> bytes | None:
        """Return the content of the meta block with a name; None if no block has it.

        Raises:
            CorruptTableError: The block is damaged.
        """
        with self.source.checked():
            for entry in self.metas:
                if entry.key == name.encode():
                    return read_block(self.source, entry.offset, META, self.trailer.codec, entry.size).content
        return None

    def bloom_filter(self) -> BloomFilter | None:
        """Return the bloom filter of the keys; None if the HFile lacks the filter or its kind.

        Raises:
            CorruptTableError: The bloom filter is damaged, or of an unknown kind.
        """
        text, kind = self.meta(BLOOM), self.info.get(BLOOM_KIND)
        if text is None or kind is None:
            return None
        found = BloomFilter.from_text(text, kind.decode(errors="replace"))
        if found is None:
            raise CorruptTableError(
                f"{self.source.what} has a bloom filter that cannot be read; restore the file", file=self.source.file
            )
        return found

    def _blocks(self, spans: Sequence[Span], wanted: pa.Array | None = None) -> Iterator[Cells]:
        """Yield the cells of the blocks that may have keys of the ranges; with `wanted`, only cells with these keys."""
        has_mvcc = self.info.get(_CELL_FORM) == _WITH_MVCC
        last: bytes | None = None
        with self.source.checked():
            chosen = list(self.index.blocks(spans))
        for entry, first, following in chosen:
            with self.source.checked():
                block = read_block(self.source, entry.offset, DATA, self.trailer.codec, entry.size)
                try:
                    cells = decode_cells(block.content, has_mvcc=has_mvcc)
                except ValueError as error:
                    raise HFileDamage(f"a data block with {error}", entry.offset) from error
                if len(cells):
                    begin, end = cells.keys[0].as_py(), cells.keys[-1].as_py()
                    is_late = following is not None and end > following
                    if begin < first or is_late or (last is not None and begin < last):
                        raise HFileDamage(
                            "a data block whose keys are outside the range of its index entry", entry.offset
                        )
                    last = end
            yield cells.all() if wanted is None else cells.of_keys(wanted)


@contextmanager
def open_hfile(storage: Storage, path: str) -> Iterator[HFile]:
    """Open an HFile of a table; it can be read until the context ends.

    Errors that the `with` block raises are translated as in `translate_read_errors`.

    Args:
        storage: The table's files.
        path: Table-relative path.

    Raises:
        CorruptTableError: The file does not exist (the code is `gone`), or is damaged.
        UnsupportedTable: The file has another version, or an unsupported compression.
    """
    what = f"HFile '{path}'"
    with translate_read_errors(what, path), open_data_file(storage, path, what) as file:
        yield HFile.open(HFileSource(lambda offset, length: file.read_at(length, offset), file.size(), what, path))
