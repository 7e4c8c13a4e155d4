"""Verdicts of all configuration keys of Hudi that do not set an option of hoodoo."""

from hoodoo.options.hudi.key_list import earlier_keys, listed_keys, preferred_name
from hoodoo.options.hudi.verdict import Effect, Verdict
from hoodoo.options.hudi.verdict_search import VERDICTS, verdict_of

__all__ = ["VERDICTS", "Effect", "Verdict", "earlier_keys", "listed_keys", "preferred_name", "verdict_of"]
