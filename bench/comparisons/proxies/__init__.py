"""Comparisons of proxies with the applications that they stand for, at the same problem."""
