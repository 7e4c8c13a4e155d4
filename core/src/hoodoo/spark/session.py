"""Start a Spark on this machine that is ready for use and says nothing: for newcomers, tests and the quickstart.

Nothing here is needed where a session exists already: every function of hoodoo takes the session that it is given.
"""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import MutableMapping
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from hoodoo.errors import OptionError
from hoodoo.spark.java import Java, find_java, java_home

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = ["local_session", "prepare_environment"]

_DEFAULTS = {
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.host": "127.0.0.1",
    # workers that write large batches need less memory with it than with mimalloc, Arrow's first choice
    "spark.executorEnv.ARROW_DEFAULT_MEMORY_POOL": "system",
    "spark.sql.catalogImplementation": "in-memory",
    "spark.sql.execution.arrow.pyspark.enabled": "true",
    "spark.sql.session.timeZone": "UTC",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
}


def local_session(app_name: str = "hoodoo", cores: int | str = "*", **conf: object) -> SparkSession:
    """A Spark session on this machine: time zone UTC, no web interface, no log lines, Java found where there is one.

    The running session is returned if there is one, changed only by the SQL settings in `conf`. What Spark logs does
    reach standard error with `**{"spark.log.level": "WARN"}`. A test that runs a few rows starts somewhat sooner with
    `**{"spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"}`; larger jobs are slower with it.

    Args:
        app_name: shown by Spark.
        cores: how many tasks run at once; `"*"` for one per core.
        **conf: Spark settings by their full names, `**{"spark.driver.memory": "4g"}`; they win over the defaults.

    Raises:
        JavaNotFound: no Java of a release that Spark runs on.
        OptionError: PySpark is not installed.
    """
    try:
        from pyspark.sql import SparkSession
    except ModuleNotFoundError as error:
        if error.name != "pyspark":
            raise
        raise OptionError('PySpark is not installed: `pip install "hoodoo-core[spark]"`') from error
    builder: Any = SparkSession.builder
    settings: dict[str, object] = conf
    if SparkSession.getActiveSession() is None:
        prepare_environment()
        builder = builder.master(f"local[{cores}]").appName(app_name)
        settings = {**_DEFAULTS, **conf}
    for key, value in settings.items():
        builder = builder.config(key, value)
    session: SparkSession = builder.getOrCreate()
    return session


def prepare_environment(environment: MutableMapping[str, str] | None = None) -> Java:
    """Set what a Spark that starts from this process reads from the environment; call it before the session is built.

    It is what `local_session` calls, and enough for a local Spark Connect server
    (`SparkSession.builder.remote("local[2]")`) to start silently too. Set are `JAVA_HOME`, `PYSPARK_PYTHON`,
    `PYSPARK_DRIVER_PYTHON` (this interpreter: workers must have the same packages), `SPARK_LOCAL_IP` and
    `SPARK_SUBMIT_OPTS` (what is there already stays and wins). PySpark's warning about pandas 3 is filtered out.

    Args:
        environment: changed instead of `os.environ`.

    Returns:
        The Java that Spark will run on.

    Raises:
        JavaNotFound: no Java of a release that Spark runs on.
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
