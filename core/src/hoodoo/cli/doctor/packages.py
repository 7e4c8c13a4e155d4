"""Checks of Python and of the packages that a session needs."""

from __future__ import annotations

import platform
import sys
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version

from packaging.version import Version

from hoodoo.__about__ import __version__
from hoodoo.cli.doctor.check_result import Check, Status
from hoodoo.spark.pyspark_version import MINIMUM_PYSPARK

__all__ = ["check_packages"]

_INSTALL = '`pip install "hoodoo-core[spark]"`'
_NEEDED = {"pyspark": MINIMUM_PYSPARK, "pyarrow": "18", "pandas": "2.2"}
_CONNECT = {"grpcio": "1.48.1", "grpcio-status": "1.48.1", "googleapis-common-protos": "1.56.4", "zstandard": "0.25"}


def check_packages() -> Iterator[Check]:
    """Yield the checks of hoodoo, Python, PySpark, and the packages that PySpark needs for Arrow and Spark Connect."""
    yield Check("hoodoo", Status.OK, __version__)
    yield Check("python", Status.OK, f"{platform.python_version()} ({sys.executable})")
    for name, minimum in _NEEDED.items():
        fault = _fault(name, minimum)
        if fault is None:
            yield Check(name, Status.OK, version(name))
        else:
            yield Check(name, Status.PROBLEM, fault, _INSTALL)
    faults = [fault for name, minimum in _CONNECT.items() if (fault := _fault(name, minimum)) is not None]
    if faults:
        yield Check("connect", Status.WARNING, "; ".join(faults), f"for Spark Connect only: {_INSTALL}")
    else:
        yield Check("connect", Status.OK, ", ".join(f"{name} {version(name)}" for name in _CONNECT))


def _fault(name: str, minimum: str) -> str | None:
    try:
        found = version(name)
    except PackageNotFoundError:
        return f"{name} is not installed"
    return None if Version(found) >= Version(minimum) else f"{name} {found} is older than {minimum}"
