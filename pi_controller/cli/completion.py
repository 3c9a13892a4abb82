"""`pi-controller completion`: a shell completes commands, and asks this program what may follow one."""

import argparse
from argparse import Namespace

from pi_controller.cli.usage import COMMANDS, argument, command, load, parser_of
from pi_controller.sentence import Sentence

BASH = """\
_pi_controller() {{
    local offered="{commands}"
    if [ "$COMP_CWORD" -gt 1 ]; then
        offered=$("$1" completion bash "${{COMP_WORDS[@]:1:COMP_CWORD-1}}" 2>/dev/null)
    fi
    COMPREPLY=($(compgen -W "$offered" -- "${{COMP_WORDS[COMP_CWORD]}}"))
}}
complete -o default -F _pi_controller pi-controller
"""
ZSH = """\
_pi_controller() {{
    local -a offered=({commands})
    if (( CURRENT > 2 )); then
        offered=($("${{words[1]}}" completion zsh "${{(@)words[2,CURRENT-1]}}" 2>/dev/null))
    fi
    compadd -a offered || _files
}}
compdef _pi_controller pi-controller
"""
SCRIPTS = {"bash": BASH, "zsh": ZSH}


@command(
    "completion",
    argument("shell", choices=tuple(SCRIPTS), meaning=Sentence("help.completion_shell")),
    argument("typed", nargs=argparse.REMAINDER, help=argparse.SUPPRESS),
    in_state_dir=False,
)
def completion(arguments: Namespace) -> None:
    """The script that the shell reads; with words that were `typed`, what may follow them."""
    if not arguments.typed:
        print(SCRIPTS[arguments.shell].format(commands=" ".join(COMMANDS)), end="")
        return
    name, *rest = arguments.typed
    if name in COMMANDS:
        load(name)
        print("\n".join(parser_of(name).offered(rest)))
