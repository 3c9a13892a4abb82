"""The rules as pure functions: no clock, no randomness, no files, no threads.

commands.py, events.py: what is asked, what happened. game.py: decide and apply. phases.py: what is allowed
when. moves.py, claim_moves.py: what commands do. corrections.py, actions.py: undo, redo, replace. state.py,
claims.py: values, claims and sheets. clockwork.py, turn_order.py: what comes next. dice.py, dice_terms.py:
verifiable dice. rule_sets.py: rules as data. room.py: the picture's game part.
"""
