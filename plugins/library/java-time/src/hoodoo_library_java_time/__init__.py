"""Dates and times in the forms of Java: Joda date patterns, time zones, and partition paths made from times."""

from hoodoo_library_java_time.time_format import TimeFormat, timed_partition_paths
from hoodoo_library_java_time.time_options import TimeOptions

__version__ = "0.1.0"

__all__ = ["TimeFormat", "TimeOptions", "timed_partition_paths"]
