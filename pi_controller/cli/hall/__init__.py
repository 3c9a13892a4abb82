"""Commands about rows, boards and table nodes, and what is printed of them."""
