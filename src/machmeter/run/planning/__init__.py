"""From a request to launches: layouts, sizes, points, order."""
