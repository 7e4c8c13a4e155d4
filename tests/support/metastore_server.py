"""Run a command with a Hive metastore: `python tests/support/metastore_server.py COMMAND ARGUMENT...`.

Maven downloads the server, and Java runs it on a free port of this machine with an empty Derby database. The
environment variable HOODOO_METASTORE contains its address. Without Maven or Java the command runs without a server,
and tests that need one are skipped.
"""

from __future__ import annotations

import os
import sys
from functools import partial
from pathlib import Path
from xml.sax.saxutils import escape

from local_server import LocalServer
from maven_jars import fetched_jars

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


def configured(jars: Path, folder: Path, port: int) -> list[str]:
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
    return ["java", "-Xmx512m", "-cp", os.pathsep.join((str(folder), f"{jars}/*")), main_class, "-p", str(port)]


METASTORE = LocalServer(
    "Hive metastore",
    "HOODOO_METASTORE",
    ("mvn", "java"),
    partial(fetched_jars, "metastore", POM),
    configured,
    "thrift://127.0.0.1:{port}",
    start_seconds=120,
)

if __name__ == "__main__":
    sys.exit(METASTORE.run(sys.argv[1:]))
