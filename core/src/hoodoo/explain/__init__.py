"""Explanation of a record: all versions of a key, the decisions of the merge rule, and answers to questions."""

from hoodoo.explain.explain import explain
from hoodoo.explain.explanation import (
    Answer,
    Decision,
    Explanation,
    HiddenFile,
    LostDelete,
    Result,
    RuleUse,
    SliceTrace,
    Version,
)

__all__ = [
    "Answer",
    "Decision",
    "Explanation",
    "HiddenFile",
    "LostDelete",
    "Result",
    "RuleUse",
    "SliceTrace",
    "Version",
    "explain",
]
