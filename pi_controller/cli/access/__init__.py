"""Who may log in: the PIN and links for one device each."""
