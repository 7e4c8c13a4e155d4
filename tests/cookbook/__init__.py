"""Tests of the recipes of docs/cookbook."""
