"""The control socket.

requests  everything that may be asked, and pictures to everybody who watches
settings  what pages may change, and the new start that some of it needs
stick     the evening on a stick
"""
