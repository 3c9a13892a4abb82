"""The table nodes and the seats on phones.

tables.py: between bus and loop; snapshots and conditions for watchers. claims.py: claims from nodes, and what
became of them. seats.py: claims from phones. state.py: what tables show, from a picture. roster.py: who
stands where; enrolment, spare nodes, actions. report.py: snapshot, metrics, notes and sentences.
"""
