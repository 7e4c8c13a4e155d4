"""Statement CALL: procedures with the same names, arguments and columns as in Hudi."""
