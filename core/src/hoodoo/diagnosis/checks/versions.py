"""Check of the table version, the format of its files, and features that hoodoo does not support."""

from __future__ import annotations

from collections.abc import Iterator

from hoodoo.diagnosis.finding import Finding, Place, Status
from hoodoo.diagnosis.table_state import TableState
from hoodoo.diagnosis.wording import counted
from hoodoo.filegroup import METADATA_BOOTSTRAP
from hoodoo.properties import property_keys as keys
from hoodoo.properties.properties_file import BACKUP_FILE
from hoodoo.properties.table_properties import PROPERTIES_FILE

__all__ = ["check_versions"]

_BOOTSTRAP = "hoodie.bootstrap.base.path"


def check_versions(state: TableState) -> Iterator[Finding]:
    """Yield a finding about version and layout, then findings about unsupported features and unfinished changes."""
    properties = state.properties
    created = properties.get(keys.INITIAL_VERSION)
    since = f", created with version {created}" if created and created != str(properties.version) else ""
    meta = "" if properties.populate_meta_fields else ", without meta columns"
    yield Finding(
        "version",
        Status.OK,
        f"table version {properties.version}{since}, timeline layout {properties.layout_version}, "
        f"{properties.table_type}, base files in {properties.base_file_format}{meta}",
    )
    if state.storage.exists(BACKUP_FILE):
        yield Finding(
            "version",
            Status.WARNING,
            f"'{BACKUP_FILE}' exists: a change of the properties is in progress, or was interrupted",
            f"if no writer is active, compare it with '{PROPERTIES_FILE}' and delete it",
            (Place(file=BACKUP_FILE),),
        )
    if properties.get(_BOOTSTRAP):
        yield _bootstrap(state, properties[_BOOTSTRAP])
    if properties.get(keys.CDC_ENABLED, "false").lower() == "true":
        yield Finding(
            "version",
            Status.WARNING,
            f"the table records change data ({keys.CDC_ENABLED}=true), and hoodoo, which does not record changes, "
            "refuses to write to the table",
            "write with Hudi as long as change data queries are needed",
            (Place(file=PROPERTIES_FILE),),
        )
    format_ = properties.get(keys.TABLE_FORMAT, "native").lower()
    if format_ != "native":
        yield Finding(
            "version",
            Status.PROBLEM,
            f"the table has the format '{format_}' ({keys.TABLE_FORMAT}), whose own metadata hoodoo does not maintain",
            "write with Hudi and the library of that format",
            (Place(file=PROPERTIES_FILE),),
        )


def _bootstrap(state: TableState, path: str) -> Finding:
    """Return the finding about a table that Hudi bootstrapped from the files at a path."""
    end = f"_{METADATA_BOOTSTRAP}.{state.properties.base_file_format.lower()}"
    without_columns = [file.path for file in state.files if file.path.endswith(end)]
    if not without_columns:
        return Finding("version", Status.OK, f"Hudi copied the rows of the table from '{path}'; no file depends on it")
    return Finding(
        "version",
        Status.PROBLEM,
        f"the table was bootstrapped from '{path}': {counted(len(without_columns), 'base file')} of that operation "
        "without data columns; hoodoo refuses to read such files",
        "rewrite such files with Hudi, for example by clustering",
        (Place(file=without_columns[0]),),
    )
