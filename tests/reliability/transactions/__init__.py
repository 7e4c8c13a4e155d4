"""Tests of transactions and rollbacks, without the code that writes rows."""
