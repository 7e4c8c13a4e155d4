"""Jars that Maven downloads for tests, once per checkout."""

from __future__ import annotations

import subprocess
from pathlib import Path

__all__ = ["fetched_jars"]

ROOT = Path(__file__).resolve().parents[2]


def fetched_jars(cache: str, pom: str) -> Path:
    """Return the folder with the jars that a project depends on, directly or not; download them on the first call.

    Args:
        cache: The name of the folder for the jars.
        pom: The text of the file pom.xml of the project.
    """
    folder = ROOT / ".pytest_cache" / "d" / cache
    jars, ready = folder / "jars", folder / "ready"
    if not ready.exists():
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "pom.xml").write_text(pom, encoding="utf-8")
        goal = "org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy-dependencies"
        arguments = ("-q", "-B", "-f", str(folder / "pom.xml"), "-DincludeScope=runtime", f"-DoutputDirectory={jars}")
        subprocess.run(["mvn", *arguments, goal], check=True)
        ready.touch()
    return jars
