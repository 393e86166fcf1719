"""One comparison per file; each takes the bench and returns an outcome."""
