"""Every error that hoodoo raises on purpose, in one tree.

    HoodooError
    ├── OptionError (ValueError)          an option, or a combination of options, that cannot be honoured
    │   └── UnknownOption (LookupError)   no such option; the message names near ones
    ├── PluginError
    │   ├── UnknownPlugin (LookupError)   no installed distribution offers the name
    │   ├── AmbiguousPlugin               two distributions offer one name
    │   ├── BrokenPlugin (ImportError)    it is installed and cannot be loaded
    │   ├── PluginNotAllowed              the allow-list does not name it
    │   └── PluginFault (RuntimeError)    it ran and broke its contract
    ├── SchemaError (TypeError)           columns or types that do not fit
    ├── DataError (ValueError)            rows that cannot be written: null key, null ordering value
    ├── TableError
    │   ├── NotATable (FileNotFoundError) no Hudi table at the path
    │   ├── TableExists (FileExistsError) there is one, and the mode says errorifexists
    │   ├── UnsupportedTable              a table version, type or feature that is not supported
    │   ├── CorruptTableError             a file that a completed commit names is damaged
    │   ├── TableChanged                  a file was cleaned or archived while the table was read; read it again
    │   └── StorageError (OSError)        the store failed: path and operation are named
    │       └── LockLost                  a lock that was held ended: another writer may hold it now
    ├── CommitError (RuntimeError)
    │   ├── CommitConflict                another writer changed the same file groups
    │   ├── CommitRefused                 a pre-commit hook refuses what would be committed
    │   ├── LockTimeout                   a lock of the table was not obtained in time
    │   └── CommitStateUnknown            the outcome cannot be known; nothing was deleted
    └── JavaNotFound (FileNotFoundError)  no Java that Spark runs on

``code`` is a short stable word for programs (and for merge vectors); the message is for people: it says what is
wrong, where, and what to do.
"""

from __future__ import annotations

__all__ = [
    "AmbiguousPlugin",
    "BrokenPlugin",
    "CommitConflict",
    "CommitError",
    "CommitRefused",
    "CommitStateUnknown",
    "CorruptTableError",
    "DataError",
    "HoodooError",
    "JavaNotFound",
    "LockLost",
    "LockTimeout",
    "NotATable",
    "OptionError",
    "PluginError",
    "PluginFault",
    "PluginNotAllowed",
    "SchemaError",
    "StorageError",
    "TableChanged",
    "TableError",
    "TableExists",
    "UnknownOption",
    "UnknownPlugin",
    "UnsupportedTable",
]


class HoodooError(Exception):
    """The base of every error of this module; catch it to catch them all."""

    code = "error"

    def __init__(self, message: str, *, code: str | None = None) -> None:
        super().__init__(message)
        if code is not None:
            self.code = code


class OptionError(HoodooError, ValueError):
    """An option, or a combination of options, that cannot be honoured."""

    code = "option"


class UnknownOption(OptionError, LookupError):
    """No option has this name."""

    code = "unknown_option"


class PluginError(HoodooError):
    """Something about a plugin."""

    code = "plugin"


class UnknownPlugin(PluginError, LookupError):
    """No installed distribution offers a plugin of this name."""

    code = "unknown_plugin"


class AmbiguousPlugin(PluginError):
    """Two installed distributions offer one name."""

    code = "ambiguous_plugin"


class BrokenPlugin(PluginError, ImportError):
    """The plugin is installed and cannot be loaded."""

    code = "broken_plugin"


class PluginNotAllowed(PluginError):
    """The allow-list does not name the plugin."""

    code = "plugin_not_allowed"


class PluginFault(PluginError, RuntimeError):
    """The plugin ran and broke its contract: raised, wrong length, wrong type, changed its input."""

    code = "plugin_fault"


class SchemaError(HoodooError, TypeError):
    """Columns or types that do not fit."""

    code = "schema"


class DataError(HoodooError, ValueError):
    """Rows that cannot be written: a null key, a null ordering value."""

    code = "data"


class TableError(HoodooError):
    """Something about the table itself."""

    code = "table"


class NotATable(TableError, FileNotFoundError):
    """There is no Hudi table at the path."""

    code = "not_a_table"


class TableExists(TableError, FileExistsError):
    """There is a table already and the mode is ``errorifexists``."""

    code = "table_exists"


class UnsupportedTable(TableError):
    """A table version, type or feature that is not supported."""

    code = "unsupported_table"


class CorruptTableError(TableError):
    """A file that a completed commit names is damaged.

    ``file`` is its table-relative path, ``offset`` the byte where the damage shows, where that is known.
    """

    code = "corrupt_table"

    def __init__(self, message: str, *, file: str, offset: int | None = None, code: str | None = None) -> None:
        super().__init__(message, code=code)
        self.file = file
        self.offset = offset


class TableChanged(TableError):
    """Another process cleaned, archived or rolled back a file that a read needs; the next read does not need it."""

    code = "table_changed"


class StorageError(TableError, OSError):
    """The store failed; the message names path and operation."""

    code = "storage"


class LockLost(StorageError):
    """A lock that was held ended before it was released; another writer may hold it now."""

    code = "lock_lost"


class CommitError(HoodooError, RuntimeError):
    """The commit did not happen."""

    code = "commit"


class LockTimeout(CommitError):
    """A lock of the table was not obtained in time; the message names the lock and its holder."""

    code = "lock_timeout"


class CommitConflict(CommitError):
    """Another writer committed a change to the same file groups."""

    code = "commit_conflict"


class CommitRefused(CommitError):
    """A pre-commit hook refuses what would be committed; the table is as it was."""

    code = "commit_refused"


class CommitStateUnknown(CommitError):
    """Whether the commit happened cannot be known. Nothing was deleted; look at the timeline before trying again."""

    code = "commit_state_unknown"


class JavaNotFound(HoodooError, FileNotFoundError):
    """No usable Java; the message lists every place that was looked at, with the reason."""

    code = "java_not_found"
