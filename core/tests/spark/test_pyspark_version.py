"""A Python or PySpark that is missing or too old is named in one sentence, before a module fails to import it."""

from __future__ import annotations

import importlib
import runpy
import sys
from types import ModuleType

import pytest

import hoodoo
from hoodoo.errors import OptionError, UnsupportedVersion
from hoodoo.spark.pyspark_version import (
    ARROW_FUNCTIONS,
    DATA_SOURCES,
    SESSION_CALLS,
    WIDER_NUMBERS,
    require_pyspark,
)
from hoodoo.spark.session import local_session

NAMES = ("disable", "enable", "foreach_batch", "read")


@pytest.fixture
def installed(monkeypatch):
    """Return a function that replaces PySpark with a module of this version, or hides PySpark if the version is None.

    It also removes the functions that hoodoo has imported already.
    """

    def install(version):
        for name in NAMES:
            monkeypatch.delitem(vars(hoodoo), name, raising=False)
        for module in [name for name in sys.modules if name.partition(".")[0] == "pyspark"]:
            monkeypatch.delitem(sys.modules, module)
        if version is None:
            monkeypatch.setitem(sys.modules, "pyspark", None)
        else:
            fake = ModuleType("pyspark")
            fake.__version__ = version
            monkeypatch.setitem(sys.modules, "pyspark", fake)

    return install


@pytest.mark.parametrize("version", ["2.4.8", "3.4.3", "3.4.1-amzn-2"])
def test_an_old_pyspark_is_named(installed, version):
    installed(version)
    for name in NAMES:
        with pytest.raises(UnsupportedVersion, match=f"needs PySpark 3.5 or later, and {version} is installed"):
            getattr(hoodoo, name)
    with pytest.raises(UnsupportedVersion, match=version):
        local_session()


def test_no_pyspark_is_said_with_the_command_that_installs_it(installed):
    installed(None)
    for call in (lambda: hoodoo.read, lambda: hoodoo.enable, local_session):
        with pytest.raises(OptionError, match=r"pip install \"hoodoo-core\[spark\]\""):
            call()


@pytest.mark.parametrize("version", ["3.5.0", "3.5.1-amzn-0", "3.5.2.1.dbr", "4.0.1", "4.1.2", "4.3.0", "5.0.0.dev1"])
def test_a_supported_pyspark_passes(installed, version):
    installed(version)
    require_pyspark()


@pytest.mark.parametrize(
    ("version", "lacking"),
    [
        ("3.5.9", {DATA_SOURCES, SESSION_CALLS, WIDER_NUMBERS, ARROW_FUNCTIONS}),
        ("4.0.1", {ARROW_FUNCTIONS}),
        ("4.1.0", set()),
        ("4.10.0", set()),
        ("10.0", set()),
    ],
)
def test_a_version_has_the_features_of_its_release(installed, version, lacking):
    installed(version)
    features = {DATA_SOURCES, SESSION_CALLS, WIDER_NUMBERS, ARROW_FUNCTIONS}
    assert {feature for feature in features if not feature.is_available()} == lacking


def test_the_data_source_is_refused_in_one_sentence_with_the_version_that_has_it(installed, monkeypatch):
    installed("3.5.6")
    for module in [name for name in sys.modules if name.partition(".")[0] == "pyspark_hoodoo"]:
        monkeypatch.delitem(sys.modules, module)
    with pytest.raises(UnsupportedVersion) as caught:
        importlib.import_module("pyspark_hoodoo")
    assert str(caught.value) == (
        "the Python data source `hoodoo` needs PySpark 4.0 or later, and 3.5.6 is installed; call hoodoo.enable(spark) "
        "first, or use hoodoo.read(spark, path) and hoodoo.write(df, path, options)"
    )


def test_a_python_without_distutils_is_named_for_a_pyspark_that_imports_it(installed, monkeypatch):
    monkeypatch.setattr(sys, "version_info", (3, 13, 1, "final", 0))
    monkeypatch.setattr("hoodoo.spark.pyspark_version.find_spec", lambda name: None)
    installed("4.0.0")
    require_pyspark()
    installed("3.5.9")
    with pytest.raises(UnsupportedVersion) as caught:
        require_pyspark()
    assert str(caught.value) == (
        "PySpark 3.5.9 imports distutils, which Python 3.13 does not have; use Python 3.11, use PySpark 4.0 or "
        "later, or install setuptools"
    )


def test_an_old_python_is_named(monkeypatch):
    monkeypatch.setattr(sys, "version_info", (3, 10, 4, "final", 0))
    with pytest.raises(Exception, match=r"^hoodoo needs Python 3\.11 or later, and this is Python 3\.10$"):
        runpy.run_path(hoodoo.__file__)
