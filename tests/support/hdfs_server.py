"""Run a command with a cluster of HDFS: `python tests/support/hdfs_server.py COMMAND ARGUMENT...`.

Maven downloads Hadoop's cluster for tests, and Java runs it on free ports of this machine, with three DataNodes. The
environment variable HOODOO_HDFS contains the location of its root. Without Maven or Java the command runs without a
cluster, and tests that need one are skipped.

With one DataNode, the close of a file would take half a second: the client repeats its request until the NameNode has
the report of a replica. Of three replicas, as in most clusters, one is usually reported before the first request.
"""

from __future__ import annotations

import os
import sys
from functools import partial
from pathlib import Path

from local_server import LocalServer
from maven_jars import fetched_jars

POM = """\
<project>
  <modelVersion>4.0.0</modelVersion>
  <groupId>hoodoo</groupId><artifactId>hdfs-for-tests</artifactId><version>1</version>
  <dependencies>
    <dependency>
      <groupId>org.apache.hadoop</groupId><artifactId>hadoop-client-minicluster</artifactId><version>3.4.1</version>
    </dependency>
    <dependency>
      <groupId>org.apache.hadoop</groupId><artifactId>hadoop-client-runtime</artifactId><version>3.4.1</version>
    </dependency>
  </dependencies>
</project>
"""


def started(jars: Path, folder: Path, port: int) -> list[str]:
    """Return the command of a cluster that keeps its files in the working directory."""
    main_class = "org.apache.hadoop.mapreduce.MiniHadoopClusterManager"
    options = ("-nomr", "-format", "-datanodes", "3", "-nnport", str(port))
    return ["java", "-Xmx512m", "-cp", os.pathsep.join((str(folder), f"{jars}/*")), main_class, *options]


HDFS = LocalServer(
    "HDFS",
    "HOODOO_HDFS",
    ("mvn", "java"),
    partial(fetched_jars, "hdfs", POM),
    started,
    "hdfs://127.0.0.1:{port}",
    start_seconds=120,
)

if __name__ == "__main__":
    sys.exit(HDFS.run(sys.argv[1:]))
