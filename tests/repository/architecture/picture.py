"""The picture of `docs/architecture.md`, made from the imports of the core.

Written by `python -m tests.repository.architecture.picture`.
Each package is a box, drawn above all packages that it imports. An arrow leads from a package to one that it imports;
an import that follows from other arrows has none. Arrows over several rows run in lanes between the boxes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import pairwise
from pathlib import Path
from statistics import fmean
from xml.etree import ElementTree as ET

from .test_imports import CORE, OPEN_TO_PLUGINS, ROOT, core_modules, hoodoo_imports, package_of, pyspark_imports

FILE = ROOT / "docs" / "architecture.svg"
HOLDS = {
    "errors": "the error tree",
    "caller": "warnings at the line of the caller",
    "options": "options of writes and reads",
    "schema": "Arrow and Avro schemas",
    "record": "records, outcomes of rules",
    "storage": "file systems, object stores",
    "plugin": "catalog and interfaces",
    "timeline": "instants, commit metadata",
    "keys": "record keys, partition paths",
    "merge": "the merge engine",
    "properties": "hoodie.properties",
    "format": "base files, log blocks, names",
    "catalog_sync": "catalogs after a write",
    "archived_timeline": "instants of the archive",
    "bootstrap": "files that a table copies",
    "index": "search for stored keys",
    "txn": "begin, commit, roll back",
    "filegroup": "file groups, file slices",
    "metadata_table": "file lists and indexes",
    "table_rules": "rule and keys of a table",
    "reading": "from a query to rows",
    "writing": "from a batch to files",
    "explain": "why a row won",
    "diagnosis": "examines a table",
    "service": "compact, clean, archive",
    "sql_text": "tokens and places in SQL",
    "sql_parsing": "statements of SQL",
    "statements": "clauses of MERGE, UPDATE and DELETE",
    "table_statements": "Table.merge, update, delete",
    "table": "hoodoo.Table",
    "commit_hooks": "hooks around a commit",
    "local": "tasks in this process",
    "write_job": "a write and its services",
    "job_check": "a check of jobs",
    "job_columns": "columns of a job",
    "missing_in_job": "plugins that a job lacks",
    "spark": "DataFrames and executors",
    "write_rows": "hoodoo.write",
    "__init__": "write, writer, read",
    "testing": "suites for plugin authors",
    "cli": "the command line",
}
"""The content of each package and module of the core, except `__about__`, which contains only the version."""

BOX, LANE, GAP = 216, 14, 22
HEIGHT, ROW, MARGIN = 44, 76, 18
SWEEPS = 60

STYLE = """
text { font: 12px system-ui, sans-serif; fill: #3d3d3d; text-anchor: middle }
.name { font: 600 14px ui-monospace, monospace; fill: #111 }
.paper { fill: #fff }
rect.core { fill: #f1f3f5; stroke: #8a939c }
rect.open { fill: #fdf0d5; stroke: #b98527 }
rect.spark { fill: #e0ecfb; stroke: #4c7fbd }
path { fill: none; stroke: #9aa2aa; stroke-width: 1.3 }
.head { fill: #9aa2aa; stroke: none }
@media (prefers-color-scheme: dark) {
  text { fill: #c9ced6 }
  .name { fill: #fff }
  .paper { fill: #1e2129 }
  rect.core { fill: #2f3541; stroke: #77808c }
  rect.open { fill: #463617; stroke: #c79a45 }
  rect.spark { fill: #213a59; stroke: #6f9fd8 }
  path { stroke: #838c98 }
  .head { fill: #838c98 }
}
"""

Node = tuple[str, ...]
"""A package, `(name,)`, or the lane of an arrow in one row, `(importer, imported, row)`."""
Graph = Mapping[str, frozenset[str]]


@cache
def import_graph() -> Graph:
    """Return the packages that each package of the core imports."""
    graph: dict[str, set[str]] = {}
    for path, tree in core_modules():
        package = package_of(path)
        inside = ".".join(("hoodoo", *path.relative_to(CORE).parent.parts))
        graph.setdefault(package, set()).update(name for _, name in hoodoo_imports(tree, inside))
    return {name: frozenset(found - {name, "__about__"}) for name, found in graph.items() if name != "__about__"}


def reduced(graph: Graph) -> Graph:
    """Return the imports that do not follow from others."""

    @cache
    def beneath(name: str) -> frozenset[str]:
        return graph[name].union(*map(beneath, graph[name]))

    return {
        name: frozenset(one for one in below if not any(one in beneath(other) for other in below))
        for name, below in graph.items()
    }


def rows_of(graph: Graph) -> dict[str, int]:
    """Return the row of each package, 0 at the bottom: one above the highest package that it imports."""

    @cache
    def row(name: str) -> int:
        return 1 + max(map(row, graph[name]), default=-1)

    return {name: row(name) for name in graph}


class Layout:
    """Places of boxes and lanes: rows from bottom to top, and the middle of each node in its row."""

    def __init__(self, graph: Graph) -> None:
        row = rows_of(graph)
        self.chains = [self._chain(name, one, row) for name in sorted(graph) for one in sorted(graph[name])]
        nodes = {(name,): number for name, number in row.items()}
        nodes |= {
            lane: row[lane[0]] - step for chain in self.chains for step, lane in enumerate(chain) if len(lane) > 1
        }
        self.rows = [sorted(node for node in nodes if nodes[node] == number) for number in range(max(row.values()) + 1)]
        self.x = {node: float(place) for nodes in self.rows for place, node in enumerate(nodes)}
        self._near: dict[Node, list[Node]] = {node: [] for node in nodes}
        for chain in self.chains:
            for upper, lower in pairwise(chain):
                # lanes are drawn straight, if possible
                weight = 4 if len(upper) > 1 and len(lower) > 1 else 1
                self._near[upper] += [lower] * weight
                self._near[lower] += [upper] * weight
        self._order()
        for sweep in range(SWEEPS):
            for nodes in self.rows[:: 1 if sweep % 2 else -1]:
                self.x.update(zip(nodes, packed(nodes, list(map(self._wanted, nodes))), strict=True))

    @staticmethod
    def _chain(upper: str, lower: str, row: Mapping[str, int]) -> list[Node]:
        return [(upper,), *((upper, lower, str(number)) for number in range(row[upper] - 1, row[lower], -1)), (lower,)]

    def _wanted(self, node: Node) -> float:
        """Return the mean position of the neighbors of a node."""
        return fmean(self.x[other] for other in self._near[node])

    def _order(self) -> None:
        """Order the rows so that few arrows cross."""
        best, fewest = self.rows, self._crossings()
        for sweep in range(SWEEPS):
            for number in range(len(self.rows))[:: 1 if sweep % 2 else -1]:
                self.rows[number] = sorted(self.rows[number], key=lambda node: (self._wanted(node), node))
                nodes = self.rows[number]
                self.x.update(zip(nodes, packed(nodes, list(map(self._wanted, nodes))), strict=True))
            if (found := self._crossings()) < fewest:
                best, fewest = list(self.rows), found
        self.rows = best

    def _crossings(self) -> int:
        place = {node: number for nodes in self.rows for number, node in enumerate(nodes)}
        level = {node: number for number, nodes in enumerate(self.rows) for node in nodes}
        steps = [
            (level[upper], place[upper], place[lower]) for chain in self.chains for upper, lower in pairwise(chain)
        ]
        return sum(one[0] == other[0] and one[1] < other[1] and one[2] > other[2] for one in steps for other in steps)


def width(node: Node) -> int:
    return BOX if len(node) == 1 else LANE


def packed(nodes: Sequence[Node], wanted: Sequence[float]) -> list[float]:
    """Return the places nearest to the wanted ones at which nodes do not overlap (isotonic regression)."""
    offset, blocks = 0.0, list[tuple[float, int]]()
    offsets = []
    for number, node in enumerate(nodes):
        if number:
            offset += (width(nodes[number - 1]) + width(node)) / 2 + GAP
        offsets.append(offset)
        blocks.append((wanted[number] - offset, 1))
        while len(blocks) > 1 and blocks[-2][0] > blocks[-1][0]:
            (one, count), (other, more) = blocks.pop(-2), blocks.pop()
            blocks.append(((one * count + other * more) / (count + more), count + more))
    places = (place for place, count in blocks for _ in range(count))
    return [place + offset for place, offset in zip(places, offsets, strict=True)]


def picture() -> str:
    """Return the picture as SVG."""
    graph = import_graph()
    layout = Layout(reduced(graph))
    left = min(x - width(node) / 2 for node, x in layout.x.items()) - MARGIN
    right = max(x + width(node) / 2 for node, x in layout.x.items()) + MARGIN
    tall = (len(layout.rows) - 1) * ROW + HEIGHT + 2 * MARGIN
    root = ET.Element(
        "svg", xmlns="http://www.w3.org/2000/svg", viewBox=f"0 0 {right - left:.0f} {tall}", width=f"{right - left:.0f}"
    )
    ET.SubElement(root, "title").text = "The packages of hoodoo-core; arrows lead to what a package imports"
    ET.SubElement(root, "style").text = STYLE
    ET.SubElement(root, "rect", {"class": "paper", "width": "100%", "height": "100%", "rx": "8"})
    top = {node: tall - MARGIN - HEIGHT - number * ROW for number, nodes in enumerate(layout.rows) for node in nodes}
    for chain in layout.chains:
        points = [(layout.x[node] - left, top[node]) for node in chain]
        ET.SubElement(root, "path", d=" ".join(curve(points)))
        x, y = points[-1]
        ET.SubElement(root, "path", {"class": "head", "d": f"M{x - 4:.0f} {y - 7}L{x:.0f} {y}L{x + 4:.0f} {y - 7}Z"})
    for name, kind in sorted(kinds(graph).items()):
        draw_box(root, name, kind, layout.x[(name,)] - left, top[(name,)])
    ET.indent(root)
    return ET.tostring(root, encoding="unicode") + "\n"


def kinds(graph: Graph) -> dict[str, str]:
    """Return the class of each package: open to plugins, importing PySpark, or neither."""
    with_spark = {package_of(path) for path, tree in core_modules() if pyspark_imports(tree)}
    return {name: "open" if name in OPEN_TO_PLUGINS else "spark" if name in with_spark else "core" for name in graph}


def curve(points: Sequence[tuple[float, int]]) -> Iterator[str]:
    """Yield the parts of an arrow from the bottom of a box to the top of another, upright in the lanes between."""
    x, y = points[0][0], points[0][1] + HEIGHT
    yield f"M{x:.0f} {y}"
    for number, (to, top) in enumerate(points[1:], 1):
        end = top if number + 1 < len(points) else top - 5
        middle = (y + end) / 2
        yield f"C{x:.0f} {middle:.0f} {to:.0f} {middle:.0f} {to:.0f} {end}"
        x, y = to, top + HEIGHT
        if number + 1 < len(points):
            yield f"L{x:.0f} {y}"


def draw_box(root: ET.Element, name: str, kind: str, x: float, y: int) -> None:
    box = {"class": kind, "x": f"{x - BOX / 2:.0f}", "y": str(y), "width": str(BOX), "height": str(HEIGHT), "rx": "6"}
    ET.SubElement(root, "rect", box)
    label = "hoodoo" if name == "__init__" else f"hoodoo.{name}"
    ET.SubElement(root, "text", {"class": "name", "x": f"{x:.0f}", "y": str(y + 18)}).text = label
    ET.SubElement(root, "text", {"x": f"{x:.0f}", "y": str(y + 35)}).text = HOLDS.get(name, "")


if __name__ == "__main__":
    Path(FILE).write_text(picture(), encoding="utf-8")
