"""Models of machines: points simulated one by one, figures reproduced, times explained."""
