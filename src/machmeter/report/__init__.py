"""What a person sees: terminal, HTML, exports."""
