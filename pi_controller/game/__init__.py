"""The rules of the hall as pure functions: no clock, no chance, no file, no thread.

game         the fold: commands to events (`decide`), events to the next game (`apply`)
state        one frozen value
commands     what people ask, with its ranges
events       what happened: the journal's vocabulary
phases       the one table of situation × command
moves        commands on the clock and the game
claims       the claims of a game, their sheets and points
clockwork    what happens when time is up, in rounds and in turns
turn_order   who acts when
dice         rolls from a committed seed
dice_terms   what the dice are committed to
rule_sets    the formats as data
actions      the actions in force, by name; undo, redo, replace
room         the game as pictures show it
"""
