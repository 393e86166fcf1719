"""Tables with their headings as data, and as text, Markdown and LaTeX."""
