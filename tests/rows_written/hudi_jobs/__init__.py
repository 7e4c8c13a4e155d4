"""Tests of jobs for Hudi with Hudi's options."""
