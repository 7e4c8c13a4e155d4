"""Operation bootstrap in the preparation of a write."""

from __future__ import annotations

import warnings
from typing import Any

import pyarrow as pa
import pytest

from hoodoo.archived_timeline import load_timeline
from hoodoo.errors import OptionError, TableExists
from hoodoo.options import NoEffectWarning, Options, parse
from hoodoo.plugin import default_catalogue
from hoodoo.properties import load_properties
from hoodoo.storage import storage_for
from hoodoo.testing.engine import write_arrow
from hoodoo.writing.prepare.bootstrap_checks import bootstrap_keys, check_first_commit, copying
from hoodoo.writing.prepare.prepare import GROUPS

COPY = {"operation": "bootstrap", "bootstrap_path": "/files", "bootstrap_selector": "FULL_RECORD"}


def given(**options: Any) -> Options:
    return parse(options, GROUPS)


def test_a_bootstrap_is_a_bulk_insert():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert copying(given(**COPY)).operation == "bulk_insert"
        assert copying(given()).operation == "upsert"


def test_a_bootstrap_without_a_copy_is_refused():
    with pytest.raises(OptionError, match="METADATA_ONLY"):
        copying(given(operation="bootstrap", bootstrap_path="/files"))


def test_options_of_a_bootstrap_have_no_effect_on_other_operations():
    with pytest.warns(
        NoEffectWarning, match="no effect on operation insert; leave out 'bootstrap_path', 'bootstrap_selector'"
    ):
        assert copying(given(**{**COPY, "operation": "insert"})).operation == "insert"


@pytest.mark.parametrize(
    ("options", "keygen"),
    [
        ({}, None),
        ({"hoodie.bootstrap.keygen.class": "org.apache.hudi.keygen.ComplexKeyGenerator"}, "ComplexKeyGenerator"),
        ({"hoodie.bootstrap.keygen.type": "COMPLEX"}, "COMPLEX"),
        ({"bootstrap_keygen": "COMPLEX", "keygen": "complex"}, "complex"),
    ],
)
def test_the_key_generator_of_a_bootstrap_is_that_of_the_table(options, keygen):
    found = bootstrap_keys(given(**COPY, **options), default_catalogue()).keygen
    assert found == keygen or str(found).endswith(f".{keygen}")
    assert bootstrap_keys(given(operation="insert", bootstrap_keygen="COMPLEX"), default_catalogue()).keygen is None


def test_two_key_generators_are_refused():
    with pytest.raises(OptionError, match="one key generator for all its rows"):
        bootstrap_keys(given(**COPY, bootstrap_keygen="COMPLEX", keygen="simple"), default_catalogue())


def test_only_a_table_without_commits_is_bootstrapped(tmp_path):
    rows = pa.table({"id": ["a"]})
    write_arrow(rows, tmp_path, {"table_name": "t", "record_key": "id", "write_id": "first"})
    storage = storage_for(tmp_path)
    timeline = load_timeline(storage, load_properties(storage))

    check_first_commit(timeline, storage.uri, "first")
    for write_id in (None, "second"):
        with pytest.raises(TableExists, match="has commits; use mode 'overwrite'"):
            check_first_commit(timeline, storage.uri, write_id)
