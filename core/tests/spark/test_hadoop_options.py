"""Access options of an object store in the words of Hadoop."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from hoodoo.spark.hadoop_options import hadoop_options, with_hadoop_options


def test_access_options_in_the_words_of_hadoop(monkeypatch):
    for name in ("AWS_ENDPOINT_URL", "AWS_REGION"):
        monkeypatch.delenv(name, raising=False)
    assert hadoop_options({}) == {}
    assert hadoop_options({"s3_endpoint": "http://x", "s3_ssl": False, "s3_access_key": "a"}) == {
        "fs.s3a.endpoint": "http://x",
        "fs.s3a.connection.ssl.enabled": "false",
        "fs.s3a.access.key": "a",
        "fs.s3a.path.style.access": "true",
    }
    assert hadoop_options({"s3_endpoint": "x", "s3_path_style": False})["fs.s3a.path.style.access"] == "false"
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://y")
    monkeypatch.setenv("AWS_REGION", "eu-1")
    assert hadoop_options({"s3_region": "us-1"}) == {
        "fs.s3a.endpoint": "http://y",
        "fs.s3a.endpoint.region": "us-1",
        "fs.s3a.path.style.access": "true",
    }


def test_a_role_of_the_options_is_assumed_by_hadoop_too(monkeypatch):
    for name in ("AWS_ENDPOINT_URL", "AWS_REGION"):
        monkeypatch.delenv(name, raising=False)
    assert hadoop_options({"s3_role": "arn:aws:iam::1:role/r", "s3_requester_pays": True}) == {
        "fs.s3a.assumed.role.arn": "arn:aws:iam::1:role/r",
        "fs.s3a.aws.credentials.provider": "org.apache.hadoop.fs.s3a.auth.AssumedRoleCredentialProvider",
        "fs.s3a.requester.pays.enabled": "true",
    }


@pytest.mark.parametrize("provider", ["", "org.apache.hadoop.fs.s3a.auth.AssumedRoleCredentialProvider"])
def test_a_role_of_the_session_counts_as_for_hadoop(provider):
    settings = {
        "spark.hadoop.fs.s3a.assumed.role.arn": "arn:aws:iam::1:role/r",
        "spark.hadoop.fs.s3a.encryption.algorithm": "SSE-KMS",
        "spark.hadoop.fs.s3a.aws.credentials.provider": provider,
    }
    spark = SimpleNamespace(conf=settings)
    found = with_hadoop_options(spark, "s3a://b/t", {})
    assert found == {"s3_encryption": "SSE-KMS", **({"s3_role": "arn:aws:iam::1:role/r"} if provider else {})}
