"""Numbers, layouts, results and findings as text: the one place where they are formatted."""
