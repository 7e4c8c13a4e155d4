"""Run a command with Hadoop's S3A and ABFS: `python tests/support/s3a_jars.py COMMAND ARGUMENT...`.

Maven downloads the file systems of the Hadoop release that PySpark contains, for S3 and for Azure, and the command's
Spark sessions load them. The environment variables HOODOO_S3A and HOODOO_ABFS are `true` then. Without Maven the
command runs without these jars, and tests that need them are skipped.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pyspark
from maven_jars import fetched_jars

POM = """\
<project>
  <modelVersion>4.0.0</modelVersion>
  <!-- the parent has the versions of AWS's modules -->
  <parent>
    <groupId>org.apache.hadoop</groupId><artifactId>hadoop-project</artifactId><version>{hadoop}</version><relativePath/>
  </parent>
  <artifactId>hadoop-stores-for-tests</artifactId>
  <dependencies>
    <dependency>
      <groupId>org.apache.hadoop</groupId><artifactId>hadoop-aws</artifactId><version>{hadoop}</version>
      <!-- a bundle of all services of AWS has some hundred megabytes -->
      <exclusions><exclusion><groupId>*</groupId><artifactId>*</artifactId></exclusion></exclusions>
    </dependency>
    <dependency>
      <groupId>software.amazon.s3.analyticsaccelerator</groupId><artifactId>analyticsaccelerator-s3</artifactId>
      <version>${{amazon-s3-analyticsaccelerator-s3.version}}</version>
      <exclusions><exclusion><groupId>*</groupId><artifactId>*</artifactId></exclusion></exclusions>
    </dependency>
    {modules}
    <dependency>
      <groupId>org.apache.hadoop</groupId><artifactId>hadoop-azure</artifactId><version>{hadoop}</version>
    </dependency>
  </dependencies>
</project>
"""

MODULE = """\
<dependency>
      <groupId>software.amazon.awssdk</groupId><artifactId>{name}</artifactId>
      <version>${{aws-java-sdk-v2.version}}</version>
    </dependency>"""


def project() -> str:
    """Return the text of a Maven project that depends on S3A and ABFS of the Hadoop release that PySpark contains."""
    [api] = Path(pyspark.__file__).parent.glob("jars/hadoop-client-api-*.jar")
    found = re.search(r"-([0-9.]+)\.jar$", api.name)
    assert found is not None
    modules = "\n    ".join(MODULE.format(name=name) for name in ("s3", "s3-transfer-manager", "sts"))
    return POM.format(hadoop=found[1], modules=modules)


def main(command: list[str]) -> int:
    """Run a command, with the jars if Maven is present; return its exit status."""
    environment = dict(os.environ)
    if shutil.which("mvn") is None:
        print("no S3A and no ABFS: mvn not on the PATH", file=sys.stderr)
    else:
        jars = ",".join(map(str, sorted(fetched_jars("hadoop-stores", project()).glob("*.jar"))))
        present = dict.fromkeys(("HOODOO_S3A", "HOODOO_ABFS"), "true")
        environment |= {**present, "PYSPARK_SUBMIT_ARGS": f"--jars {jars} pyspark-shell"}
    return subprocess.run(command, env=environment, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
