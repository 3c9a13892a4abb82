"""Voltage and current along the rows of table nodes. Pure.

zone    one stretch of a row on one injector, and the plan of a hall
report  the plan in words and figures
"""
