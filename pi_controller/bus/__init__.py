"""The table bus, pure: frames, messages, who is asked when, who is there. Bytes in, values out."""
