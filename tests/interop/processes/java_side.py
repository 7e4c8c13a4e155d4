"""Small Java programs in this folder: compiled and run with jars that Maven fetches."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

__all__ = ["dependencies", "missing_compiler", "program"]

_SOURCES = Path(__file__).with_name("java")
_PLUGIN = "org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy-dependencies"


def missing_compiler() -> str | None:
    """Return the reason why programs cannot be compiled on this machine; None if they can."""
    return "javac is not on the PATH" if shutil.which("javac") is None else None


def dependencies(artifacts: Sequence[str], folder: Path) -> Path:
    """Return a folder with artifacts (`group:name:version`) and their dependencies; fetch them on the first call."""
    jars, ready = folder / "jars", folder / "ready"
    if not ready.exists():
        folder.mkdir(parents=True, exist_ok=True)
        parts = (artifact.split(":") for artifact in artifacts)
        listed = "".join(
            f"<dependency><groupId>{g}</groupId><artifactId>{a}</artifactId><version>{v}</version></dependency>"
            for g, a, v in parts
        )
        (folder / "pom.xml").write_text(
            "<project><modelVersion>4.0.0</modelVersion><groupId>hoodoo</groupId><artifactId>jars</artifactId>"
            f"<version>1</version><dependencies>{listed}</dependencies></project>"
        )
        command = ["mvn", "-q", "-B", "-f", str(folder / "pom.xml"), "-DincludeScope=runtime"]
        subprocess.run([*command, f"-DoutputDirectory={jars}", _PLUGIN], check=True)
        ready.touch()
    return jars


def program(sources: Sequence[str], classpath: str, folder: Path) -> list[str]:
    """Compile programs into a folder, and return the command that runs the first one, without its arguments."""
    folder.mkdir(parents=True, exist_ok=True)
    files = [str(_SOURCES / f"{source.rpartition('.')[2]}.java") for source in sources]
    # the jars of Hudi name annotations that they do not hold
    subprocess.run(["javac", "-nowarn", "-proc:none", "-d", str(folder), "-cp", classpath, *files], check=True)
    return ["java", "-cp", f"{folder}:{classpath}", sources[0]]
