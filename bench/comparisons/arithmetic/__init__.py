"""Comparisons of arithmetic: peak rates, and products of matrices."""
