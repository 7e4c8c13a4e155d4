"""Verdicts on the configuration keys of Hudi that set neither an option of hoodoo nor one of a plugin."""

from hoodoo.options.hudi.key_list import earlier_keys, listed_keys, preferred_name
from hoodoo.options.hudi.verdict import Effect, Verdict
from hoodoo.options.hudi.verdict_search import VERDICTS, verdict_of

__all__ = ["VERDICTS", "Effect", "Verdict", "earlier_keys", "listed_keys", "preferred_name", "verdict_of"]
