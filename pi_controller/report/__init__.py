"""What a game was like: figures of its journal, as JSON, as tables, on paper.

figures   the report itself
table     one row for each thing that happened
printed   on paper
fallback  paper to go on by hand with
"""
