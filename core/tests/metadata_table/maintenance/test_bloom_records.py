"""Records of bloom filters: decoded, they are the filters in the footers of base files."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from hoodoo.format.bloom import BloomFilter, KeyHashes
from hoodoo.format.hfile import Cells
from hoodoo.metadata_table.content.hashed_keys import bloom_key
from hoodoo.metadata_table.content.records import BLOOM
from hoodoo.metadata_table.content.records import records as decoded_records
from hoodoo.metadata_table.layers import Layer
from hoodoo.metadata_table.maintenance.bloom_records import records
from hoodoo.metadata_table.maintenance.record_schema import record_schema
from hoodoo.metadata_table.maintenance.table_change import TableChange
from hoodoo.timeline import WriteStat

from .hudi_commits import as_mapping, commits, opened


@pytest.mark.parametrize("name", ["cow6-bloom-by-0.15.0", "cow9-bloom", "mor8-archived-by-1.0.2"])
def test_filters_are_those_of_the_footers(real_table, name):
    table = opened(real_table(name))
    schema = record_schema(table.metadata)
    compared = 0
    for change, *_ in commits(table, "files"):
        found = records(table.metadata, change)
        assert len(found.deleted) == 0
        layer = Layer("test", "a", Cells(found.keys, found.values), schema)
        stored = dict(decoded_records(layer, BLOOM)) if len(found.keys) else {}
        bases = {stat.path: stat for stat in change.stats if stat.path.endswith(".parquet")}
        assert len(stored) == len(bases)
        for path, stat in bases.items():
            record = stored[bloom_key(stat.partition_path, path.rpartition("/")[2])]
            assert (record["timestamp"], record["isDeleted"]) == (change.instant, False)
            bloom = BloomFilter.from_text(record["bloomFilter"], record["type"])
            file = pq.ParquetFile(table.storage.local_path(path))
            assert bloom.to_text().encode() == file.metadata.metadata[b"org.apache.hudi.bloomfilter"]
            keys = file.read(["_hoodie_record_key"]).column(0).combine_chunks()
            assert bloom.may_contain(KeyHashes(keys.cast(pa.string()))).all()
            compared += 1
    assert compared > 1


def test_a_file_without_a_filter_has_no_record_and_removed_base_files_are_deleted(real_table):
    table = opened(real_table("cow9-bloom"))
    name = "11111111-1111-1111-1111-111111111111-0_0-0-0_20260101000000000.parquet"
    pq.write_table(pa.table({"_hoodie_record_key": ["a"]}), table.storage.local_path(name))
    log = ".11111111-1111-1111-1111-111111111111-0_20260101000000000.log.1_0-0-0"
    change = TableChange("1", stats=(WriteStat("f", name, ""), WriteStat("f", log, "")), removed={"p": [name, log]})
    found = records(table.metadata, change)
    assert as_mapping(found) == {}
    assert found.deleted.to_pylist() == [bloom_key("p", name).encode()]
