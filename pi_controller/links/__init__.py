"""Several halls with one game, and show control, over an MQTT broker.

main        the process
broker      the connection
payloads    topics and messages, strictly read
schema      their published description
lease       who leads. Pure
leader      publishes the game, takes what followers ask
follower    brings the leader's game to its own core
core_end    what both have to do with core
copies      the leader's second copy at the followers
withdrawal  what a broker keeps of a hall, and its removal
"""
