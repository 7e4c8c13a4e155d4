"""Layers of a shard: the records of its base file and of each block of its logs, oldest first."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from attrs import evolve, frozen

from hoodoo.errors import CorruptTableError, UnsupportedTable
from hoodoo.filegroup import LogFile
from hoodoo.format.avro.numpy_arrays import integers
from hoodoo.format.hfile import Cells, HFile, open_hfile
from hoodoo.format.log import BlockType, CorruptBlock, LogBlock, decode_deletes, read_blocks, torn_block_instant
from hoodoo.format.log.hfile_block import open_hfile_block
from hoodoo.metadata_table.instants import BlockInstants
from hoodoo.metadata_table.shards import Shard
from hoodoo.storage import Storage

__all__ = ["Layer", "Selection", "latest", "layers"]

_PIECE = 128 * 1024


@frozen
class Layer:
    """Versions of some keys, from one base file or log block.

    Attributes:
        what: Description of the file or block, for messages.
        file: Table-relative path of the file.
        cells: Keys and Avro datums; the values of deletes are empty.
        schema: The Avro schema of the datums; None for deletes.
    """

    what: str
    file: str
    cells: Cells
    schema: str | None

    def pieces(self) -> Iterator[Layer]:
        """Yield layers with at most 131,072 of the cells each, which are not copied."""
        for start in range(0, len(self.cells), _PIECE):
            keys, values = (array[start : start + _PIECE] for array in (self.cells.keys, self.cells.values))
            yield evolve(self, cells=Cells(keys, values))


@frozen
class Selection:
    """Choice of the keys to read: all keys if both attributes are None.

    Attributes:
        keys: The keys, or an array of them (`large_binary`); None for no choice by key.
        prefixes: Prefixes of keys, which have no effect if `keys` is given; None for no choice by prefix.
    """

    keys: Collection[bytes] | pa.Array | None = None
    prefixes: Collection[bytes] | None = None

    def of(self, file: HFile) -> Cells:
        """Return the chosen cells of an HFile."""
        if self.keys is not None:
            return file.lookup(self.keys)
        return file.all() if self.prefixes is None else file.with_prefixes(self.prefixes)


def layers(storage: Storage, shard: Shard, visible: BlockInstants, selection: Selection) -> list[Layer]:
    """Return the layers of a shard with the chosen keys, oldest first. Layers of deletes have all keys of the block.

    Raises:
        CorruptTableError: A file is missing or damaged.
        UnsupportedTable: A log has a block of a log compaction, or one that is neither an HFile block nor a delete
            block; or a file has a codec that hoodoo does not support.
    """
    found = []
    if shard.base is not None:
        path = shard.base.path
        with open_hfile(storage, path) as file:
            found.append(_layer(file, file.schema_text, selection, f"HFile '{path}'", path))
    for block in _valid_blocks(storage, shard.logs, visible):
        if block.type is BlockType.DELETE:
            keys = decode_deletes(storage, block, []).column("record_key").combine_chunks().cast(pa.large_binary())
            empty = pa.array([b""], pa.large_binary()).take(integers(np.zeros(len(keys), np.int64)))
            found.append(Layer(str(block), block.file, Cells(keys, empty), None))
            continue
        if block.type is not BlockType.HFILE_DATA:
            raise UnsupportedTable(
                f"{block}, of the metadata table, is of type {block.type.name}, not an HFile block; remove the "
                "metadata table and create it again",
                code="log_block",
            )
        with open_hfile_block(storage, block) as file:
            found.append(_layer(file, block.schema_text or file.schema_text, selection, str(block), block.file))
    return found


def _layer(file: HFile, schema: str | None, selection: Selection, what: str, path: str) -> Layer:
    cells = selection.of(file)
    if schema is None:
        raise CorruptTableError(f"{what} has no schema; restore the file", file=path)
    return Layer(what, path, cells, schema)


def _valid_blocks(storage: Storage, logs: Sequence[LogFile], visible: BlockInstants) -> list[LogBlock]:
    """Return the data and delete blocks of visible instants that no later block revokes."""
    valid: list[LogBlock] = []
    for log in logs:
        for block in _blocks(storage, log, visible):
            if block.type is BlockType.COMMAND:
                # an instant may have new blocks after its rollback
                valid = [earlier for earlier in valid if earlier.instant != block.target_instant]
                continue
            if block.compacted_times:
                raise UnsupportedTable(
                    f"{block}, of the metadata table, is from a log compaction, which hoodoo cannot read; remove "
                    "the metadata table and create it again, or compact it with Hudi",
                    code="log_block",
                )
            if visible.has(block.instant):
                valid.append(block)
    return valid


def _blocks(storage: Storage, log: LogFile, visible: BlockInstants) -> Iterator[LogBlock]:
    for block in read_blocks(storage, log.path):
        if not isinstance(block, CorruptBlock):
            yield block
            continue
        # the blocks of failed commits are in the logs of other commits only in layout 1
        torn = torn_block_instant(storage, log.path, block) if visible.layout == 1 else None
        if torn is None or visible.has(torn):
            raise CorruptTableError(
                f"log file '{log.path}' of the metadata table is damaged at byte {block.offset}: {block.reason}; "
                "restore it, or remove the metadata table and create it again",
                file=log.path,
                offset=block.offset,
            )


def latest(found: Sequence[Layer]) -> list[Layer]:
    """Return the layers, oldest first, with only the last version of each key.

    Deleted keys are left out, and so are layers that have no key then.
    """
    if len(found) == 1 and found[0].schema is not None and _are_unique(found[0].cells.keys):
        return list(found) if len(found[0].cells) else []
    keys = pa.concat_arrays([pa.array([], pa.large_binary()), *(layer.cells.keys for layer in found)])
    codes = np.asarray(keys.dictionary_encode().indices.to_numpy(zero_copy_only=False), np.int64)
    last = np.full(int(codes.max(initial=-1)) + 1, -1, np.int64)
    # the last of several positions is kept
    np.maximum.at(last, codes, np.arange(len(codes)))
    chosen = np.zeros(len(codes), np.bool_)
    chosen[last] = True
    kept, start = [], 0
    for layer in found:
        places = np.flatnonzero(chosen[start : start + len(layer.cells)])
        start += len(layer.cells)
        if layer.schema is None or not len(places):
            continue
        rows = integers(places)
        cells = Cells(layer.cells.keys.take(rows), layer.cells.values.take(rows))
        kept.append(Layer(layer.what, layer.file, cells, layer.schema))
    return kept


def _are_unique(ascending: pa.Array) -> bool:
    return len(ascending) < 2 or bool(pc.all(pc.less(ascending[:-1], ascending[1:])).as_py())
