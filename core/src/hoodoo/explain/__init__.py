"""Why did this record win? Every version of a key, every decision of the rule about them, and answers."""

from hoodoo.explain.explain import explain
from hoodoo.explain.explanation import (
    Answer,
    Decision,
    Explanation,
    Hidden,
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
    "Hidden",
    "LostDelete",
    "Result",
    "RuleUse",
    "SliceTrace",
    "Version",
    "explain",
]
