"""File groups and file slices: which files make a table up at an instant."""

from hoodoo.filegroup.slices import FileGroup, FileSlice, file_groups, file_slices

__all__ = ["FileGroup", "FileSlice", "file_groups", "file_slices"]
