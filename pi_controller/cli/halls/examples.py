"""The broker's files as they stand in `systemd/mosquitto`, to be read before they are made."""

from pi_controller.cli.halls.broker_folder import FOLDER, VARIANTS, Users, rights_text

PLACE = "systemd/mosquitto"


def texts() -> dict[str, str]:
    """Content by path: both configurations, and the rights of two halls, of which one may lead, and
    of somebody who reads."""
    own_network, tls = (variant.text(FOLDER / "server") for variant in VARIANTS)
    return {
        f"{PLACE}/own_network.conf": own_network,
        f"{PLACE}/tls.conf": tls,
        f"{PLACE}/acl.example": rights_text(Users(("main", "east"), ("listener",), ("main",))),
    }
