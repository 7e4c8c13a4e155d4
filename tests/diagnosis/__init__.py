"""Diagnosis and validation of tables that Apache Hudi wrote."""
