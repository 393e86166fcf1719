"""What curves over an axis show: knees, protocols, growth, flat ends, unlike pairs."""
