"""What the operating system itself provides: clocks."""
