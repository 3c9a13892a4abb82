"""Every route, and literally who may use it."""

from pi_controller.web.http.routes import Route

FILLED = {
    "{name:.+}": "base.css",
    "{name}": "pause",
    "{action:(?!tables$)[^/]+}": "tap",
    "{action}": "press",
    "{action:(?!feed$)[^/]+}": "swap",
    "{id}": "g1",
    "{part:all|state|dice|sheets}": "sheets",
}
WHO_MAY = {
    "public": """
        GET / /overlay /event/logo /report/{game} /replay/{game} /login /static/{name}
        GET /static/words/{language}.json /static/words/{page}/{language}.json /phone /api/phone /api/join
        GET /join/{name}.svg /api/seat /verify_game.py /verify.html /verify.svg /api/state /api/feed
        GET /api/games /api/games/{id}/export /api/games/{id}/replay /api/games/{id}/replay/tables
        GET /api/games/{id}/report.{kind} /metrics /api/openapi.json /api/session /api/screen
        POST /login /api/pin
    """,
    "here": """
        GET /sim /api/sim /api/sim/tables
        POST /api/sim/{action} /api/sim/tables/{action}
    """,
    "logged_in": """
        POST /api/logout
    """,
    "staff": """
        GET /api/tables /api/tables/feed /api/roster
    """,
    "technician": """
        GET /technician /technician/selftest /technician/hardware /api/selftest /api/selftest/feed
        GET /api/selftest/reports /api/selftest/reports/{name} /api/hardware/feed /api/settings
        GET /api/button /api/firmware
        POST /api/button /api/firmware
        POST /api/tables/{action} /api/sound/{action} /api/roster /api/selftest/begin /api/selftest/answer
        POST /api/selftest/mend /api/selftest/stop /api/settings /api/settings/restart
    """,
    "judge": """
        GET /judge /api/sheets/feed /api/desk
        POST /api/sheets
    """,
    "moderator": """
        GET /moderator /api/notes/feed
        POST /api/notes/read
    """,
    "director": """
        GET /api/actions /director /api/links /api/stick /api/fallback/{part}.pdf /api/directing
        GET /api/screens /api/seat-codes /api/seat-codes.pdf
        POST /api/commands/{name} /api/login-link /api/links/revoke /api/stick /api/copy /api/halls/settle
        POST /api/directing/take-over /api/directing/hand-over /api/screens/{name} /api/notes/write
        POST /api/notes/remove
    """,
}
ACCESS = {
    (method, path): access
    for access, lines in WHO_MAY.items()
    for method, *paths in map(str.split, lines.strip().splitlines())
    for path in paths
}


def path_of(route: Route) -> str:
    path = route.path
    for place, value in FILLED.items():
        path = path.replace(place, value)
    return path
