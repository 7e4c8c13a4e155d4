"""Names of tables in statements, and the places that keep them."""
