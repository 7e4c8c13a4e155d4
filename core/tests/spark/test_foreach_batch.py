"""The function for the micro-batches of a stream, and the id of its query; sessions are simple objects here."""

from __future__ import annotations

import pickle
from types import SimpleNamespace

import pytest

pytest.importorskip("pyspark", reason="the module imports PySpark")

from hoodoo.errors import OptionError
from hoodoo.spark.foreach_batch import BatchWriter, _query_id, foreach_batch

ConnectSession = type("SparkSession", (SimpleNamespace,), {"__module__": "pyspark.sql.connect.session"})


def session(**queries):
    active = [SimpleNamespace(name=None if name == "unnamed" else name, id=id_) for name, id_ in queries.items()]
    return ConnectSession(streams=SimpleNamespace(active=active))


def test_the_only_query_of_the_original_session_is_the_one():
    copy = session(other="2")
    assert _query_id(copy, session(unnamed="1"), None) == "1"
    assert _query_id(copy, session(first="1", second="2"), "second") == "2"
    assert _query_id(session(first="1"), None, None) == "1"


@pytest.mark.parametrize(
    ("root", "name", "message"),
    [
        (
            session(first="1", second="2"),
            None,
            r"its session has 2 streaming queries \(names: 'first', 'second'\)",
        ),
        (session(), None, r"its session has 0 streaming queries \(names: -\)"),
        (session(first="1"), "second", r"1 streaming query, 0 of them with the name 'second' \(names: 'first'\)"),
    ],
)
def test_a_query_that_is_not_clear_is_refused(root, name, message):
    with pytest.raises(OptionError, match=message) as error:
        _query_id(session(), root, name)
    assert "query_name=NAME" in str(error.value)


def test_the_server_receives_the_same_function():
    """A loaded copy of the pickled function is equal: it has path, options, mode and query name, but no session."""
    made = foreach_batch("/t", {"record_key": "id"}, query_name="events")
    received = pickle.loads(pickle.dumps(made))
    assert received == made == BatchWriter("/t", {"record_key": "id"}, "append", "events")


def test_the_mode_of_a_stream_has_any_case():
    assert foreach_batch("/t", {}, mode="Overwrite").mode == "overwrite"
    with pytest.raises(OptionError, match="mode is 'Ignore'"):
        foreach_batch("/t", {}, mode="Ignore")


def test_a_stream_does_not_bootstrap():
    options = {"operation": "bootstrap", "bootstrap_path": "/files", "bootstrap_selector": "FULL_RECORD"}
    with pytest.raises(OptionError, match="copies existing files once"):
        foreach_batch("/t", options)
