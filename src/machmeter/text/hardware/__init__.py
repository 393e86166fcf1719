"""What the hardware of a machine is, and what holds it back, as text."""
