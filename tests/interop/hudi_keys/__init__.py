"""The list of Hudi's configuration keys, compared with its releases."""
