"""Benchmarks of memory: access, pairs of CPUs and domains, load, allocation."""
