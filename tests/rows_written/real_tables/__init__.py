"""Tests of reads of and writes to tables that Hudi wrote."""
