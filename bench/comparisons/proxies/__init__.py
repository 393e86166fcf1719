"""Comparisons of proxies with the applications that they are built after."""
