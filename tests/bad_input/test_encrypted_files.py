"""Base files with Parquet's modular encryption: a read of an encrypted part is refused with the file and advice."""

from __future__ import annotations

import base64
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

import hoodoo
from hoodoo import Table
from hoodoo.diagnosis import Status, diagnose
from hoodoo.errors import UnsupportedTable

encryption = pytest.importorskip("pyarrow.parquet.encryption", reason="this build of pyarrow has no encryption")

ROWS = pa.table({"id": [1, 2], "ts": [1, 1], "v": ["a", "b"]})
REFUSED = r"base file '.*\.parquet' is encrypted.*rewrite its files without encryption"


class Kms(encryption.KmsClient):
    """A key service whose wrapped keys are readable."""

    def wrap_key(self, key, name):
        return base64.b64encode(key)


def encrypt(path, *, footer):
    """Encrypt column `v` of a file, and the footer if `footer` is true."""
    rows, metadata = pq.read_table(path), pq.read_metadata(path).metadata
    factory = encryption.CryptoFactory(lambda _: Kms())
    chosen = encryption.EncryptionConfiguration("footer", column_keys={"column": ["v"]}, plaintext_footer=not footer)
    properties = factory.file_encryption_properties(encryption.KmsConnectionConfig(), chosen)
    with pq.ParquetWriter(path, rows.schema, encryption_properties=properties, store_schema=False) as writer:
        writer.add_key_value_metadata({key.decode(): value.decode() for key, value in metadata.items()})
        writer.write_table(rows)


@pytest.fixture(params=["footer", "column"])
def encrypted(request, tmp_path):
    """Return the encrypted part, the location of a merge-on-read table with an encrypted base file, and its options."""
    path = tmp_path / "t"
    options = {"table_name": "t", "record_key": "id", "ordering": "ts", "table_type": "MERGE_ON_READ"}
    hoodoo.write(ROWS, path, options)
    [file] = path.glob("*.parquet")
    encrypt(file, footer=request.param == "footer")
    return request.param, path, options


READS = {
    "snapshot": lambda path: Table(path).to_arrow(),
    "read optimized": lambda path: Table(path).to_arrow(query_type="read_optimized"),
    "incremental": lambda path: Table(path).to_arrow(query_type="incremental", begin="000"),
    "filter": lambda path: Table(path).to_arrow(filter=pc.field("v") == "a"),
    "splits": lambda path: [split.read().read_all() for split in Table(path).splits()],
    "explanation": lambda path: Table(path).explain("1"),
}


@pytest.mark.parametrize("way", READS)
def test_a_read_names_the_file(encrypted, way):
    _, path, _ = encrypted
    with pytest.raises(UnsupportedTable, match=REFUSED) as caught:
        READS[way](path)
    assert caught.value.code == "encrypted"


def test_a_compaction_names_the_file(encrypted):
    _, path, options = encrypted
    if encrypted[0] == "footer":
        with pytest.raises(UnsupportedTable, match=REFUSED):
            hoodoo.write(ROWS, path, options)
        return
    # a log needs only the keys of the file
    hoodoo.write(ROWS, path, options)
    with pytest.raises(UnsupportedTable, match=REFUSED):
        Table(path).compact()
    assert Table(path).timeline.pending == ()


def test_columns_that_are_not_encrypted_are_read(encrypted):
    what, path, _ = encrypted
    if what == "footer":
        with pytest.raises(UnsupportedTable, match=REFUSED):
            Table(path).to_arrow(["id"])
    else:
        assert Table(path).to_arrow(["id"])["id"].to_pylist() == [1, 2]


def test_a_diagnosis_names_the_file(encrypted):
    _, path, _ = encrypted
    findings = [f for f in diagnose(path).findings if f.status is Status.PROBLEM and "encrypted" in f.found]
    assert "data files" in {finding.check for finding in findings}
    for finding in findings:
        assert "keys" in finding.advice
        assert Path(finding.places[0].file).suffix == ".parquet"
