"""Jobs of hoodoo with its own Spark driver: one job per line of standard input, one answer per line, both JSON.

The argument is a folder for Spark's files.

    {"path": ..., "rows": "file.parquet", "options": {...}}

An answer is {"instant": ...}, or {"error": the message, "kind": the class} where hoodoo raised.
"""

from __future__ import annotations

import json
import logging
import os
import sys

import hoodoo
from hoodoo.errors import HoodooError
from hoodoo.spark.session import local_session


def main(folder: str) -> None:
    """Answer jobs until standard input ends."""
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(name)s %(message)s")
    logging.getLogger("py4j").setLevel(logging.WARNING)
    # the JVM prints to standard output too; the answers are printed to the previous standard output
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    os.chdir(folder)
    spark = local_session("hoodoo", cores="2")
    print(json.dumps({"spark": spark.version}), file=answers, flush=True)
    for line in sys.stdin:
        job = json.loads(line)
        try:
            commit = hoodoo.write(spark.read.parquet(job["rows"]), job["path"], job["options"])
            answer = {"instant": commit.instant}
        except HoodooError as error:
            logging.exception("a write failed")
            answer = {"error": str(error), "kind": type(error).__name__}
        print(json.dumps(answer), file=answers, flush=True)
    spark.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
