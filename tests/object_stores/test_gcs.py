"""Tables in Google Cloud Storage that a Spark session writes and reads."""

from __future__ import annotations

import pytest

import hoodoo

from .small_table import TABLE

pytestmark = [pytest.mark.slow, pytest.mark.spark]

KEY_FILE = "fs.gs.auth.service.account.json.keyfile"


def test_a_session_gives_the_key_file(spark, gcs_options, make_gcs_bucket):
    path = f"gs://{make_gcs_bucket()}/la ke/\u00fc@t"
    spark.conf.set(f"spark.hadoop.{KEY_FILE}", gcs_options[KEY_FILE])
    try:
        for number, names in enumerate((["one", "two"], ["ONE", "two"])):
            frame = spark.createDataFrame(
                [(n, number, "c", name) for n, name in enumerate(names)], "id long, ts long, city string, v string"
            )
            hoodoo.write(frame, path, {**TABLE, "table_type": "MERGE_ON_READ"})
        read = hoodoo.read(spark, path).select("id", "v")
        assert {tuple(row) for row in read.collect()} == {(0, "ONE"), (1, "two")}
    finally:
        spark.conf.unset(f"spark.hadoop.{KEY_FILE}")
