"""What is sent to many sockets at once, and the relays from core that it comes from.

`broadcaster`: one message to all listeners of a feed, phones in portions. `core_link`: pictures, beats and
streams of core. `notes`: those from the director to the moderator, and small files that are kept. `screens`:
the hall's screens and what they are told.
"""
