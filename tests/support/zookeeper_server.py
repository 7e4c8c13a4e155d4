"""Run a command with a ZooKeeper server: `python tests/support/zookeeper_server.py COMMAND ARGUMENT...`.

Maven downloads the server, and Java runs it on a free port of this machine with empty data. The environment variable
HOODOO_ZOOKEEPER contains its address. Without Maven or Java the command runs without a server, and tests that need one
are skipped.
"""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path

from local_server import LocalServer
from maven_jars import fetched_jars

TICK_MS = 500

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


def configured(jars: Path, folder: Path, port: int) -> list[str]:
    settings = {
        "tickTime": TICK_MS,
        "dataDir": folder / "data",
        "clientPort": port,
        "clientPortAddress": "127.0.0.1",
        "admin.enableServer": "false",
        "maxClientCnxns": 0,
    }
    (folder / "zoo.cfg").write_text("".join(f"{name}={value}\n" for name, value in settings.items()), encoding="utf-8")
    return ["java", "-cp", f"{jars}/*", "org.apache.zookeeper.server.ZooKeeperServerMain", str(folder / "zoo.cfg")]


ZOOKEEPER = LocalServer(
    "ZooKeeper",
    "HOODOO_ZOOKEEPER",
    ("mvn", "java"),
    partial(fetched_jars, "zookeeper", POM),
    configured,
    "127.0.0.1:{port}",
    question=b"srvr",
    answer=b"Zookeeper",
)

if __name__ == "__main__":
    sys.exit(ZOOKEEPER.run(sys.argv[1:]))
