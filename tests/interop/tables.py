"""The tables that Hudi makes: versions, types, services, rules, keys, schemas."""

from __future__ import annotations

from .story import Story
from .tables_archived import archived
from .tables_changes import changes_recorded
from .tables_deletes import deletes
from .tables_failures import failures
from .tables_features import features
from .tables_floats import floats
from .tables_keys import keys
from .tables_partial import partial
from .tables_plain import plain_tables
from .tables_replacing import replacing
from .tables_schemas import schemas
from .tables_services import services

__all__ = ["STORIES"]


def _all() -> dict[str, Story]:
    themes = (
        *(plain_tables, services, replacing, deletes, partial, failures, archived, schemas, keys, features, floats),
        changes_recorded,
    )
    stories = [story for theme in themes for story in theme()]
    named = {story.name: story for story in stories}
    assert len(named) == len(stories)
    return named


STORIES = _all()
"""By name."""
