"""Tests of plugins that break their contract."""
