"""A Python or PySpark that is missing or too old is named in one sentence, before a module fails to import it."""

from __future__ import annotations

import runpy
import sys
from types import ModuleType

import pytest

import hoodoo
from hoodoo.errors import OptionError, UnsupportedVersion
from hoodoo.spark.pyspark_version import require_pyspark
from hoodoo.spark.session import local_session

NAMES = ("disable", "enable", "foreach_batch", "read", "writer")


@pytest.fixture
def installed(monkeypatch):
    """Install a version of PySpark, None for no PySpark, and forget the functions that are imported already."""

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


@pytest.mark.parametrize("version", ["3.5.6", "4.0.1", "4.1.0.dev1"])
def test_an_old_pyspark_is_named(installed, version):
    installed(version)
    for name in NAMES:
        with pytest.raises(UnsupportedVersion, match=f"needs PySpark 4.1 or later, and {version} is installed"):
            getattr(hoodoo, name)
    with pytest.raises(UnsupportedVersion, match=version):
        local_session()


def test_no_pyspark_is_said_with_the_command_that_installs_it(installed):
    installed(None)
    for call in (lambda: hoodoo.writer, lambda: hoodoo.enable, local_session):
        with pytest.raises(OptionError, match=r"pip install \"hoodoo-core\[spark\]\""):
            call()


@pytest.mark.parametrize("version", ["4.1.0", "4.1.2", "4.3.0", "5.0.0.dev1"])
def test_a_supported_pyspark_passes(installed, version):
    installed(version)
    require_pyspark()


def test_an_old_python_is_named(monkeypatch):
    monkeypatch.setattr(sys, "version_info", (3, 10, 4, "final", 0))
    with pytest.raises(Exception, match=r"^hoodoo needs Python 3\.11 or later, and this is Python 3\.10$"):
        runpy.run_path(hoodoo.__file__)
