"""Rows without a record key go to a partition of their own instead of failing the write."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc
from attrs import evolve, frozen

from hoodoo.errors import OptionError
from hoodoo.keys import as_text, composite_keys, partition_paths
from hoodoo.plugin import hookimpl, option
from hoodoo.record import KeyConfig
from hoodoo.schema.columns import column_at

__version__ = "0.1.0"


@frozen
class DeadLetterKeyGenerator:
    """Key generator with a key in the first record key column, and a place of the message in the others.

    The place, such as topic and offset, is the key of a row without a key: dead letters do not overwrite each other,
    and a message that is sent again is the same dead letter.
    """

    partition: str = option(default="dead-letter", help="Partition path of the rows without a key.")

    def record_keys(self, rows: pa.Table, config: KeyConfig) -> pa.Array:
        """Return the first record key column, or `column:value,...` of the others where it is null or empty.

        Raises:
            DataError: A row has neither a key nor a place (code `key_null_or_empty`).
            OptionError: There are no partition columns, or no columns of the place.
        """
        keys, dead = self._keys(rows, config)
        if not pc.any(dead).as_py():
            return keys
        # a row with a key may lack its place: it is given one that is not used
        place = config.record_key[1:]
        alive = pc.if_else(dead, None, "-")
        parts = {name: pc.coalesce(_text(rows, name), alive) for name in place}
        letters = composite_keys(pa.table(parts), evolve(config, record_key=place, complex_encoding="field"))
        return pc.if_else(dead, letters, keys)

    def partition_paths(self, rows: pa.Table, config: KeyConfig) -> pa.Array:
        """Return the path by the partition columns, or that of dead letters.

        Raises:
            OptionError: There are no partition columns, or no columns of the place.
        """
        _, dead = self._keys(rows, config)
        return pc.if_else(dead, self.partition, partition_paths(rows, config))

    def _keys(self, rows: pa.Table, config: KeyConfig) -> tuple[pa.Array, pa.Array]:
        """Return the keys, and a mask of the rows without a key."""
        if len(config.record_key) < 2 or not config.partition_by:
            raise OptionError(
                "key generator 'dead-letter' needs partition columns, and as record key the column of the key and "
                f"those of the message's place, such as 'id,topic,offset'; 'record_key' is "
                f"'{','.join(config.record_key)}' and 'partition_by' is '{','.join(config.partition_by)}'"
            )
        keys = _text(rows, config.record_key[0])
        return keys, pc.fill_null(pc.equal(keys, ""), True)


def _text(rows: pa.Table, name: str) -> pa.Array:
    values = column_at(rows, name)
    return pa.nulls(rows.num_rows, pa.string()) if values is None else as_text(values, name)


@hookimpl
def hoodoo_keygen() -> type[DeadLetterKeyGenerator]:
    """Return the class of the plugin."""
    return DeadLetterKeyGenerator
