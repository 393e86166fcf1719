"""How a result stands among those of machines of its kind."""
