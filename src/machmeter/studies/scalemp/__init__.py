"""Studies after Schmidl et al., IEEE Cluster 2010."""
