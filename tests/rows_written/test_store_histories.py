"""Short random histories in S3, Azure, Google Cloud Storage and HDFS.

After every write the readers return the rows of a dictionary model.

`HOODOO_STORE_HISTORIES` is the number of histories of each case. The `hudi` package reads the tables in S3.
"""

from __future__ import annotations

import os
from itertools import count

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from tests.support.stores import STORES, store_access

from .comparing import Place
from .histories import INDEXES, PARTITIONINGS, settings_of
from .test_histories import replay

pytestmark = pytest.mark.slow

_numbers = count()


@pytest.mark.parametrize("index", INDEXES)
@pytest.mark.parametrize("table_type", ["COPY_ON_WRITE", "MERGE_ON_READ"])
@pytest.mark.parametrize("version", [6, 9])
@pytest.mark.parametrize("store", STORES)
@settings(
    max_examples=int(os.environ.get("HOODOO_STORE_HISTORIES", "2")),
    derandomize=True,
    database=None,
    deadline=None,
    print_blob=True,
    phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
)
@given(data=st.data())
def test_every_commit_leaves_what_the_model_predicts(
    request: pytest.FixtureRequest, store: str, version: int, table_type: str, index: str, data: st.DataObject
) -> None:
    access = store_access(request, store)
    partitioning = data.draw(st.sampled_from(("none", "hive", "encoded")), label="partitioning")
    setting = data.draw(settings_of(version, table_type, index, PARTITIONINGS[partitioning]), label="setting")
    place = Place(access.new_location(f"lake/table-{next(_numbers)}"), access.options, access.package_options)
    replay(data, setting, place, writes=(3, 4))
