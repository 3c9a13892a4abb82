"""The table bus on serial ports; the only folder that imports pyserial.

port  one port by its stable name, and which there are
link  a segment's thread between its port and its master
bus   all segments
"""
