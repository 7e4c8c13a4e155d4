"""Tests of the explanations of rows."""
