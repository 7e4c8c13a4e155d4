"""File groups and file slices: which files make a table up at an instant."""

from hoodoo.filegroup.file_group import FileGroup, FileSlice, LogFile
from hoodoo.filegroup.slices import base_slices, file_groups, file_slices

__all__ = ["FileGroup", "FileSlice", "LogFile", "base_slices", "file_groups", "file_slices"]
