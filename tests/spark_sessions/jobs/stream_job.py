"""A streaming write in the format `hudi`, whose driver may die right after a commit. Prints batches and instants."""

from __future__ import annotations

import json
import os
import signal
import sys
from typing import Any

import hoodoo
from hoodoo.spark import foreach_batch
from hoodoo.spark.session import local_session
from hoodoo.spark.write.writer import write


def main(source: str, checkpoint: str, path: str, options: dict[str, str], killed_after: int | None) -> None:
    """Write all files; with `killed_after`, die after the commit of that batch."""
    spark = local_session(cores=2)
    hoodoo.enable(spark)
    written: list[tuple[int, str | None]] = []

    def write_and_die(df: Any, path: str, options: dict[str, Any], mode: str) -> None:
        commit = write(df, path, options, mode)
        batch = int(options["write_id"].rpartition("/")[2])
        written.append((batch, commit.instant))
        if batch == killed_after:
            os.kill(os.getpid(), signal.SIGKILL)

    foreach_batch.write = write_and_die  # type: ignore[assignment]
    rows = spark.readStream.schema("id string, part string, file int").option("maxFilesPerTrigger", 1).json(source)
    writer = rows.writeStream.format("hudi").options(**options).option("checkpointLocation", checkpoint)
    writer.trigger(availableNow=True).start(path).awaitTermination()
    print(json.dumps(written))


if __name__ == "__main__":
    main(**json.loads(sys.argv[1]))
