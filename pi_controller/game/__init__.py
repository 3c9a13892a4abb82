"""The rules of the hall as pure functions: no clock, no chance, no file, no thread."""
