"""All errors that hoodoo raises, in one class hierarchy.

    HoodooError
    ├── OptionError (ValueError)          an option, or a combination of options, is invalid
    │   └── UnknownOption (LookupError)   the option does not exist; the message names similar ones, if any
    ├── StatementError (ValueError)       a MERGE, UPDATE, DELETE or another statement is invalid
    ├── PluginError
    │   ├── UnknownPlugin (LookupError)   no installed distribution has a plugin of this name
    │   ├── AmbiguousPlugin               several installed plugins have the same name
    │   ├── BrokenPlugin (ImportError)    the plugin is installed but cannot be loaded
    │   ├── PluginNotAllowed              the plugin is not on the allow-list
    │   └── PluginFault (RuntimeError)    the plugin ran and violated its contract
    ├── SchemaError (TypeError)           columns or types do not match
    ├── DataError (ValueError)            rows cannot be written, for example because a key is null
    ├── TableError
    │   ├── NotATable (FileNotFoundError) the path has no Hudi table
    │   ├── TableExists (FileExistsError) a table exists already
    │   ├── UnsupportedTable              the table version, type or feature is not supported
    │   ├── CorruptTableError             a file is corrupt or missing
    │   ├── TableChanged                  a file was cleaned, archived or rolled back during the read
    │   └── StorageError (OSError)        a storage operation failed; the message names path and operation
    │       └── LockLost                  a lock ended before its release; another writer may hold it
    ├── CommitError (RuntimeError)
    │   ├── CommitConflict                a conflict with another writer
    │   ├── CommitRefused                 a pre-commit hook rejected the commit
    │   ├── LockTimeout                   a lock of the table was not obtained in time
    │   └── CommitStateUnknown            the outcome of the commit is unknown; nothing was deleted
    ├── CatalogError (RuntimeError)       a catalog was not updated; the table is not affected
    ├── JavaNotFound (FileNotFoundError)  no Java that Spark supports was found
    └── UnsupportedVersion                the version of Python or PySpark is not supported

``code`` is a short, stable identifier for programs (and for merge vectors). The message is for users: it states what is
wrong, where, and what to do.
"""

from __future__ import annotations

__all__ = [
    "AmbiguousPlugin",
    "BrokenPlugin",
    "CatalogError",
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
    "StatementError",
    "StorageError",
    "TableChanged",
    "TableError",
    "TableExists",
    "UnknownOption",
    "UnknownPlugin",
    "UnsupportedTable",
    "UnsupportedVersion",
]


class HoodooError(Exception):
    """Base class of all errors that hoodoo raises."""

    code = "error"

    def __init__(self, message: str, *, code: str | None = None) -> None:
        super().__init__(message)
        if code is not None:
            self.code = code


class OptionError(HoodooError, ValueError):
    """Error about an invalid option or argument, or an invalid combination of options."""

    code = "option"


class UnknownOption(OptionError, LookupError):
    """Error about an option that does not exist; `option` is its name as given, or "" if it is not stated."""

    code = "unknown_option"

    def __init__(self, message: str, *, option: str = "", code: str | None = None) -> None:
        super().__init__(message, code=code)
        self.option = option


class StatementError(HoodooError, ValueError):
    """Error about a statement, or an expression of one, before anything is written.

    Attributes:
        line: The line of the fault in the text, from 1; None if the fault has no position.
        column: The column of the fault in its line, from 1; None if the fault has no position.
    """

    code = "statement"

    def __init__(
        self, message: str, *, line: int | None = None, column: int | None = None, code: str | None = None
    ) -> None:
        super().__init__(message, code=code)
        self.line, self.column = line, column


class PluginError(HoodooError):
    """Error about a plugin."""

    code = "plugin"


class UnknownPlugin(PluginError, LookupError):
    """Error about a plugin name that no installed distribution has.

    Attributes:
        plugin: The family and the name; None if they are not stated, as in an error that combines several.
        requirement: The argument of `pip install` that installs the plugin; "" if it is unknown.
        parts: The errors of several plugins, which this error combines; () for the error of one plugin.
    """

    code = "unknown_plugin"

    def __init__(
        self,
        message: str,
        *,
        plugin: tuple[str, str] | None = None,
        requirement: str = "",
        parts: tuple[UnknownPlugin, ...] = (),
        code: str | None = None,
    ) -> None:
        super().__init__(message, code=code)
        self.plugin, self.requirement, self.parts = plugin, requirement, parts


