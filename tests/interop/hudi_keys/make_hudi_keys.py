"""Program that makes the list of Hudi's configuration keys again: `python -m tests.interop.hudi_keys.make_hudi_keys`.

It finds the keys in the bundles of releases by reflection: each `ConfigProperty` of their classes is one. It needs mvn
and a JDK. The result is the file `hudi_keys.json` of the core.
"""

from __future__ import annotations

import json
import subprocess
import tempfile
from pathlib import Path

from tests.interop.processes.hudi_side import bundle, pyspark
from tests.interop.processes.java_side import program

__all__ = ["CACHE", "KEYS_FILE", "keys_of_bundle", "listed"]

CACHE = Path(__file__).parents[3] / ".pytest_cache" / "d" / "interop"
KEYS_FILE = Path(__file__).parents[3] / "core/src/hoodoo/options/hudi/hudi_keys.json"
RELEASE = "1.2.0"
EARLIER = {
    "1.0.2": "hudi-spark3.5-bundle_2.12",
    "0.15.0": "hudi-spark3.5-bundle_2.12",
    "0.9.0": "hudi-spark3-bundle_2.12",
}
"""Earlier releases, newest first, with the bundle whose keys are listed."""


def listed(cache: Path) -> dict[str, object]:
    """Return the content of the list: keys with their alternatives, and those that only earlier releases have."""
    keys = keys_of_bundle(bundle(RELEASE, cache), cache)
    known = {*keys, *(name for names in keys.values() for name in names)}
    earlier: dict[str, str] = {}
    for release, artifact in EARLIER.items():
        for key, alternatives in keys_of_bundle(bundle(release, cache, artifact), cache).items():
            for name in (key, *alternatives):
                if name not in known:
                    earlier.setdefault(name, release)
    return {"release": RELEASE, "keys": keys, "earlier": dict(sorted(earlier.items()))}


def keys_of_bundle(jar: Path, cache: Path) -> dict[str, list[str]]:
    """Return the configuration keys of a bundle with their alternatives."""
    spark = next(pyspark(cache).parents[1].glob("lib/python*/site-packages/pyspark/jars"))
    with tempfile.TemporaryDirectory() as folder:
        command = program(["ConfigKeys"], f"{jar}:{spark}/*", Path(folder))
        printed = subprocess.run([*command, str(jar)], check=True, capture_output=True, text=True).stdout
    found: dict[str, set[str]] = {}
    for line in printed.splitlines():
        key, *alternatives = line.split("\t")
        found.setdefault(key, set()).update(alternatives)
    return {key: sorted(found[key] - {key}) for key in sorted(found)}


if __name__ == "__main__":
    CACHE.mkdir(parents=True, exist_ok=True)
    KEYS_FILE.write_text(json.dumps(listed(CACHE), indent=1) + "\n")
