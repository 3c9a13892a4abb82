"""Sentences into words, by the catalogues of `locale/`."""
