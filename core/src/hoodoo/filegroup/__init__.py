"""File groups and file slices: the files of a table at an instant."""

from hoodoo.filegroup.file_group import FileGroup, FileSlice, LogFile, ReplacedGroup
from hoodoo.filegroup.slice_view import (
    METADATA_BOOTSTRAP,
    all_groups,
    base_slices,
    file_groups,
    file_slices,
    slices_of_groups,
)

__all__ = [
    "METADATA_BOOTSTRAP",
    "FileGroup",
    "FileSlice",
    "LogFile",
    "ReplacedGroup",
    "all_groups",
    "base_slices",
    "file_groups",
    "file_slices",
    "slices_of_groups",
]
