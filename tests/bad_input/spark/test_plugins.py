"""Plugins that raise, or that are missing or not allowed, in Python workers."""

from __future__ import annotations

import pyspark
import pytest
from packaging.version import Version
from pyspark.errors import AnalysisException, PythonException

import hoodoo
from hoodoo.errors import PluginFault, PluginNotAllowed, UnknownPlugin

from .usual_input import ROWS, assert_readable

pytestmark = pytest.mark.spark

MERGER = """
@frozen
class Plugin:
    laws = frozenset()
    def merge(self, older, newer, context, config):
        {body}
"""


def test_a_plugin_that_raises_on_an_executor(site, send, refuses, executors):
    executors["PYTHONPATH"] = str(site.path)
    site.install("merger", "faulty", MERGER.format(body="raise ZeroDivisionError('oops')"))
    send(merger="faulty")

    def repaired():
        site.install("merger", "faulty", MERGER.format(body="return Outcome.all(Choice.TAKE, len(newer))"))
        executors["HOODOO_TEST_WORKERS"] = "new ones, which import the plugin again"
        send()

    error = refuses.late(
        PluginFault,
        "plugin_fault",
        "merger 'faulty'",
        "acme-faulty 1.5",
        "ZeroDivisionError: oops",
        "keys such as '",
        write=send,
        good=repaired,
    )

    assert_readable(error)
    lines = str(error).splitlines()
    assert len(lines) == 2
    assert lines[0] == "merger 'faulty' (acme-faulty 1.5) raised ZeroDivisionError: oops"
    assert f'File "{site.path / "acme_faulty.py"}", line ' in lines[1]
    assert "in merge; keys such as '" in lines[1]


@pytest.mark.nightly
def test_a_plugin_that_raises_in_a_read(spark, place, site, send, executors):
    """Spark shows the error of the worker when the user runs the query: message first, then the traceback."""
    executors["PYTHONPATH"] = str(site.path)
    site.install("merger", "faulty", MERGER.format(body="raise ZeroDivisionError('oops')"))
    send(merger="faulty", table_type="MERGE_ON_READ")
    send(merger="faulty", table_type="MERGE_ON_READ")
    frame = hoodoo.read(spark, place.path)

    with pytest.raises(PythonException) as caught:
        frame.collect()

    lines = str(caught.value).splitlines()
    found = next(number for number, line in enumerate(lines) if "merger 'faulty' (acme-faulty 1.5) raised" in line)
    if Version(pyspark.__version__) >= Version("4.0"):
        assert found <= 2, "Spark's header has more than two lines"
    assert f'File "{site.path / "acme_faulty.py"}", line ' in lines[found]
    assert "in merge; keys such as '" in lines[found]
    assert any(line.startswith("ZeroDivisionError: oops") for line in lines), "the cause is missing"


@pytest.mark.nightly
@pytest.mark.skipif(Version(pyspark.__version__) < Version("4.0"), reason="older Spark has no Python data sources")
def test_a_plugin_that_the_planner_of_the_data_source_lacks(spark, place, site, send, executors):
    """Spark plans a data source in a worker of the driver, whose error begins with the message too."""
    executors["PYTHONPATH"] = str(site.path)
    site.install("merger", "faulty", MERGER.format(body="return Outcome.all(Choice.TAKE, len(newer))"))
    send(merger="faulty", table_type="MERGE_ON_READ")
    send(merger="faulty", table_type="MERGE_ON_READ")

    with pytest.raises(AnalysisException) as caught:
        spark.read.format("hoodoo").load(str(place.path))

    first = str(caught.value).splitlines()[0]
    assert (
        "hoodoo.errors.UnknownPlugin: merger 'faulty' of this table is not installed; acme-faulty 1.5 provided it"
        in first
    )
    assert "pip install acme-faulty==1.5" in first


@pytest.mark.nightly
def test_a_plugin_written_by_row_that_raises_on_an_executor(site, send, refuses, executors):
    executors["PYTHONPATH"] = str(site.path)
    body = MERGER.replace("class Plugin:", "class Plugin(RowMerger):").replace("    laws = frozenset()\n", "")
    site.install("merger", "by-row", body.format(body="return None if newer.key != 'b' else older.data['gone']"))
    send(merger="by-row")

    error = refuses.late(
        PluginFault,
        "plugin_fault",
        "merger 'by-row'",
        "acme-by-row 1.5",
        "KeyError",
        "key 'b'",
        write=send,
        good=lambda: send(ROWS[2:]),
    )

    assert_readable(error)


@pytest.mark.nightly
def test_a_plugin_that_executors_lack(site, send, refuses):
    site.install("merger", "driver-only", MERGER.format(body="return Outcome.all(Choice.TAKE, len(newer))"))

    error = refuses.late(
        UnknownPlugin,
        "unknown_plugin",
        "merger 'driver-only'",
        "acme-driver-only",
        "cannot run it",
        "on host",
        "pip install acme-driver-only==1.5",
        write=lambda: send(merger="driver-only"),
        good=send,
    )

    assert_readable(error)


@pytest.mark.nightly
def test_a_plugin_that_executors_do_not_allow(send, refuses, executors):
    executors["HOODOO_PLUGINS"] = "keygen:simple"

    error = refuses.late(
        PluginNotAllowed,
        "plugin_not_allowed",
        "merger 'event-time'",
        "HOODOO_PLUGINS",
        "cannot run it",
        write=send,
        good=lambda: (executors.pop("HOODOO_PLUGINS"), send()),
    )

    assert_readable(error)
