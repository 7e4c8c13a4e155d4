"""Warnings that show the line of the caller: the innermost line outside hoodoo."""

from __future__ import annotations

import sys
import warnings
from types import FrameType

__all__ = ["warn_caller"]

_OWN = ("hoodoo", "contextlib", "functools")
"""Packages whose frames are never those of the caller. `with` blocks and decorators of hoodoo run in the last two."""

_THREADS = ("threading", "concurrent")

_ATTRS = "<attrs generated"


def warn_caller(text: str, category: type[Warning]) -> None:
    """Emit a warning with the file and the line from which hoodoo was called.

    A thread that hoodoo started has no caller; its warnings have a line of hoodoo.

    Args:
        text: The text of the warning.
        category: The class of the warning.
    """
    frame = _caller(sys._getframe(1))
    warnings.warn_explicit(
        text,
        category,
        frame.f_code.co_filename,
        frame.f_lineno,
        module=_module(frame),
        registry=frame.f_globals.setdefault("__warningregistry__", {}),
    )


def _caller(frame: FrameType) -> FrameType:
    outer: FrameType | None = frame
    while outer is not None and _is_own(outer):
        frame, outer = outer, outer.f_back
    return frame if outer is None or _root(outer) in _THREADS else outer


def _is_own(frame: FrameType) -> bool:
    root = _root(frame)
    # the distributions of plugins of this repository are called hoodoo_<family>_<name>
    return root in _OWN or root.startswith("hoodoo_") or frame.f_code.co_filename.startswith(_ATTRS)


def _root(frame: FrameType) -> str:
    return _module(frame).partition(".")[0]


def _module(frame: FrameType) -> str:
    return str(frame.f_globals.get("__name__", ""))
