"""Processes that run Hudi, hoodoo, Java programs and the crate hudi-core, and their clients."""
