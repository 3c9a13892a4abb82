"""`pi-controller links`: the process that links this hall with others. With a task, log-in links."""

from pi_controller.cli import forgetting, promotion, settlement
from pi_controller.cli.access import links as login_links
from pi_controller.cli.process_arguments import add_unattended, check_socket_path
from pi_controller.cli.processes import leave
from pi_controller.cli.usage import add_settings, add_state_dir, parser_for, state_dir
from pi_controller.language.languages import ENGLISH
from pi_controller.language.words import speak, words
from pi_controller.protocol.options import LinksOptions
from pi_controller.sentence import Sentence


def run(name: str, given: list[str]) -> int:
    if given and given[0] in ("promote", "step-down"):
        return promotion.run(name, given)
    if given and given[0] == "forget":
        return forgetting.run(name, given)
    if given and given[0] == "settle":
        return settlement.run(name, given)
    if given and not given[0].startswith("-"):
        return login_links.run(name, given)
    parser = parser_for(name)
    parser.epilog = words(Sentence("help.links_tasks"))
    add_settings(parser)
    add_state_dir(parser)
    add_unattended(parser)
    arguments = parser.parse_args(given)
    check_socket_path(arguments)
    options = LinksOptions(
        state_dir=state_dir(arguments),
        settings_path=arguments.settings,
        unattended=arguments.unattended,
    )
    # Imported here: log-in links need no MQTT library.
    from pi_controller.links.main import main as links_main  # noqa: PLC0415

    speak(ENGLISH)
    return leave(links_main(options))
