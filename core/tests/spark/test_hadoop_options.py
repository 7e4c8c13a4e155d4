"""Access options of an object store in the words of Hadoop."""

from __future__ import annotations

from hoodoo.spark.hadoop_options import hadoop_options


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
