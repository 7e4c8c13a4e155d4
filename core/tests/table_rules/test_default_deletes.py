"""Delete rules of a rule where neither the user nor the table names any."""

from __future__ import annotations

import pytest

from hoodoo.errors import UnknownPlugin
from hoodoo.plugin import default_catalogue
from hoodoo.table_rules.default_deletes import default_delete_rules

RULE = """
class Rule(RowMerger):
    delete_rules = ("mine", "builtin-flag")

    def merge(self, older, newer, context, config):
        return newer
"""


def test_a_rule_may_declare_its_delete_rules(install):
    assert default_delete_rules("merger", install(RULE), default_catalogue()) == ("mine", "builtin-flag")


def test_other_mergers_have_a_default(install):
    name = install(RULE.replace("delete_rules", "others"))
    assert default_delete_rules("merger", name, default_catalogue()) == ("any-of",)


def test_payloads_have_another_default():
    assert default_delete_rules("payload", "overwrite-with-latest", default_catalogue()) == ("builtin-flag",)


def test_a_rule_that_is_not_installed_is_named():
    with pytest.raises(UnknownPlugin, match="nowhere"):
        default_delete_rules("merger", "nowhere", default_catalogue())
