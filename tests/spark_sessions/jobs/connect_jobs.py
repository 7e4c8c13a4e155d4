"""Jobs in one session of Spark Connect, one after the other. Prints the facts of each as JSON.

The argument is a JSON object. It has the argument of the function `main` by the name of a module of this folder.
"""

from __future__ import annotations

import importlib
import json
import sys
from typing import Any

from pyspark.sql import SparkSession

from hoodoo.spark.session import prepare_environment


def main(jobs: dict[str, Any]) -> dict[str, Any]:
    """Return the facts of each job by its name."""
    prepare_environment()
    spark = SparkSession.builder.remote("local[2]").getOrCreate()
    return {name: importlib.import_module(name).main(spark, argument) for name, argument in jobs.items()}


if __name__ == "__main__":
    print(json.dumps(main(json.loads(sys.argv[1]))))
