"""Models of machines as text: structure, parts of a simulated time, sensitivity."""
