"""Which board stands where, and which table node is fitted to it.

model       rows and boards, their checks and edits
seat_codes  what lets one device claim for a seat
store       the files
"""
