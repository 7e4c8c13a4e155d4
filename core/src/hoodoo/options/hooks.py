"""Options that name what looks at a commit."""

from __future__ import annotations

from typing import Any

from attrs import frozen

from hoodoo.options.declare import option

__all__ = ["HookOptions"]


@frozen
class HookOptions:
    """Plugins that are called with every commit."""

    pre_commit: tuple[str, ...] = option(
        kind="plugins",
        default=(),
        shown_default="none",
        help="Hooks that look at the commit before it happens and may refuse it, in this order.",
    )
    pre_commit_options: dict[str, Any] | None = option(
        kind="mapping",
        shown_default="none",
        help='Options of these hooks by their names: `{"row-counts": {"most_deleted": 100}}`.',
    )
    post_commit: tuple[str, ...] = option(
        kind="plugins",
        default=(),
        shown_default="none",
        help="Hooks that are told of the commit after it has happened, in this order.",
    )
