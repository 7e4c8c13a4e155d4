"""Verdicts of all configuration keys of Hudi that do not set an option of hoodoo."""

from hoodoo.options.hudi.key_list import earlier_keys, listed_keys, preferred_name
from hoodoo.options.hudi.rule import Effect, Rule
from hoodoo.options.hudi.rules import RULES, rule_of

__all__ = ["RULES", "Effect", "Rule", "earlier_keys", "listed_keys", "preferred_name", "rule_of"]
