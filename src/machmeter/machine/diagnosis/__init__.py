"""Checks of this machine's readiness for benchmarking."""
