"""Tests of failures, killed processes and several writers, on tables in memory and in stores."""
