"""Tests of record keys, partition columns and indexes."""
