"""Checks of the Python that Spark's workers use, and of the data source in that Python."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from hoodoo.cli.doctor.check_result import Check, Status
from hoodoo.plugin import Catalogue
from hoodoo.spark.pyspark_version import DATA_SOURCES

__all__ = ["check_workers"]

_SECONDS = 120
_NAMED = 3
_SUBJECT = "workers"
_SOURCE = 'format("hoodoo")'


def check_workers() -> Iterator[Check]:
    """Yield the checks of the Python of workers, and of the data source in it.

    Workers should run this Python, or another one with the same packages, and Spark should find the data source.
    """
    chosen = os.environ.get("PYSPARK_PYTHON")
    command = chosen or "python3"
    wanted = f"PYSPARK_PYTHON={sys.executable}"
    own = _probe(sys.executable)
    seen = own
    if (path := shutil.which(command)) is None:
        found = f"PYSPARK_PYTHON is {chosen}, which is not a program" if chosen else "no python3 on the PATH"
        yield Check(_SUBJECT, _severity(chosen), found, f"set {wanted}, as `local_session` does")
    elif Path(path).absolute() == Path(sys.executable).absolute():
        yield Check(_SUBJECT, Status.OK, "this Python")
    else:
        other = _probe(path)
        differences = _differences(own, other)
        name = f"PYSPARK_PYTHON={chosen}" if chosen else f"python3 ({path}), used because PYSPARK_PYTHON is not set,"
        if differences:
            more = [f"and {len(differences) - _NAMED} more"] if len(differences) > _NAMED else []
            found = f"{name} is not this Python: {'; '.join([*differences[:_NAMED], *more])}"
            yield Check(_SUBJECT, _severity(chosen), found, f"set {wanted}, as `local_session` does")
        else:
            yield Check(_SUBJECT, Status.OK, f"{name} has the same packages")
        seen = other if chosen and isinstance(other, dict) else own
    if find_spec("pyspark") is None or DATA_SOURCES.is_available():
        yield from _check_data_source(seen)
    else:
        yield Check(_SOURCE, Status.OK, DATA_SOURCES.refusal())


def _severity(chosen: str | None) -> Status:
    # all sessions except `local_session` use a chosen interpreter; the default is not the user's mistake
    return Status.PROBLEM if chosen else Status.WARNING


def _probe(python: str) -> dict[str, Any] | str:
    """Return the description of a Python, or the reason why it cannot run."""
    source = (files("hoodoo.cli.doctor") / "worker_probe.py").read_text(encoding="utf-8")
    try:
        run = subprocess.run(  # noqa: S603 - the Python that Spark itself would run
            [python, "-c", source], capture_output=True, text=True, timeout=_SECONDS, stdin=subprocess.DEVNULL
        )
    except subprocess.TimeoutExpired:
        return f"{python} did not end within {_SECONDS} s"
    except OSError as error:
        return f"{python} does not run: {error}"
    if run.returncode:
        message = (run.stderr.strip().splitlines() or [""])[-1]
        return f"{python} failed with exit code {run.returncode}: {message}"
    description: dict[str, Any] = json.loads(run.stdout.splitlines()[-1])
    return description


def _differences(own: dict[str, Any] | str, other: dict[str, Any] | str) -> list[str]:
    for description in (own, other):
        if isinstance(description, str):
            return [description]
    assert isinstance(own, dict)
    assert isinstance(other, dict)
    if own["version"][:2] != other["version"][:2]:
        here, there = (".".join(map(str, description["version"])) for description in (own, other))
        return [f"it is Python {there}, and this is Python {here}"]
    if own["prefix"] == other["prefix"]:
        return []
    names = ["hoodoo-core", "pyspark", "pyarrow", *sorted({info.distribution for info in Catalogue().list()})]
    return [
        f"{name} {there.get(name, 'is missing')} there, {here.get(name, 'missing')} here"
        for here, there in [(_normalised(own), _normalised(other))]
        for name in dict.fromkeys(map(_normal, names))
        if here.get(name) != there.get(name)
    ]


def _normalised(description: Mapping[str, Any]) -> dict[str, str]:
    return {_normal(name): version for name, version in description["distributions"].items()}


def _normal(name: str) -> str:
    return name.lower().replace("_", "-")


def _check_data_source(description: dict[str, Any] | str) -> Iterator[Check]:
    if isinstance(description, str):
        yield Check(_SOURCE, Status.PROBLEM, description)
        return
    modules = description["modules"]
    faults = False
    for module in modules:
        if module["error"]:
            faults = True
            found = f"module {module['name']} in {module['folder']} cannot be imported: {module['error']}"
            advice = "Spark imports all pyspark_* modules and stops at the first failure: repair or uninstall this one"
            yield Check(_SOURCE, Status.PROBLEM, found, advice)
    offering = [module for module in modules if module["format"].lower() == "hoodoo"]
    if len(offering) > 1:
        faults = True
        found = "offered by " + ", ".join(f"{module['name']} ({module['folder']})" for module in offering)
        yield Check(_SOURCE, Status.PROBLEM, found, "uninstall all but pyspark_hoodoo: Spark uses any one of them")
    elif not offering and not any(module["name"] == "pyspark_hoodoo" for module in modules):
        faults = True
        advice = "reinstall hoodoo-core: its module pyspark_hoodoo cannot be found"
        yield Check(_SOURCE, Status.PROBLEM, "Spark would not find it", advice)
    if not faults:
        yield Check(_SOURCE, Status.OK, f"found in {offering[0]['folder']}" if offering else "found")
