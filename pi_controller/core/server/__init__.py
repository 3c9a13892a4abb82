"""The control socket.

requests  everything that may be asked
feed      pictures to everybody who watches
stick     the evening on a stick
"""