class AmbiguousPlugin(PluginError):
    """Error about a name that several installed plugins have."""

    code = "ambiguous_plugin"


class BrokenPlugin(PluginError, ImportError):
    """Error about a plugin that is installed but cannot be loaded."""

    code = "broken_plugin"


class PluginNotAllowed(PluginError):
    """Error about a plugin that is not on the allow-list."""

    code = "plugin_not_allowed"


class PluginFault(PluginError, RuntimeError):
    """Error about a plugin that violated its contract: an exception, a result of wrong length or type, modified input.

    The second line of the message has the place and the keys, if they are set.

    Attributes:
        summary: The message without the line of `place` and `keys`.
        place: File, line and function of the plugin's code; "" if they are unknown, or part of `summary`.
        keys: The record keys of the call, as text; "" if they are unknown, or part of `summary`.
    """

    code = "plugin_fault"

    def __init__(self, summary: str, *, place: str = "", keys: str = "", code: str | None = None) -> None:
        first, *others = summary.split("\n")
        where = "; ".join(text for text in (place, keys) if text)
        super().__init__("\n".join([first, *([f"  {where}"] if where else []), *others]), code=code)
        self.summary, self.place, self.keys = summary, place, keys

    def in_one_line(self) -> PluginFault:
        """Return the same fault with the place and the keys in the first line of its `summary`."""
        first, *others = self.summary.split("\n")
        text = "; ".join(text for text in (first, self.place, self.keys) if text)
        return PluginFault("\n".join([text, *others]), code=self.code)


class SchemaError(HoodooError, TypeError):
    """Error about columns or types that do not match."""

    code = "schema"


class DataError(HoodooError, ValueError):
    """Error about rows that cannot be written, for example because a key is null."""

    code = "data"


class TableError(HoodooError):
    """Error about a table."""

    code = "table"


class NotATable(TableError, FileNotFoundError):
    """Error about a path without a Hudi table."""

    code = "not_a_table"


class TableExists(TableError, FileExistsError):
    """Error about a table that exists already, for example because the mode of the write is ``errorifexists``."""

    code = "table_exists"


class UnsupportedTable(TableError):
    """Error about a table version, type or feature that is not supported."""

    code = "unsupported_table"


class CorruptTableError(TableError):
    """Error about a corrupt or missing file of a table, or of a bootstrap.

    ``file`` is the path of the file, relative to the table, or to the folder of the files that a bootstrap copies.
    ``offset`` is the position of the corrupt byte in the file; None if it is unknown.
    """

    code = "corrupt_table"

    def __init__(self, message: str, *, file: str, offset: int | None = None, code: str | None = None) -> None:
        super().__init__(message, code=code)
        self.file = file
        self.offset = offset


class TableChanged(TableError):
    """Error about a file that was cleaned, archived or rolled back during a read. Read the table again."""

    code = "table_changed"


class StorageError(TableError, OSError):
    """Error of a storage operation; the message names path and operation."""

    code = "storage"


class LockLost(StorageError):
    """Error about a lock that ended before its release; another writer may hold it."""

    code = "lock_lost"


class CommitError(HoodooError, RuntimeError):
    """Error of a commit."""

    code = "commit"


class LockTimeout(CommitError):
    """Error about a table lock that was not obtained in time; the message names the table and the lock."""

    code = "lock_timeout"


class CommitConflict(CommitError):
    """Error about a conflict with another writer, for example with a commit that changed the same file groups."""

    code = "commit_conflict"


class CommitRefused(CommitError):
    """Error about a commit that a pre-commit hook rejected; the rows of the table are unchanged."""

    code = "commit_refused"


class CommitStateUnknown(CommitError):
    """Error about a commit of unknown outcome; nothing was deleted. Check the timeline before a new attempt."""

    code = "commit_state_unknown"


class CatalogError(HoodooError, RuntimeError):
    """Error of a catalog that was not updated, or was updated only in part; the table is not affected."""

    code = "catalog"


class JavaNotFound(HoodooError, FileNotFoundError):
    """Error about a Java installation that is missing or cannot be used.

    The message lists each searched location with the reason for its rejection.
    """

    code = "java_not_found"


class UnsupportedVersion(HoodooError):
    """Error about a version of Python or PySpark that is not supported."""

    code = "version"
