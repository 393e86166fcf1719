"""One comparison a file; each takes the bench and gives an outcome."""
