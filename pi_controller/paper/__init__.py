"""Printed pages; the only folder that imports reportlab.

document  pages, tables, event
picture   drawings in millimetres
fonts     the embedded fonts
hall      the sheets of a hall: map, cables, labels, seats
"""
