"""Tests of writers, services and readers that use one table at the same time."""
