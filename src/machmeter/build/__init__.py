"""Toolchains, the embedded MPI, and CMake into the cache."""
