"""What is sent to many sockets at once, and the relays from core that it comes from."""
