"""Tests of failures and several writers in real stores."""
