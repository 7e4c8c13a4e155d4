"""File groups and file slices: the files of a table at an instant."""

from hoodoo.filegroup.file_group import FileGroup, FileSlice, LogFile, ReplacedGroup
from hoodoo.filegroup.slice_view import all_groups, base_slices, file_groups, file_slices, slices_of_groups

__all__ = [
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
