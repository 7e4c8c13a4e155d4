"""Checks of the laws that rules and aggregate functions claim."""
