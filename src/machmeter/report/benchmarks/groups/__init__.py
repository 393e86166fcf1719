"""What is special to a group of benchmarks: its charts and tables, found by kind."""
