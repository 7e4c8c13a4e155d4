"""Check that the rule with which readers merge logs is installed."""

from __future__ import annotations

from collections.abc import Iterator

from hoodoo.diagnosis.finding import Finding, Place, Status, first_places
from hoodoo.diagnosis.table_state import TableState
from hoodoo.diagnosis.wording import counted
from hoodoo.errors import PluginError, UnsupportedTable
from hoodoo.table_rules.reader_rule import read_rule

__all__ = ["check_merge_rule"]


def check_merge_rule(state: TableState) -> Iterator[Finding]:
    """Yield a finding about the merge rule of the table: a problem if logs exist and the rule is not available."""
    logged = [s for s in state.slices if s.logs]
    try:
        rule = read_rule(state.properties, state.catalogue)
        rule.make_rule()
    except (PluginError, UnsupportedTable) as error:
        advice = "install, repair or allow the plugin" if isinstance(error, PluginError) else "name an installed rule"
        if logged:
            yield Finding(
                "merge rule",
                Status.PROBLEM,
                f"{len(logged):,} of {counted(len(state.slices), 'file slice')} with logs, which cannot be merged: "
                f"{error}",
                f"{advice}; until then only read-optimized queries work",
                first_places(Place(file=s.logs[0].path, partition=s.partition) for s in logged),
            )
        else:
            yield Finding("merge rule", Status.WARNING, str(error), f"{advice} before hoodoo writes rows")
        return
    columns = ", ".join(rule.config.ordering)
    ordering = f"ordering columns: {columns}" if columns else "no ordering columns"
    yield Finding("merge rule", Status.OK, f"{rule.family} '{rule.plugin.name}', {ordering}")
