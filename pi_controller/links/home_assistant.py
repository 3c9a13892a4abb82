"""What Home Assistant finds by itself: one retained message that describes a hall as a device with sensors.

They read the hall's `picture` and `status` topics. The form is that of MQTT device discovery, since its
release 2024.11.
"""

from typing import get_args

import msgspec

from pi_controller import __version__
from pi_controller.protocol.picture import HealthLevel
from pi_controller.vocabulary import Phase

Component = dict[str, object]

LAMP_STATES = ["off", "on", "blinking"]
BOTH_SEATS = "value_json.phase in ['collecting', 'ended']"
"""As on the panel: both lamps are lit once no round comes any more."""
ROBBER = "value_json.phase == 'robber'"
ENDS = (
    "{{ (now() + timedelta(milliseconds=value_json.remaining_ms / value_json.rate)).isoformat()"
    " if value_json.running and value_json.duration_ms else 'None' }}"
)
"""The picture tells how much is left and not when that was, so this counts from its arrival."""


def discovery(hall: str, *, prefix: str = "homeassistant") -> tuple[str, bytes]:
    """Topic and payload, to be published retained; an empty payload there takes the device away again."""
    payload = {
        "device": {
            "identifiers": [f"pi_controller_{hall}"],
            "name": f"Hall {hall}",
            "manufacturer": "pi-controller",
            "sw_version": __version__,
        },
        "origin": {"name": "pi-controller", "sw_version": __version__},
        "components": {name: _whole(hall, name, one) for name, one in _components().items()},
    }
    return f"{prefix}/device/pi_controller_{hall}/config", msgspec.json.encode(payload)


def _whole(hall: str, name: str, component: Component) -> Component:
    """With what all have: an identity of its own, where it reads, and when that is to be believed."""
    status = {"topic": f"controller/{hall}/status", "value_template": "{{ value_json.state }}"}
    believed = (
        {"state_topic": status["topic"]}
        if name == "online"
        else {"state_topic": f"controller/{hall}/picture", "availability": [status]}
    )
    attributes = (
        {"json_attributes_topic": believed["state_topic"]} if "json_attributes_template" in component else {}
    )
    return {"unique_id": f"pi_controller_{hall}_{name}", **believed, **attributes, **component}


def _components() -> dict[str, Component]:
    return {
        "side": _sensor("Side", "{{ value_json.side or 'none' }}", icon="mdi:theme-light-dark"),
        "phase": _sensor("Phase", "{{ value_json.phase }}", options=list(get_args(Phase))),
        "round": _sensor("Round", "{{ value_json.round }}", icon="mdi:counter"),
        "roll": _sensor("Roll", "{{ value_json.sum or 'None' }}", icon="mdi:dice-multiple"),
        "claims": _sensor(
            "Open claims",
            "{{ value_json.claims | selectattr('status', 'eq', 'open') | list | count }}",
            icon="mdi:hand-back-right",
        ),
        "remaining": _sensor(
            "Remaining time at the last change",
            "{{ value_json.remaining_ms / 1000 }}",
            device_class="duration",
            unit_of_measurement="s",
        ),
        "phase_ends": _sensor("Phase ends", ENDS, device_class="timestamp"),
        "paused": _binary("Paused", "value_json.paused", icon="mdi:pause-octagon"),
        "sun_lamp": _sensor("Sun lamp", _seat_lamp(0), options=LAMP_STATES),
        "moon_lamp": _sensor("Moon lamp", _seat_lamp(1), options=LAMP_STATES),
        "pause_lamp": _sensor(
            "Pause lamp",
            "{{ 'blinking' if value_json.paused else 'on' if value_json.running else 'off' }}",
            options=LAMP_STATES,
        ),
        "health": _sensor(
            "Health",
            "{{ value_json.health.level }}",
            options=["ok", *get_args(HealthLevel)],
            json_attributes_template="{{ {'messages': value_json.health.messages} | tojson }}",
        ),
        "online": _binary("Controller", "value_json.state == 'online'", device_class="connectivity"),
    }


def _seat_lamp(seat: int) -> str:
    lit = f"{BOTH_SEATS} or ({ROBBER} and value_json.paused) or value_json.seat == {seat}"
    return f"{{{{ 'on' if {lit} else 'blinking' if {ROBBER} else 'off' }}}}"


def _sensor(name: str, template: str, *, options: list[str] | None = None, **more: str) -> Component:
    kind = {} if options is None else {"device_class": "enum", "options": options}
    return {"platform": "sensor", "name": name, "value_template": template, **kind, **more}


def _binary(name: str, condition: str, **more: str) -> Component:
    template = f"{{{{ 'ON' if {condition} else 'OFF' }}}}"
    return {"platform": "binary_sensor", "name": name, "value_template": template, **more}
