"""Payloads that later table versions replace by mergers."""

from __future__ import annotations

from attrs import evolve

from hoodoo.options import RuleOptions
from hoodoo.plugin.base import PayloadMembers
from hoodoo.plugin.declarations import Substitute
from hoodoo.plugin.installed.catalogue import Catalogue
from hoodoo.table_rules.merge_modes import merger_of_payload_class

__all__ = ["replace_payload", "substituted"]


def replace_payload(given: RuleOptions, catalogue: Catalogue, version: int) -> RuleOptions:
    """Return the options with the payload replaced by the merger that a table version uses for it.

    From version 9 on, this is the substitute that the payload declares. In version 8, and without a substitute, it is
    the merger that has the payload's class as an alias. The options are unchanged if there is no such merger, below
    version 8, and if they name a merger or no payload.

    Raises:
        PluginError: The payload, or an official merger that replaces it, is not installed or cannot be loaded.
    """
    if version < 8 or given.payload is None or given.merger is not None:
        return given
    declared = catalogue.load("payload", given.payload).declared(PayloadMembers)
    if version >= 9 and declared.substitute is not None:
        return substituted(given, declared.substitute)
    merger = None if declared.hudi_class is None else merger_of_payload_class(declared.hudi_class, catalogue)
    return given if merger is None else evolve(given, payload=None, merger=merger)


def substituted(given: RuleOptions, substitute: Substitute) -> RuleOptions:
    """Return the options with the substitute in place of the payload; the user's options for deletes are kept."""
    options = evolve(given, payload=None, merger=substitute.merger)
    if substitute.options:
        options = evolve(options, merger_options={**substitute.options, **(given.merger_options or {})})
    if substitute.delete is not None and given.delete_field is None and given.delete_marker is None:
        options = evolve(options, delete_field=substitute.delete[0], delete_marker=substitute.delete[1])
    # the user may name these columns as fields of a struct
    if substitute.ordering and [name.rpartition(".")[2] for name in given.ordering or ()] != list(substitute.ordering):
        options = evolve(options, ordering=substitute.ordering, payload_ordering=None)
    return options
