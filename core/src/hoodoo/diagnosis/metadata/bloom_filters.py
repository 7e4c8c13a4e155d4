"""Check that the bloom filters in the metadata table equal those in the footers of base files."""

from __future__ import annotations

from collections.abc import Iterator

from hoodoo.diagnosis.finding import Finding, Place, Status, first_places
from hoodoo.diagnosis.metadata.metadata_state import MetadataState
from hoodoo.diagnosis.wording import counted
from hoodoo.format.bloom.bloom_filter import BloomFilter
from hoodoo.format.bloom.key_footer import KeyFooter
from hoodoo.format.file_names import is_lance
from hoodoo.format.parquet.parquet_reader import open_base_file
from hoodoo.storage import Storage, name_of

__all__ = ["check_bloom_filters"]

_CHECK = "bloom_filters"
_ADVICE = "drop this index and create it again with hoodoo table index"


def check_bloom_filters(state: MetadataState) -> Iterator[Finding]:
    """Yield findings about current base files whose bloom filters are missing or differ from the footers.

    Base files without a filter in the footer are not examined.
    """
    files = {(s.partition, name_of(s.path)): s.path for s in state.table.slices if s.path is not None}
    blooms = state.metadata.bloom_filters(list(files))
    lacking, wrong = [], []
    for file, path in files.items():
        footer = _footer_bloom(state.table.storage, path)
        if footer is None:
            continue
        if file not in blooms:
            lacking.append(path)
        elif blooms[file].to_text() != footer.to_text():
            wrong.append(path)
    if wrong:
        yield Finding(
            _CHECK,
            Status.PROBLEM,
            f"the bloom filters of {counted(len(wrong), 'base file')} differ from the footers: a write that searches "
            "keys with them inserts existing keys again",
            _ADVICE,
            first_places(Place(file=path) for path in wrong),
        )
    if lacking:
        yield Finding(
            _CHECK,
            Status.WARNING,
            f"{counted(len(lacking), 'base file')} without a bloom filter",
            _ADVICE,
            first_places(Place(file=path) for path in lacking),
        )
    if not (wrong or lacking):
        yield Finding(_CHECK, Status.OK, f"the bloom filters of {counted(len(files), 'base file')} equal the footers")


def _footer_bloom(storage: Storage, path: str) -> BloomFilter | None:
    if is_lance(path):
        return None
    with open_base_file(storage, path) as file:
        return KeyFooter.of(file).bloom
