"""Numbers, layouts, results and findings in words: the one place where they are formatted."""
