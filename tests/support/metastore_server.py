"""Run a command with a Hive metastore: `python tests/support/metastore_server.py COMMAND ARGUMENT...`.

Maven downloads the server, and Java runs it on a free port of this machine with an empty Derby database. The
environment variable HOODOO_METASTORE contains its address. Without Maven or Java the command runs without a server,
and tests that need one are skipped.
"""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from xml.sax.saxutils import escape

ROOT = Path(__file__).resolve().parents[2]
CACHE = ROOT / ".pytest_cache" / "d" / "metastore"
VARIABLE = "HOODOO_METASTORE"
START_SECONDS = 120

POM = """\
<project>
  <modelVersion>4.0.0</modelVersion>
  <groupId>hoodoo</groupId><artifactId>metastore-for-tests</artifactId><version>1</version>
  <dependencies>
    <dependency>
      <groupId>org.apache.hive</groupId><artifactId>hive-standalone-metastore</artifactId><version>3.1.3</version>
      <!-- a part of Java 8 that is in no repository -->
      <exclusions><exclusion><groupId>jdk.tools</groupId><artifactId>jdk.tools</artifactId></exclusion></exclusions>
    </dependency>
  </dependencies>
</project>
"""


def main(command: list[str]) -> int:
    if VARIABLE in os.environ:
        return subprocess.run(command, check=False).returncode
    absent = [tool for tool in ("mvn", "java") if shutil.which(tool) is None]
    if absent:
        print(f"no Hive metastore: {' and '.join(absent)} not on the PATH", file=sys.stderr)
        return subprocess.run(command, check=False).returncode
    with tempfile.TemporaryDirectory() as folder, server(fetched(), Path(folder)) as address:
        return subprocess.run(command, env={**os.environ, VARIABLE: address}, check=False).returncode


def fetched() -> Path:
    """Return the folder with the server's jars; fetch those that it lacks."""
    jars, ready = CACHE / "jars", CACHE / "ready"
    if not ready.exists():
        CACHE.mkdir(parents=True, exist_ok=True)
        (CACHE / "pom.xml").write_text(POM, encoding="utf-8")
        goal = "org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy-dependencies"
        arguments = ("-q", "-B", "-f", str(CACHE / "pom.xml"), "-DincludeScope=runtime", f"-DoutputDirectory={jars}")
        subprocess.run(["mvn", *arguments, goal], check=True)
        ready.touch()
    return jars


@contextmanager
def server(jars: Path, folder: Path) -> Iterator[str]:
    """Run a server, and yield its address."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    settings = {
        "javax.jdo.option.ConnectionURL": f"jdbc:derby:{folder / 'database'};create=true",
        "javax.jdo.option.ConnectionDriverName": "org.apache.derby.jdbc.EmbeddedDriver",
        "datanucleus.schema.autoCreateAll": "true",
        "metastore.schema.verification": "false",
        "metastore.thrift.bind.host": "127.0.0.1",
        "metastore.warehouse.dir": folder / "warehouse",
        # with the default the server does not start
        "metastore.task.threads.always": "org.apache.hadoop.hive.metastore.events.EventCleanerTask",
        # the default is a class of Hive's query engine, which the server lacks
        "metastore.expression.proxy": "org.apache.hadoop.hive.metastore.DefaultPartitionExpressionProxy",
    }
    properties = "".join(
        f"<property><name>{name}</name><value>{escape(str(value))}</value></property>\n"
        for name, value in settings.items()
    )
    (folder / "metastore-site.xml").write_text(f"<configuration>\n{properties}</configuration>\n", encoding="utf-8")
    main_class = "org.apache.hadoop.hive.metastore.HiveMetaStore"
    command = ["java", "-Xmx512m", "-cp", os.pathsep.join((str(folder), f"{jars}/*")), main_class, "-p", str(port)]
    with (
        (folder / "log").open("w") as log,
        subprocess.Popen(command, stdout=log, stderr=log, cwd=folder) as process,
    ):
        try:
            wait_for(process, port, folder / "log")
            yield f"thrift://127.0.0.1:{port}"
        finally:
            process.kill()


def wait_for(process: subprocess.Popen[bytes], port: int, log: Path) -> None:
    deadline = time.monotonic() + START_SECONDS
    while not answers(port):
        if process.poll() is not None or time.monotonic() > deadline:
            raise RuntimeError(f"the Hive metastore does not start: {log.read_text()[:4000]}")
        time.sleep(0.2)


def answers(port: int) -> bool:
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=1):
            return True
    except OSError:
        return False


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
