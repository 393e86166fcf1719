"""Codes of one process that stand for those of a suite of OpenMP programs, and the set of them."""
