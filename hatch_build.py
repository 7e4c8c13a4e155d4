"""Makes the core and every plugin folder a requirement of the checkout, as file URLs: nothing need be published."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface


class CheckoutRequirements(MetadataHookInterface):
    def update(self, metadata: dict[str, Any]) -> None:
        root = Path(self.root)
        files = [root / "core/pyproject.toml", *sorted(root.glob("plugins/*/*/pyproject.toml"))]
        files += sorted(root.glob("contrib/*/pyproject.toml"))
        metadata["dependencies"] = [f"{requirement_name(file)} @ {file.parent.as_uri()}" for file in files]


def requirement_name(file: Path) -> str:
    name: str = tomllib.loads(file.read_text(encoding="utf-8"))["project"]["name"]
    return f"{name}[spark]" if name == "hoodoo-core" else name
