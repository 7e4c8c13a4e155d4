"""Storage of tables in object stores: clients, files, leases, prefetch and errors."""
