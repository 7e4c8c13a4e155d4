"""Tests of bad input through Spark."""
