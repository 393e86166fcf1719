"""Studies after Lehto 2008."""
