"""One sheet for the owner of the venue's network: what is asked for, and what never happens."""

from pi_controller.paper.document import Paper

ASKED = (
    (
        "One place on the wired network",
        "100 Mbit/s is enough; an address by DHCP, always the same one if possible.",
    ),
    (
        "Devices may reach each other",
        "No client isolation between the controller and the screens, phones and tablets.",
    ),
    (
        "A connection may stay open for hours",
        "WebSocket on the same port; proxies and filters must not cut it.",
    ),
    ("A Wi-Fi for guests, only if phones shall follow", "One of the venue; the controller brings none."),
)
TRAFFIC = (
    (
        "in",
        "TCP 8080, or the port in the address above",
        "HTTP and WebSocket: pages, picture of the game, commands",
    ),
    (
        "in",
        "TCP 22, only if the venue wants remote help",
        "SSH with keys; off unless somebody switched it on",
    ),
    ("out", "none is needed", "nothing is asked of the Internet, nor of a name service"),
    ("out", "UDP 123 (optional)", "time of day, if the venue has a time server; play does not depend on it"),
)
NEVER = (
    "No access point of its own, no DHCP or name server, no bridge or router between networks.",
    "No multicast or broadcast: no service announcements, no media streams.",
    "No Internet: it works with the uplink pulled out, and installs and updates from a stick.",
    "No data about guests: phones only read the game; nothing is stored about them, no cookies are set.",
)
FIGURES = (
    ("Opening a page", "at most 300 kB once; afterwards the browser keeps it"),
    ("Following the game", "below 1 kB a second and screen; 500 phones: below 4 Mbit/s"),
    ("Delay", "below 100 ms is welcome; a screen that loses the line counts on and catches up by itself"),
    ("If the network fails", "the game, the lamps and the tables go on: they do not use it"),
)


def add(paper: Paper, address: str) -> None:
    """`address` of the pages, empty when it is not known yet."""
    paper.heading("For the owner of the venue's network")
    paper.paragraph(
        "A small computer shows one shared clock to the hall. Screens, and phones if wanted, open its pages"
        " in their browser. Game and tables run on wires of their own."
    )
    line = "________________________________"
    paper.key_values(
        [
            ("Address of the pages", address or line),
            ("Network socket in the hall", line),
            ("Person to call", line),
        ]
    )
    paper.heading("What is asked for", level=2)
    paper.table(("Please", "Why and how"), ASKED, widths=[2, 4])
    paper.heading("Connections, as seen by the controller", level=2)
    paper.table(("", "Port", "For"), TRAFFIC, widths=[0.5, 3, 4])
    paper.heading("What never happens", level=2)
    paper.bullets(NEVER)
    paper.heading("How much", level=2)
    paper.table(("", "Figure"), FIGURES, widths=[2, 4])
    paper.paragraph(
        "Pages are plain HTTP inside the hall. The director's page asks for a log-in; who sits on the same"
        " network could listen, so a network of the event's own, without guests, is best for the director."
    )
