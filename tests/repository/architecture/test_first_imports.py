"""A program can import each module of the core first: no import depends on an earlier one."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

SOURCE = Path(__file__).resolve().parents[3] / "core/src"

# The libraries are imported once; a child process for each module then imports it first of the core.
PROGRAM = """
import importlib, os, sys, attrs, pyarrow
for name in sys.argv[1:]:
    child = os.fork()
    if child == 0:
        try:
            importlib.import_module(name)
        except BaseException as error:
            print(f"{name}: {error!r}", flush=True)
        os._exit(0)
    os.waitpid(child, 0)
"""


@pytest.mark.nightly
def test_every_module_can_be_imported_first() -> None:
    pytest.importorskip("pyspark")
    paths = (path.relative_to(SOURCE).with_suffix("") for path in SOURCE.glob("hoodoo/**/*.py"))
    modules = sorted(".".join(path.parts).removesuffix(".__init__") for path in paths)
    assert len(modules) > 100

    done = subprocess.run([sys.executable, "-c", PROGRAM, *modules], capture_output=True, text=True, check=True)

    assert done.stdout == ""
