"""Run a command with a ZooKeeper server: `python tests/support/zookeeper_server.py COMMAND ARGUMENT...`.

Maven downloads the server, and Java runs it on a free port of this machine with empty data. The environment variable
HOODOO_ZOOKEEPER contains its address. Without Maven or Java the command runs without a server, and tests that need one
are skipped.
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

ROOT = Path(__file__).resolve().parents[2]
CACHE = ROOT / ".pytest_cache" / "d" / "zookeeper"
VARIABLE = "HOODOO_ZOOKEEPER"
TICK_MS = 500
START_SECONDS = 60

POM = """\
<project>
  <modelVersion>4.0.0</modelVersion>
  <groupId>hoodoo</groupId><artifactId>zookeeper-for-tests</artifactId><version>1</version>
  <dependencies>
    <dependency><groupId>org.apache.zookeeper</groupId><artifactId>zookeeper</artifactId><version>3.9.3</version></dependency>
    <!-- the server needs these two and does not declare them -->
    <dependency>
      <groupId>io.dropwizard.metrics</groupId><artifactId>metrics-core</artifactId><version>4.1.12.1</version>
    </dependency>
    <dependency><groupId>org.xerial.snappy</groupId><artifactId>snappy-java</artifactId><version>1.1.10.5</version></dependency>
  </dependencies>
</project>
"""


def main(command: list[str]) -> int:
    if VARIABLE in os.environ:
        return subprocess.run(command, check=False).returncode
    absent = [tool for tool in ("mvn", "java") if shutil.which(tool) is None]
    if absent:
        print(f"no ZooKeeper: {' and '.join(absent)} not on the PATH", file=sys.stderr)
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
        "tickTime": TICK_MS,
        "dataDir": folder / "data",
        "clientPort": port,
        "clientPortAddress": "127.0.0.1",
        "admin.enableServer": "false",
        "maxClientCnxns": 0,
    }
    (folder / "zoo.cfg").write_text("".join(f"{name}={value}\n" for name, value in settings.items()), encoding="utf-8")
    command = ["java", "-cp", f"{jars}/*", "org.apache.zookeeper.server.ZooKeeperServerMain", str(folder / "zoo.cfg")]
    with (folder / "log").open("w") as log, subprocess.Popen(command, stdout=log, stderr=log) as process:
        try:
            wait_for(process, port, folder / "log")
            yield f"127.0.0.1:{port}"
        finally:
            process.kill()


def wait_for(process: subprocess.Popen[bytes], port: int, log: Path) -> None:
    deadline = time.monotonic() + START_SECONDS
    while not answers(port):
        if process.poll() is not None or time.monotonic() > deadline:
            raise RuntimeError(f"ZooKeeper does not start: {log.read_text()[-2000:]}")
        time.sleep(0.1)


def answers(port: int) -> bool:
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=1) as connection:
            connection.sendall(b"srvr")
            return connection.recv(16).startswith(b"Zookeeper")
    except OSError:
        return False


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
