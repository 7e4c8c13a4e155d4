"""Options of S3: encryption by the store, buckets whose requester pays, assumed roles, and settings without effect."""

from __future__ import annotations

import sys

import pytest

from hoodoo import Table
from hoodoo.errors import OptionError, StorageError
from hoodoo.options import NoEffectWarning
from hoodoo.storage import storage_for
from hoodoo.testing.engine import write_arrow

from .small_table import FIRST, TABLE, stored

pytestmark = pytest.mark.slow

KEY = "arn:aws:kms:us-east-1:123456789012:key/2f5c"
ROLE = "arn:aws:iam::123456789012:role/writer"


@pytest.fixture
def bucket(make_bucket):
    return make_bucket()


@pytest.mark.parametrize(
    ("given", "stated"),
    [
        ({"fs.s3a.encryption.algorithm": "SSE-KMS", "fs.s3a.encryption.key": KEY}, ("aws:kms", KEY)),
        ({"fs.s3a.server-side-encryption-algorithm": "AES256"}, ("AES256", None)),
        ({"s3_encryption": "dsse-kms"}, ("aws:kms:dsse", None)),
    ],
)
def test_each_object_of_a_table_is_encrypted(bucket, s3_client, s3_options, given, stated):
    path = f"s3://{bucket}/lake/t"
    write_arrow(FIRST, path, {**TABLE, **s3_options, **given})

    objects = [each["Key"] for each in s3_client.list_objects_v2(Bucket=bucket)["Contents"]]
    assert any(key.endswith(".parquet") for key in objects)
    for key in objects:
        head = s3_client.head_object(Bucket=bucket, Key=key)
        assert (head.get("ServerSideEncryption"), head.get("SSEKMSKeyId")) == stated, key
    # readers need no such option
    assert len(stored(path, {**TABLE, **s3_options})) == FIRST.num_rows


def test_settings_that_only_tune_hadoops_client_have_no_effect(bucket, s3_options):
    options = {**TABLE, **s3_options, "fs.s3a.connection.maximum": "100", "fs.s3a.fast.upload": "true"}
    with pytest.warns(NoEffectWarning, match=r"fs\.s3a\.connection\.maximum"):
        write_arrow(FIRST, f"s3://{bucket}/t", options)


def test_keys_of_the_customer_are_refused(bucket, s3_options):
    options = {**TABLE, **s3_options, "fs.s3a.encryption.algorithm": "SSE-C"}
    with pytest.raises(OptionError, match=r"'fs.s3a.encryption.algorithm' cannot be 'SSE-C'"):
        write_arrow(FIRST, f"s3://{bucket}/t", options)


@pytest.mark.parametrize("given", [{}, {"s3_encryption": "AES256"}])
def test_a_key_without_its_encryption_is_refused(bucket, s3_client, s3_options, given):
    options = {**TABLE, **s3_options, **given, "s3_encryption_key": KEY}
    with pytest.raises(OptionError, match="set 's3_encryption' to sse-kms or dsse-kms"):
        write_arrow(FIRST, f"s3://{bucket}/t", options)
    assert "Contents" not in s3_client.list_objects_v2(Bucket=bucket)


def test_a_role_is_assumed_for_all_requests(bucket, s3_endpoint, s3_options):
    path = f"s3://{bucket}/lake/t"
    role = {"fs.s3a.assumed.role.arn": ROLE, "fs.s3a.assumed.role.sts.endpoint": s3_endpoint}
    options = {**TABLE, **s3_options, **role, "fs.s3a.requester.pays.enabled": "true"}
    write_arrow(FIRST, path, options)
    assert len(stored(path, options)) == FIRST.num_rows
    assert Table(path, options).to_arrow().num_rows == FIRST.num_rows


def test_a_package_that_a_role_needs_is_named(bucket, s3_options, monkeypatch):
    monkeypatch.setitem(sys.modules, "boto3", None)
    with pytest.raises(OptionError, match=r"pip install 'hoodoo-core\[s3-role\]'"):
        write_arrow(FIRST, f"s3://{bucket}/t", {**TABLE, **s3_options, "s3_role": ROLE})


def test_a_role_that_is_not_assumed_is_an_error_without_secrets(bucket, s3_options):
    options = {**s3_options, "s3_role": ROLE, "s3_role_endpoint": "http://127.0.0.1:1", "s3_role_session": "tests"}
    with pytest.raises(StorageError, match="'s3_role' was not assumed: EndpointConnectionError") as refused:
        storage_for(f"s3://{bucket}/t", options).read("a")
    assert options["fs.s3a.secret.key"] not in str(refused.value)
