"""The catalog provider `glue`, with a server that simulates AWS Glue."""

from __future__ import annotations

from typing import Any

import attrs
import boto3
import pytest
from hoodoo_catalog_glue import GlueCatalog

from hoodoo.errors import CatalogError, OptionError
from hoodoo.plugin import CatalogColumn, CatalogPartition, CatalogTable, default_catalogue
from hoodoo.testing import CatalogSuite

pytestmark = pytest.mark.slow

SECRET = "wJalrXUtnFEMIK7MDENGbPxRfiCY"
TABLE = CatalogTable("sales", "Trips", (CatalogColumn("Id", "int"),), (), "s3://b/trips", "in", "out", "serde")


@pytest.fixture
def options(aws_endpoint: str) -> dict[str, Any]:
    return {
        "hoodie.aws.glue.endpoint": aws_endpoint,
        "hoodie.aws.glue.region": "eu-central-1",
        "hoodie.aws.access.key": "AKIAHOODOOTESTS",
        "hoodie.aws.secret.key": SECRET,
    }


class TestGlue(CatalogSuite):
    plugin = "glue"

    @pytest.fixture(autouse=True)
    def _server(self, options: dict[str, Any]) -> None:
        type(self).options = options


def made(options: dict[str, Any], name: str = "org.apache.hudi.aws.sync.AwsGlueCatalogSyncTool") -> GlueCatalog:
    glue: GlueCatalog = default_catalogue().load("catalog", name).make(options)
    return glue


def client(options: dict[str, Any]) -> Any:
    return boto3.client(
        "glue",
        region_name="eu-central-1",
        endpoint_url=options["hoodie.aws.glue.endpoint"],
        aws_access_key_id="AKIAHOODOOTESTS",
        aws_secret_access_key=SECRET,
    )


def test_names_are_in_lower_case_and_athena_is_told_how_to_list(options: dict[str, Any]) -> None:
    glue = made({**options, "hoodie.datasource.meta.sync.glue.metadata_file_listing": "true"})
    glue.create_database("Sales")
    glue.create_table(TABLE)
    found = client(options).get_table(DatabaseName="sales", Name="trips")["Table"]

    assert found["TableType"] == "EXTERNAL_TABLE"
    assert found["Parameters"] == {"hudi.metadata-listing-enabled": "TRUE"}
    assert [column["Name"] for column in found["StorageDescriptor"]["Columns"]] == ["id"]


def test_facts_of_other_programs_remain(options: dict[str, Any]) -> None:
    glue, table = made(options), attrs.evolve(TABLE, database="kept")
    glue.create_database("kept")
    glue.create_table(table)
    aws = client(options)
    theirs = aws.get_table(DatabaseName="kept", Name="trips")["Table"]
    descriptor = {**theirs["StorageDescriptor"], "Parameters": {"classification": "parquet"}}
    changed = {"Name": "trips", "Owner": "ann", "Description": "rides", "StorageDescriptor": descriptor}
    aws.update_table(DatabaseName="kept", TableInput={**changed, "Parameters": {"team": "fares"}})

    glue.alter_table(attrs.evolve(table, properties={"new": "1"}), cascade=False)
    found = aws.get_table(DatabaseName="kept", Name="trips")["Table"]

    assert (found["Owner"], found["Description"]) == ("ann", "rides")
    assert found["StorageDescriptor"]["Parameters"] == {"classification": "parquet"}
    assert found["Parameters"].items() >= {"team": "fares", "new": "1"}.items()


def test_partitions_get_the_columns_of_the_table_by_a_cascade(options: dict[str, Any]) -> None:
    city = (CatalogColumn("city", "string"),)
    glue, table = made(options), attrs.evolve(TABLE, database="cascades", partition_columns=city)
    glue.create_database("cascades")
    glue.create_table(table)
    glue.add_partitions(table, [CatalogPartition(("oslo",), "s3://b/trips/oslo")])

    def types() -> list[str]:
        [found] = client(options).get_partitions(DatabaseName="cascades", TableName="trips")["Partitions"]
        return [column["Type"] for column in found["StorageDescriptor"]["Columns"]]

    wide = attrs.evolve(table, columns=(CatalogColumn("id", "bigint"),))
    glue.alter_table(wide, cascade=False)
    assert types() == ["int"]
    glue.alter_table(wide, cascade=True)
    assert types() == ["bigint"]


def test_a_refused_call_names_address_and_table(options: dict[str, Any]) -> None:
    glue = made(options)

    with pytest.raises(CatalogError, match=r"AWS Glue \(http.*: table nowhere.Trips cannot be created: .*nowhere"):
        glue.create_table(attrs.evolve(TABLE, database="nowhere"))
    with pytest.raises(CatalogError, match=r"table nowhere.Trips was dropped"):
        glue.alter_table(attrs.evolve(TABLE, database="nowhere"), cascade=False)


def test_an_error_in_the_answer_to_a_batch_is_raised(options: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """A successful response may list errors; one other than that of an existing partition is raised."""
    glue = made(options)
    error = {"PartitionValues": ["oslo"], "ErrorDetail": {"ErrorCode": "Throttled", "ErrorMessage": "slow down"}}

    class Partly:
        def batch_create_partition(self, **_: Any) -> dict[str, Any]:
            return {"Errors": [{**error, "ErrorDetail": {"ErrorCode": "AlreadyExistsException"}}, error]}

    monkeypatch.setattr(glue, "_client", Partly())
    with pytest.raises(CatalogError, match=r"cannot be added: \(oslo\): Throttled: slow down"):
        glue.add_partitions(TABLE, [CatalogPartition(("oslo",), "s3://b/trips/oslo")])


def test_keys_that_a_large_answer_leaves_out_are_asked_again(
    options: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[Any] = []

    class Cut:
        def batch_get_partition(self, PartitionsToGet: list[Any], **_: Any) -> dict[str, Any]:  # noqa: N803 - boto3
            asked.append(PartitionsToGet)
            first, rest = PartitionsToGet[:1], PartitionsToGet[1:]
            found = [{**each, "StorageDescriptor": {"Location": "s3://b"}} for each in first]
            return {"Partitions": found, "UnprocessedKeys": rest}

    glue = made(options)
    monkeypatch.setattr(glue, "_client", Cut())

    assert [each.values for each in glue.find_partitions(TABLE, [("a",), ("b",)])] == [("a",), ("b",)]
    assert len(asked) == 2


def test_no_message_has_a_secret(options: dict[str, Any]) -> None:
    glue = made({**options, "hoodie.aws.glue.endpoint": f"http://127.0.0.1:1/{SECRET}"})

    with pytest.raises(CatalogError) as raised:
        glue.has_database("sales")
    assert "cannot be read" in str(raised.value)
    assert SECRET not in repr(glue).replace(str(glue.endpoint_url), "")
    with pytest.raises(OptionError, match=r"secret\.key is set without hoodie\.aws\.access\.key; set both") as refused:
        made({"hoodie.aws.secret.key": SECRET})
    assert SECRET not in str(refused.value)
