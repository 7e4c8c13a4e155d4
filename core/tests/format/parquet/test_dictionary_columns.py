"""Text columns that are read in their encoding, and written in the encoding in which they were read."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from hoodoo.format import BaseFileWriter, read_base_file
from hoodoo.format.parquet import read_encoded
from hoodoo.schema.avro_encode import to_avro
from hoodoo.schema.meta_columns import META_COLUMNS
from hoodoo.storage import LocalStorage

COUNT = 1000
SCHEMA = pa.schema([("few", pa.string()), ("many", pa.string()), ("gaps", pa.string()), ("n", pa.int64())])
FEW = [f"status-{n % 7}" for n in range(COUNT)]
MANY = [f"text-{n}" for n in range(COUNT)]
GAPS = [None if n % 3 else "x" for n in range(COUNT)]
DATA = pa.table({"few": FEW, "many": MANY, "gaps": GAPS, "n": [n % 5 for n in range(COUNT)]}, schema=SCHEMA)
REPEATED = pa.dictionary(pa.int32(), pa.string())


@pytest.fixture
def storage(tmp_path):
    return LocalStorage(str(tmp_path))


def with_meta(data: pa.Table) -> pa.Table:
    meta = {name: pa.array([f"{name}-{n}" for n in range(data.num_rows)]) for name in META_COLUMNS}
    return pa.table(meta | {name: data.column(name) for name in data.column_names})


def written(storage, path, *tables):
    with BaseFileWriter(storage, path, SCHEMA, to_avro(SCHEMA, "t")) as file:
        for table in tables:
            file.write(with_meta(table))
    return pq.ParquetFile(storage.local_path(path))


def encoded(storage, path, schema=SCHEMA):
    return pa.concat_tables(read_encoded(storage, path, schema, batch_rows=300), promote_options="none")


def types(table):
    return [field.type for field in table.schema]


def test_text_columns_of_few_values_are_dictionaries_with_the_same_values(storage):
    written(storage, "f", DATA)

    found = encoded(storage, "f")

    assert types(found) == [REPEATED, pa.string(), REPEATED, pa.int64()]
    assert found.cast(SCHEMA).combine_chunks() == DATA


def test_a_column_that_one_row_group_has_without_a_dictionary_is_plain(storage):
    unlike = DATA.set_column(0, "few", pa.array([f"{text} and {n}" for n, text in enumerate(FEW)]))
    file = written(storage, "f", DATA, unlike)

    assert file.metadata.num_row_groups == 2
    assert types(encoded(storage, "f"))[0] == pa.string()
    assert encoded(storage, "f").column("few").to_pylist() == FEW + unlike.column("few").to_pylist()


def test_columns_that_are_missing_or_of_another_type_are_read_as_before(storage):
    written(storage, "f", DATA)
    schema = pa.schema([("new", pa.string()), ("n", pa.string()), ("few", pa.large_string())])

    found = encoded(storage, "f", schema)

    assert found == pa.concat_tables(read_base_file(storage, "f", schema, batch_rows=300))
    assert types(found)[::2] == [pa.string(), pa.large_string()]


def test_a_file_without_rows_has_plain_columns(storage):
    written(storage, "f")

    assert list(read_encoded(storage, "f", SCHEMA, batch_rows=300)) == []


def test_what_is_read_as_a_dictionary_is_written_as_one_with_the_same_file_schema(storage):
    plain = written(storage, "f", DATA)
    read = encoded(storage, "f").combine_chunks()
    # later tables have the column as plain text, or with other values in the dictionary
    other = pa.table({**dict(zip(SCHEMA.names, DATA.columns, strict=True)), "few": pa.array(["z", "y"] * (COUNT // 2))})
    again = written(storage, "g", read, DATA, other.cast(read.schema))

    assert again.schema_arrow == plain.schema_arrow
    assert again.schema == plain.schema
    for group in range(3):
        chunk = again.metadata.row_group(group).column(again.schema_arrow.get_field_index("few"))
        assert chunk.has_dictionary_page
        assert (chunk.statistics.min, chunk.statistics.max) == (("y", "z") if group == 2 else ("status-0", "status-6"))
        assert chunk.statistics.null_count == 0
    back = pa.concat_tables(read_base_file(storage, "g", SCHEMA))
    assert back.combine_chunks() == pa.concat_tables([DATA, DATA, other]).combine_chunks()


def test_a_plain_first_table_decides_for_dictionaries_that_follow(storage):
    written(storage, "f", DATA)
    written(storage, "g", DATA, encoded(storage, "f"))

    assert (
        pa.concat_tables(read_base_file(storage, "g", SCHEMA)).combine_chunks()
        == pa.concat_tables([DATA, DATA]).combine_chunks()
    )
