"""CALL: procedures with the names, arguments and columns that they have in Hudi."""
