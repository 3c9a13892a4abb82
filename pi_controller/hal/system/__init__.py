"""What the operating system itself provides: clocks, facts, the service manager."""
