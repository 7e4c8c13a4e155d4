"""The pages of docs/cookbook, whose code blocks show the files of each recipe.

`python -m tests.cookbook.pages` (or `tox -e sync`) writes the files into the pages; a test compares both.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from pathlib import Path

__all__ = ["COOKBOOK", "RECIPES", "pages"]

COOKBOOK = Path(__file__).resolve().parents[2] / "docs" / "cookbook"
RECIPES = sorted(file.parent.name for file in COOKBOOK.glob("*/pyproject.toml"))

_BLOCK = re.compile(r"(<!-- file: (\S+) -->\n)```(\w+)\n.*?^```$", re.MULTILINE | re.DOTALL)
_TABLE = re.compile(r"(<!-- recipes -->\n).*(<!-- end of recipes -->\n)", re.DOTALL)


def pages() -> Mapping[Path, str]:
    """Return the text that each page should have, by the path of the page."""
    found = {COOKBOOK / name / "README.md": _page(COOKBOOK / name) for name in RECIPES}
    index = COOKBOOK / "README.md"
    return {
        index: _TABLE.sub(lambda match: f"{match[1]}{_table()}{match[2]}", index.read_text(encoding="utf-8")),
        **found,
    }


def module_of(folder: Path) -> Path:
    """Return the path of the only module in the folder of a recipe."""
    [module] = folder.glob("src/*.py")
    return module


def _page(folder: Path) -> str:
    def block(match: re.Match[str]) -> str:
        return f"{match[1]}```{match[3]}\n{(folder / match[2]).read_text(encoding='utf-8')}```"

    return _BLOCK.sub(block, (folder / "README.md").read_text(encoding="utf-8"))


def _table() -> str:
    lines = ["| recipe | family | rule |", "|---|---|---|"]
    for name in RECIPES:
        title = (COOKBOOK / name / "README.md").read_text(encoding="utf-8").partition("\n")[0].removeprefix("# ")
        module = module_of(COOKBOOK / name)
        family = module.stem.split("_")[1]
        sentence = (ast.get_docstring(ast.parse(module.read_text(encoding="utf-8"))) or "").partition("\n")[0]
        lines.append(f"| [{title}]({name}/README.md) | {family} | {sentence} |")
    return "\n".join(lines) + "\n"


def write() -> None:
    """Write the pages."""
    for path, text in pages().items():
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    write()
