"""Programs that Cargo builds."""

from __future__ import annotations

import importlib.util
import os
import shlex
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

__all__ = ["built", "missing"]

CACHE = Path(__file__).resolve().parents[2] / ".pytest_cache/d"


def missing() -> str | None:
    """Return the reason why programs cannot be built on this machine; None if they can."""
    if shutil.which("cargo") is None:
        return "cargo is not on the PATH"
    if _compiler() is None:
        return "no compiler of protocol buffers: protoc is not on the PATH, and the package grpcio-tools is missing"
    return None


def built(package: Path) -> Path:
    """Return the executable of a package, which Cargo builds if its sources changed.

    Args:
        package: The folder of the package, whose name is that of its program.
    """
    manifest = package / "Cargo.toml"
    program = tomllib.loads(manifest.read_text())["package"]["name"]
    folder = CACHE / program
    folder.mkdir(parents=True, exist_ok=True)
    command = ["cargo", "build", "--quiet", "--release", "--locked", "--manifest-path", str(manifest)]
    environment = {**os.environ, "CARGO_TARGET_DIR": str(folder / "target"), "PROTOC": str(_protoc(folder))}
    subprocess.run(command, env=environment, check=True)
    return folder / "target/release" / program


def _compiler() -> list[str] | None:
    """Return the command of a compiler of protocol buffers, which crates need; None if there is none."""
    found = os.environ.get("PROTOC") or shutil.which("protoc")
    if found:
        return [found]
    return [sys.executable, "-m", "grpc_tools.protoc"] if importlib.util.find_spec("grpc_tools") else None


def _protoc(folder: Path) -> Path:
    """Return a script that runs the compiler of protocol buffers, at the same path for each compiler."""
    command, script = _compiler(), folder / "protoc"
    assert command is not None
    script.write_text(f'#!/bin/sh\nexec {shlex.join(command)} "$@"\n')
    script.chmod(0o755)
    return script
