"""The tables that Hudi makes: versions, types, services, rules, keys, schemas."""

from __future__ import annotations

from tests.interop.stories.archived import archived
from tests.interop.stories.deletes import deletes
from tests.interop.stories.failures import failures
from tests.interop.stories.features import changes_recorded, features
from tests.interop.stories.floats import floats
from tests.interop.stories.keys import keys
from tests.interop.stories.lance import lance
from tests.interop.stories.partial import partial
from tests.interop.stories.plain import plain_tables
from tests.interop.stories.replacing import replacing
from tests.interop.stories.schemas import schemas
from tests.interop.stories.services import services

from .story import Story

__all__ = ["STORIES"]


def _all() -> dict[str, Story]:
    themes = (
        *(plain_tables, services, replacing, deletes, partial, failures, archived, schemas, keys, features, floats),
        *(changes_recorded, lance),
    )
    stories = [story for theme in themes for story in theme()]
    named = {story.name: story for story in stories}
    assert len(named) == len(stories)
    return named


STORIES = _all()
"""The stories by name."""
