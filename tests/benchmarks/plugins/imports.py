"""Cost of installed plugins for the import of hoodoo: only the chosen plugin is imported.

Fresh processes import hoodoo alternately from two folders of packages: one with all installed plugins, one with none.
The program prints one line of JSON with medians in milliseconds; the exit code is 1 if all plugins add more than 50 ms,
or if a process that chose one plugin has imported another.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import sysconfig
import tempfile
from importlib.metadata import Distribution, distributions
from importlib.util import find_spec
from pathlib import Path

import hoodoo

MOST_MS = 50
CORE = Path(hoodoo.__file__).parents[1]
PROGRAM = """
import sys, time
sys.path += sys.argv[1:3]
start = time.perf_counter()
import hoodoo
imported = time.perf_counter()
from hoodoo.plugin import default_catalogue
catalogue = default_catalogue()
listed = time.perf_counter()
if sys.argv[3]:
    catalogue.load("merger", sys.argv[3])
plugins = [name for name in sys.modules if name.startswith(("hoodoo_merger", "hoodoo_payload", "hoodoo_keygen",
                                                            "hoodoo_delete"))]
print((imported - start) * 1000, (listed - start) * 1000, ",".join(plugins))
"""


def main() -> None:
    """Run the benchmark and print its result."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=15)
    arguments = parser.parse_args()
    plugins = [found for found in distributions() if is_plugin(found)]
    with tempfile.TemporaryDirectory() as folder:
        none, every = Path(folder, "none"), Path(folder, "all")
        for place in (none, every):
            fill(place)
        for plugin in plugins:
            add(every, plugin)
        times: dict[Path, list[tuple[float, float]]] = {none: [], every: []}
        for run in range(arguments.runs + 1):
            for place, found in times.items():
                imported, listed, _ = measured(place, "")
                if run:  # the first writes byte code
                    found.append((imported, listed))
        chosen = measured(every, "event-time")[2]
    medians = {
        place.name: [statistics.median(column) for column in zip(*found, strict=True)] for place, found in times.items()
    }
    added = [with_all - without for with_all, without in zip(medians["all"], medians["none"], strict=True)]
    short = max(added) > MOST_MS or chosen != "hoodoo_merger_event_time"
    result = {"plugins": len(plugins), "import_ms": round(medians["none"][0], 1), "added_ms": round(added[0], 1)}
    result |= {"added_with_catalogue_ms": round(added[1], 1), "imported_by_choosing_one": chosen, "short": short}
    print(json.dumps(result))
    sys.exit(short)


def is_plugin(found: Distribution) -> bool:
    """Return whether a distribution provides a plugin."""
    return any(point.group.startswith("hoodoo.") for point in found.entry_points)


def fill(place: Path) -> None:
    """Create a folder with links to all installed packages except plugins."""
    place.mkdir()
    ours = {name_of(found) for found in distributions() if is_plugin(found)}
    for entry in Path(sysconfig.get_path("purelib")).iterdir():
        if entry.suffix != ".pth" and not any(entry.name.startswith(f"{name}-") for name in ours):
            (place / entry.name).symlink_to(entry)


def add(place: Path, plugin: Distribution) -> None:
    """Add a plugin as its wheel would: its modules and metadata, without another entry of the path."""
    info = place / f"{name_of(plugin)}-{plugin.version}.dist-info"
    info.mkdir()
    for name in ("METADATA", "entry_points.txt"):
        info.joinpath(name).write_text(plugin.read_text(name) or "", encoding="utf-8")
    for module in {point.value.partition(".")[0] for point in plugin.entry_points}:
        spec = find_spec(module)
        assert spec is not None, module
        assert spec.origin is not None, module
        origin = Path(spec.origin)
        origin = origin.parent if origin.name == "__init__.py" else origin
        if not (place / origin.name).exists():
            (place / origin.name).symlink_to(origin)


def name_of(found: Distribution) -> str:
    """Return the name of a distribution as in file names."""
    return found.name.replace("-", "_")


def measured(place: Path, merger: str) -> tuple[float, float, str]:
    """Return the milliseconds of the import, of import and catalogue, and the imported modules of plugins."""
    command = [sys.executable, "-I", "-S", "-c", PROGRAM, str(place), str(CORE), merger]
    imported, listed, *modules = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    return float(imported), float(listed), "".join(modules)


if __name__ == "__main__":
    main()
