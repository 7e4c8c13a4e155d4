"""Options for commit hooks."""

from __future__ import annotations

from typing import Any

from attrs import frozen

from hoodoo.options.declare import option

__all__ = ["HookOptions"]


@frozen
class HookOptions:
    """Hook plugins to run with every commit."""

    pre_commit: tuple[str, ...] = option(
        kind="plugins",
        default=(),
        shown_default="none",
        help="Hooks that check the commit before it is completed and may reject it, in this order.",
    )
    pre_commit_options: dict[str, Any] | None = option(
        kind="mapping",
        shown_default="none",
        help='Options of these hooks by hook name: `{"row-counts": {"most_deleted": 100}}`.',
    )
    post_commit: tuple[str, ...] = option(
        kind="plugins",
        default=(),
        shown_default="none",
        help="Hooks to call after the commit is completed, in this order.",
    )
