"""Apache Hudi in a separate process: the bundle by Maven, PySpark from PyPI, jobs and answers as lines of JSON."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import venv
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.support.maven_jars import fetched_jars

from .job_process import JobProcess

__all__ = ["WITH_LANCE", "HudiFailed", "HudiSide", "bundle", "fetched", "missing", "pyspark", "start"]

WITH_LANCE = "+lance"
"""End of the name of a session with the library of Lance."""

_BUNDLE = "hudi-spark3.5-bundle_2.12"
_PYSPARK = "3.5.9"
_JAVA = range(11, 22)
"""Java versions that run Spark 3.5 and Hudi's bundle."""


_JARS_OF_LANCE = ("arrow-", "flatbuffers-", "jar-jni-", "lance-", "netty-")

_LANCE_PROJECT = """\
<project>
  <modelVersion>4.0.0</modelVersion>
  <groupId>tests</groupId><artifactId>lance-for-tests</artifactId><version>1</version>
  <dependencies>
    <dependency><groupId>org.lance</groupId><artifactId>lance-core</artifactId><version>4.0.0</version></dependency>
    <dependency>
      <groupId>org.lance</groupId><artifactId>lance-spark-3.5_2.12</artifactId><version>0.4.0</version>
      <exclusions>
        <exclusion><groupId>org.lance</groupId><artifactId>lance-core</artifactId></exclusion>
      </exclusions>
    </dependency>
  </dependencies>
</project>
"""


class HudiFailed(Exception):
    """Error of Hudi, with its own message."""


def missing() -> str | None:
    """Return the reason why Hudi cannot run on this machine; None if it can."""
    absent = [tool for tool in ("mvn", "java") if shutil.which(tool) is None]
    if absent:
        return f"{' and '.join(absent)} not on the PATH: Apache Hudi is fetched by Maven and runs on Java"
    shown = subprocess.run([_java(), "-version"], capture_output=True, text=True, check=True).stderr
    found = re.search(r'version "(?:1\.)?(\d+)', shown)
    if found is None or int(found[1]) not in _JAVA:
        return f"Java {_JAVA[0]} to {_JAVA[-1]} runs Spark 3.5; found {shown.splitlines()[0]}"
    return None


def bundle(release: str, folder: Path, name: str = _BUNDLE) -> Path:
    """Return the jar of a Hudi release; Maven downloads a missing one."""
    return fetched(f"org.apache.hudi:{name}:{release}", folder)


def fetched(artifact: str, folder: Path) -> Path:
    """Return the jar of an artifact `group:name:version`; Maven downloads a missing one."""
    _, name, version = artifact.split(":")
    jar = folder / f"{name}-{version}.jar"
    if not jar.exists():
        plugin = "org.apache.maven.plugins:maven-dependency-plugin:3.6.1"
        _run(["mvn", "-q", "-B", f"{plugin}:get", f"-Dartifact={artifact}", "-Dtransitive=false"])
        _run(["mvn", "-q", "-B", f"{plugin}:copy", f"-Dartifact={artifact}", f"-DoutputDirectory={folder}"])
    return jar


def pyspark(folder: Path) -> Path:
    """Return the interpreter of an environment with the PySpark of the bundle; create a missing environment."""
    home = folder / f"pyspark-{_PYSPARK}"
    python = home / "bin" / "python"
    if not (home / "ready").exists():
        venv.create(home, clear=True, with_pip=True)
        # setuptools: this PySpark imports distutils, which newer Pythons lack
        _run([str(python), "-m", "pip", "install", "-q", "setuptools", "wheel"])
        _run([str(python), "-m", "pip", "install", "-q", f"pyspark=={_PYSPARK}"])
        (home / "ready").touch()
    return python


def start(session: str, cache: Path, folder: Path, zone: str | None = None) -> HudiSide:
    """Start a session of Hudi.

    Args:
        session: A release of Hudi, with `WITH_LANCE` at the end for one that can write files in Lance format.
        cache: The folder for the downloaded bundles and the environment with PySpark.
        folder: The folder of Spark's files.
        zone: The time zone of the process; by default that of this machine.
    """
    release = session.removesuffix(WITH_LANCE)
    settings = {}
    if release != session:
        # before Spark's own jars, whose Arrow is too old for Lance
        settings["spark.driver.extraClassPath"] = ":".join(map(str, _lance_jars()))
    return HudiSide(pyspark(cache), bundle(release, cache), folder, zone, settings)


def _lance_jars() -> list[Path]:
    """Return the library of Lance in the version of Hudi 1.2.0 and what it needs; Spark has the other dependencies."""
    jars = fetched_jars("lance", _LANCE_PROJECT).glob("*.jar")
    return sorted(jar for jar in jars if jar.name.startswith(_JARS_OF_LANCE))


class HudiSide(JobProcess):
    """Running session of a Hudi release. Each job raises `HudiFailed` if Hudi raises an error.

    Args:
        python: Interpreter with PySpark.
        jar: Hudi's bundle.
        folder: The folder of Spark's files and of the log of the process.
        zone: The time zone of the process; by default that of this machine.
        settings: Further settings of the Spark session.
    """

    def __init__(
        self,
        python: Path,
        jar: Path,
        folder: Path,
        zone: str | None = None,
        settings: Mapping[str, str] | None = None,
    ) -> None:
        own = ("PYSPARK", "SPARK", "PYTHON")
        environment = {name: value for name, value in os.environ.items() if not name.startswith(own)}
        environment["SPARK_LOCAL_IP"] = "127.0.0.1"
        if zone is not None:
            environment["TZ"] = zone
        script = Path(__file__).with_name("hudi_job.py")
        command = [python, script, jar, folder, json.dumps(dict(settings or {}))]
        super().__init__(command, folder / "spark.log", environment)

    def write(self, path: Path, rows: Path | None, options: Mapping[str, str], mode: str = "append") -> None:
        """Write the rows of a Parquet file, or a DataFrame without columns if `rows` is None, by Hudi's data source."""
        given = None if rows is None else str(rows)
        self._do("write", path=str(path), rows=given, options=dict(options), mode=mode)

    def read(self, path: Path, options: Mapping[str, str], to: Path) -> None:
        """Write the rows that Hudi reads to a folder of Parquet files."""
        self._do("read", path=str(path), options=dict(options), to=str(to))

    def filter(
        self, path: Path, options: Mapping[str, str], filters: Sequence[str], column: str
    ) -> list[tuple[list[Any], int]]:
        """Return for each filter the values of a column in the rows, and the number of files that Spark scanned."""
        found = self._do("filter", path=str(path), options=dict(options), filters=list(filters), column=column)["found"]
        return [(one["values"], one["files"]) for one in found]

    def query(self, statement: str, to: Path) -> None:
        """Write the rows of a statement to a folder of Parquet files."""
        self._do("query", statement=statement, to=str(to))

    def sql(self, statements: Sequence[str], settings: Mapping[str, str] | None = None) -> list[dict[str, Any]]:
        """Run statements with session settings that are reset afterwards, and return the rows of the last one."""
        rows = self._do("sql", statements=list(statements), settings=dict(settings or {}))["rows"]
        return list(rows)

    def _do(self, job: str, **arguments: Any) -> dict[str, Any]:
        answer = self.run({"job": job, **arguments})
        if "error" in answer:
            raise HudiFailed(answer["error"])
        return answer


def _java() -> str:
    home = os.environ.get("JAVA_HOME")
    return str(Path(home) / "bin" / "java") if home else "java"


def _run(command: list[str]) -> None:
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)} failed:\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}")
