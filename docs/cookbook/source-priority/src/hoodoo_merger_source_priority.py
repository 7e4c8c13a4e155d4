"""The version of the most trusted source wins; of one source, the version with the greater ordering value."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc
from attrs import frozen

from hoodoo.errors import OptionError
from hoodoo.plugin import hookimpl, option
from hoodoo.record import Law, MergerConfig, Ordering, Outcome, RecordContext, Records

__version__ = "0.1.0"


@frozen
class SourcePriorityMerger:
    """Merger of tables whose first ordering column names the source: a log keeps ordering values with a delete."""

    priority: tuple[str, ...] = option(help="Names of sources, the most trusted first; all others follow.")

    laws = frozenset({Law.ASSOCIATIVE, Law.ORDER_INDEPENDENT, Law.IDEMPOTENT, Law.REPLAY_SAFE})
    whole_versions = True

    def needs(self, schema: pa.Schema, config: MergerConfig) -> tuple[str, ...]:
        """Return no columns: ordering columns are always read."""
        return ()

    def check(self, schema: pa.Schema, config: MergerConfig) -> None:
        """Raise `OptionError` if the first ordering column is not a text."""
        if not config.ordering or not pa.types.is_string(schema.field(config.ordering[0]).type):
            raise OptionError(
                "merger 'source-priority' takes the source from the first ordering column, a string: set 'ordering' to "
                f"columns such as 'source,ts'; it is '{','.join(config.ordering)}'"
            )

    def merge(self, older: Records, newer: Records, context: RecordContext, config: MergerConfig) -> Outcome:
        """Return TAKE if the newer version is not of a less trusted source, and not late within its source."""
        erased, erases = (side.is_delete & side.ordering.absent for side in (older, newer))
        later = self._trust(newer.ordering).compare(self._trust(older.ordering)) >= 0
        return Outcome.take_where(erases | (~erased & later))

    def _trust(self, ordering: Ordering) -> Ordering:
        """Return ordering values with a number in place of the source; the name orders sources without priority."""
        source, *rest = ordering.values
        place = pc.fill_null(pc.index_in(source, pa.array(self.priority, pa.string())), len(self.priority))
        trust = pc.if_else(source.is_valid(), pc.negate(place), pa.scalar(None, pa.int32()))
        names = ("trust", *ordering.fields[1:], ordering.fields[0])
        return Ordering.of(names, (trust, *rest, source), len(ordering))


@hookimpl
def hoodoo_merger() -> type[SourcePriorityMerger]:
    """Return the class of the plugin."""
    return SourcePriorityMerger
