"""What is this machine: topology, memory, software, and what it lacks for measuring."""
