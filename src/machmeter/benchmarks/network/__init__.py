"""Benchmarks of the interconnect: messages, collectives, one-sided, overlap."""
