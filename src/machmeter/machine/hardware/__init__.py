"""What a machine is made of, as far as its system shows it."""
