"""Division of the rows of a task by partition."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa
import pyarrow.compute as pc

from hoodoo.keys.partition_path import check_partition_paths

__all__ = ["rows_by_partition"]


def rows_by_partition(rows: pa.Table, partitions: pa.Array) -> Iterator[tuple[str, pa.Table]]:
    """Yield each partition path with its rows. Rows that were not routed by their path may have several paths.

    Raises:
        DataError: `check_partition_paths` refuses a path.
    """
    encoded = partitions.dictionary_encode()
    check_partition_paths(encoded.dictionary)
    names = encoded.dictionary.to_pylist()
    if len(names) == 1:
        del encoded, partitions  # not kept while the rows are merged
        yield names[0], rows
        return
    for code, name in enumerate(names):
        yield name, rows.filter(pc.equal(encoded.indices, code))
