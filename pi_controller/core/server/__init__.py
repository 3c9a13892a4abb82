"""The control socket.

requests  everything that may be asked, and pictures to everybody who watches
stick     the evening on a stick
"""
