"""Comparison of stored record keys and partition paths with the results of the key generator."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pyarrow as pa
import pyarrow.compute as pc
from attrs import define, field

from hoodoo.diagnosis.finding import MOST_PLACES, Finding, Place, Status
from hoodoo.diagnosis.rows.table_rows import KeyBatch
from hoodoo.diagnosis.table_state import TableState
from hoodoo.diagnosis.wording import counted
from hoodoo.errors import DataError, HoodooError
from hoodoo.merge.plugin_checks import GuardedKeyGenerator
from hoodoo.options import KeyOptions
from hoodoo.record import KeyConfig
from hoodoo.schema.meta_columns import PARTITION_PATH
from hoodoo.table_rules.keygen_choice import resolve_keygen
from hoodoo.table_rules.stored_keys import declared_keygen, key_config
from hoodoo.writing.prepare.prepare import complex_encoding
from hoodoo.writing.write_spec import KeySpec

__all__ = ["DerivedValues", "ValueDifference"]


@define
class ValueDifference:
    """Comparison of a stored value of rows with the expected value, with the rows that differ.

    Attributes:
        check: The name of the check.
        what: The text about the difference, which follows the number of rows in the finding.
        advice: The advice of the finding if rows differ.
        rows: The number of rows compared.
        differing: The number of rows that differ.
        example: The stored and the expected value of the first row that differs; ("", "") if no row differs.
        places: The places of the first rows that differ.
        refused: The first batches with a row for which the key generator raised an error, with these errors.
    """

    check: str
    what: str
    advice: str
    rows: int = 0
    differing: int = 0
    example: tuple[str, str] = ("", "")
    places: list[Place] = field(factory=list)
    refused: list[tuple[Place, str]] = field(factory=list)

    def compare(self, batch: KeyBatch, stored: pa.Array, expected: pa.Array | pa.Scalar) -> None:
        """Compare a value of each row of a batch; null differs from every value, and from null."""
        differs = pc.fill_null(pc.not_equal(stored, expected), True)
        number = pc.sum(differs).as_py() or 0
        self.rows += len(stored)
        if not number:
            return
        where = pc.indices_nonzero(differs).slice(0, MOST_PLACES).to_pylist()
        if not self.differing:
            other = expected if isinstance(expected, pa.Scalar) else expected[where[0]]
            first, wanted = stored[where[0]].as_py(), other.as_py()
            self.example = "null" if first is None else str(first), "null" if wanted is None else str(wanted)
        self.differing += number
        file = batch.split.path or batch.split.file_slice.logs[0].path
        room = MOST_PLACES - len(self.places)
        self.places += [
            Place(file=file, partition=batch.split.partition, key=batch.keys[row].as_py()) for row in where[:room]
        ]

    def findings(self) -> Iterator[Finding]:
        """Yield the finding about the rows compared, and one about batches that could not be compared."""
        if self.rows:
            yield self._compared()
        if self.refused:
            found = f"the key generator refuses stored rows: {self.refused[0][1]}"
            places = tuple(place for place, _ in self.refused)
            advice = "delete these rows, or write them again with valid key and partition columns"
            yield Finding(self.check, Status.PROBLEM, found, advice, places)

    def _compared(self) -> Finding:
        if not self.differing:
            return Finding(self.check, Status.OK, f"{counted(self.rows, 'row')} compared")
        stored, other = self.example
        found = (
            f"{self.differing:,} of {counted(self.rows, 'row')} {self.what}; the first has {stored!r}, not {other!r}"
        )
        return Finding(self.check, Status.PROBLEM, found, self.advice, tuple(self.places))


@define
class DerivedValues:
    """Comparison of stored record keys and partition paths with the results of the table's key generator.

    Attributes:
        generator: The key generator; None if it is not available.
        config: Its configuration.
        has_meta: Whether the rows have meta columns.
        compares_paths: Whether partition paths are compared with the partition columns.
        unavailable: The reasons why comparisons are not made.
        keys: The comparison of record keys.
        paths: The comparison of partition paths with the partition columns.
        folders: The comparison of partition paths with the folders of the files.
    """

    generator: GuardedKeyGenerator | None
    config: KeyConfig
    has_meta: bool
    compares_paths: bool
    unavailable: list[str] = field(factory=list)
    keys: ValueDifference = field(init=False)
    paths: ValueDifference = field(init=False)
    folders: ValueDifference = field(init=False)

    def __attrs_post_init__(self) -> None:
        advice = "upsert these rows again after the stored ones are deleted; check which job wrote them with other keys"
        self.keys = ValueDifference(
            "record keys",
            "with another record key than the key generator makes of their columns: an upsert would add a second row",
            advice,
        )
        self.paths = ValueDifference(
            "partition paths",
            "in another partition than the key generator makes of their columns: queries of one partition miss them",
            "write these rows again with a global index, or delete them and insert them",
        )
        self.folders = ValueDifference(
            "partition folders",
            "whose _hoodie_partition_path is not the folder of their file: readers and writers look in the wrong place",
            "rewrite these files; they were moved or copied between partitions",
        )

    @classmethod
    def of(cls, state: TableState) -> DerivedValues:
        """Return the comparison for a table; without a generator if the key generator is not available."""
        properties, has_meta = state.properties, state.properties.populate_meta_fields
        config = key_config(properties)
        try:
            keygen = declared_keygen(properties, state.catalogue)
            encoding = complex_encoding(state.storage, state.slices, properties, keygen)
            config = key_config(properties, encoding)
            given = state.write_options[KeyOptions]
            spec = resolve_keygen(given, properties, config, state.catalogue)
            generator = KeySpec(spec, config).make_generator()
        except HoodooError as error:
            return cls(None, config, has_meta, False, [f"record keys and partition paths: {error}"])
        compares_paths = bool(config.partition_by) and not properties.drop_partition_columns
        found = cls(generator, config, has_meta, compares_paths)
        if generator.generates_keys:
            found.unavailable.append("record keys: the key generator does not derive them from columns")
        if not has_meta:
            found.unavailable.append("record keys: the table has no meta columns")
        if config.partition_by and properties.drop_partition_columns:
            found.unavailable.append("partition paths: the files lack the partition columns")
        return found

    def compare(self, batch: KeyBatch) -> None:
        """Compare the stored record keys and partition paths of a batch of rows, and count the differences."""
        folder = pa.scalar(batch.split.partition)
        if self.has_meta:
            self.folders.compare(batch, _column(batch.rows, PARTITION_PATH), folder)
        generator = self.generator
        if generator is None:
            return
        if self.has_meta and not generator.generates_keys:
            self._compare_made(self.keys, batch, lambda: generator.record_keys(batch.rows, self.config), batch.keys)
        if self.compares_paths:
            stored = pa.repeat(folder, batch.rows.num_rows)
            self._compare_made(self.paths, batch, lambda: generator.partition_paths(batch.rows, self.config), stored)

    def findings(self) -> Iterator[Finding]:
        """Yield the findings of all comparisons that were made."""
        for found in (self.folders, self.keys, self.paths):
            yield from found.findings()

    def _compare_made(
        self, difference: ValueDifference, batch: KeyBatch, make: Callable[[], pa.Array], stored: pa.Array
    ) -> None:
        try:
            made = make()
        except DataError as error:
            # a row whose key columns are null, or whose path would leave the table
            if len(difference.refused) < MOST_PLACES:
                file = batch.split.path or batch.split.file_slice.logs[0].path
                difference.refused.append((Place(file=file, partition=batch.split.partition), str(error)))
            return
        except HoodooError as error:
            reason = f"{difference.check} of some files: {error}"
            if len(self.unavailable) < MOST_PLACES and reason not in self.unavailable:
                self.unavailable.append(reason)
            return
        difference.compare(batch, stored, made)


def _column(rows: pa.Table, name: str) -> pa.Array:
    return rows.column(name).combine_chunks()
