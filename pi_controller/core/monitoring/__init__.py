"""Looks after the process and the computer that it runs on, and tells the director."""
