"""All rules, in the order in which they are searched."""

from __future__ import annotations

import functools

from hoodoo.options.hudi.index_rules import INDEX_RULES
from hoodoo.options.hudi.read_rules import READ_RULES
from hoodoo.options.hudi.rule import Rule
from hoodoo.options.hudi.service_rules import SERVICE_RULES
from hoodoo.options.hudi.table_rules import TABLE_RULES
from hoodoo.options.hudi.tuning_rules import TUNING_RULES
from hoodoo.options.hudi.write_rules import WRITE_RULES

__all__ = ["RULES", "rule_of"]

RULES: tuple[Rule, ...] = (
    *TABLE_RULES,
    *WRITE_RULES,
    *READ_RULES,
    *INDEX_RULES,
    *SERVICE_RULES,
    *TUNING_RULES,
)


@functools.cache
def rule_of(key: str) -> Rule | None:
    """Return the first rule for a key, in any case; None where there is none."""
    return next((rule for rule in RULES if rule.matches(key.lower())), None)
