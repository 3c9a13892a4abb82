"""Printed pages: labels, cable lists, maps and reports."""
