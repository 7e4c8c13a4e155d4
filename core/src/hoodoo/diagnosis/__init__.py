"""Diagnosis of a table in production, without writing to it: versions, instants, files, rows, and the next write."""

from hoodoo.diagnosis.diagnose import Diagnosis, diagnose, no_progress
from hoodoo.diagnosis.finding import Finding, Place, Status

__all__ = ["Diagnosis", "Finding", "Place", "Status", "diagnose", "no_progress"]
