"""Each line of the units that closes, watches, limits or brings back a service, pinned one by one."""

import pytest

from tests.architecture.sources import ROOT

CLOSED = frozenset(
    [
        "NoNewPrivileges=yes",
        "ProtectSystem=strict",
        "ProtectHome=yes",
        "PrivateTmp=yes",
        "ProtectClock=yes",
        "ProtectHostname=yes",
        "ProtectKernelLogs=yes",
        "ProtectKernelModules=yes",
        "ProtectKernelTunables=yes",
        "RestrictRealtime=yes",
        "RestrictSUIDSGID=yes",
        "SystemCallArchitectures=native",
    ]
)
"""Of every service."""

TIGHT = (
    CLOSED
    | frozenset(
        [
            "CapabilityBoundingSet=",
            "AmbientCapabilities=",
            "DevicePolicy=closed",
            "IPAddressDeny=any",
            "KeyringMode=private",
            "LimitCORE=0",
            "LockPersonality=yes",
            "MemoryDenyWriteExecute=yes",
            "PrivateIPC=yes",
            "PrivateMounts=yes",
            "ProtectControlGroups=yes",
            "ProtectProc=invisible",
            "RemoveIPC=yes",
            "RestrictNamespaces=yes",
            "SystemCallErrorNumber=EPERM",
            "SystemCallFilter=@system-service",
            "UMask=0077",
            "User=pi-controller",
        ]
    )
    | {"SystemCallFilter=~@privileged @resources"}
)
"""Of the controller's own programs, and of the broker."""

LOCAL_NETWORKS = "IPAddressAllow=localhost 10.0.0.0/8 172.16.0.0/12 192.168.0.0/16 fe80::/10 fc00::/7"

PINNED: dict[str, frozenset[str]] = {
    "pi-controller-core.service": TIGHT
    | {
        "StartLimitIntervalSec=0",
        "Type=notify",
        "NotifyAccess=main",
        "Restart=always",
        "RestartSec=500ms",
        "WatchdogSec=10",
        "TimeoutStopSec=5",
        "StateDirectory=pi-controller",
        "StateDirectoryMode=0700",
        "RuntimeDirectory=pi-controller",
        "RequiresMountsFor=/var/lib/pi-controller",
        "ReadWritePaths=-/media -/mnt",
        "PrivateNetwork=yes",
        "RestrictAddressFamilies=AF_UNIX",
        "DeviceAllow=char-gpiochip rw",
        "DeviceAllow=char-i2c rw",
        "DeviceAllow=char-spi rw",
        "DeviceAllow=char-ttyUSB rw",
        "DeviceAllow=char-ttyACM rw",
        "DeviceAllow=char-alsa rw",
        "SupplementaryGroups=gpio i2c spi dialout audio",
        "CPUWeight=1000",
        "LimitNOFILE=4096",
        "MemoryHigh=150M",
        "MemoryMax=200M",
        "TasksMax=64",
        "OOMScoreAdjust=-900",
    },
    "pi-controller-web.service": TIGHT
    | {
        "StartLimitIntervalSec=0",
        "Type=notify",
        "NotifyAccess=main",
        "TimeoutStartSec=60",
        "Restart=always",
        "RestartSec=1s",
        "TimeoutStopSec=5",
        "PrivateDevices=yes",
        "PrivateUsers=yes",
        "ReadOnlyPaths=-/var/lib/pi-controller/exports",
        "RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6",
        LOCAL_NETWORKS,
        "LimitNOFILE=16384",
        "MemoryHigh=200M",
        "MemoryMax=300M",
        "TasksMax=64",
        "OOMScoreAdjust=300",
    },
    "pi-controller-links.service": TIGHT
    | {
        "StartLimitIntervalSec=0",
        "Type=exec",
        "Restart=on-failure",
        "RestartSec=1s",
        "TimeoutStopSec=5",
        "PrivateDevices=yes",
        "PrivateUsers=yes",
        "RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6",
        LOCAL_NETWORKS,
        "CPUWeight=500",
        "LimitNOFILE=1024",
        "MemoryHigh=100M",
        "MemoryMax=150M",
        "TasksMax=32",
        "OOMScoreAdjust=-300",
    },
    "pi-controller-broker.service": (TIGHT - {"User=pi-controller"})
    | {
        "StartLimitIntervalSec=0",
        "ConditionPathExists=/etc/pi-controller/broker/server/mosquitto.conf",
        "Conflicts=mosquitto.service",
        "User=mosquitto",
        "Restart=always",
        "RestartSec=200ms",
        "TimeoutStopSec=5",
        "InaccessiblePaths=-/var/lib/pi-controller",
        "PrivateDevices=yes",
        "PrivateUsers=yes",
        "RestrictAddressFamilies=AF_INET AF_INET6",
        LOCAL_NETWORKS,
        "CPUWeight=500",
        "LimitNOFILE=4096",
        "MemoryHigh=100M",
        "MemoryMax=150M",
        "TasksMax=32",
        "OOMScoreAdjust=-300",
    },
    "pi-controller-selftest.service": TIGHT
    | {
        "Type=oneshot",
        "TimeoutStartSec=60",
        "RuntimeDirectory=pi-controller-selftest",
        "ReadWritePaths=-/var/lib/pi-controller",
        "PrivateNetwork=yes",
        "PrivateDevices=yes",
        "RestrictAddressFamilies=AF_UNIX",
        "MemoryMax=150M",
        "TasksMax=32",
    },
    "pi-controller-poweroff.service": CLOSED
    | {
        "Type=oneshot",
        "CapabilityBoundingSet=CAP_DAC_OVERRIDE",
        "ReadWritePaths=-/run/pi-controller",
        "PrivateNetwork=yes",
        "PrivateDevices=yes",
        "RestrictAddressFamilies=AF_UNIX",
        "LockPersonality=yes",
        "MemoryDenyWriteExecute=yes",
        "RestrictNamespaces=yes",
    },
    "pi-controller-kiosk.service": CLOSED
    | {
        "StartLimitIntervalSec=0",
        "User=pi-kiosk",
        "SupplementaryGroups=video render",
        "Restart=always",
        "RestartSec=1s",
        "TimeoutStopSec=3",
        "CapabilityBoundingSet=",
        "AmbientCapabilities=",
        "ProtectControlGroups=yes",
        "InaccessiblePaths=-/var/lib/pi-controller",
        "IPAddressDeny=any",
        "IPAddressAllow=localhost",
        "RuntimeDirectory=pi-controller-kiosk",
        "RuntimeDirectoryMode=0700",
        "UMask=0077",
        "LimitCORE=0",
        "MemoryHigh=700M",
        "MemoryMax=900M",
        "TasksMax=512",
        "OOMScoreAdjust=500",
    },
}
FREE = frozenset(
    [
        "Description",
        "After",
        "Wants",
        "Requires",
        "Conflicts",
        "WantedBy",
        "ExecStart",
        "ExecStopPost",
        "Environment",
        "WorkingDirectory",
        "RuntimeDirectoryPreserve",
        "Type",
        "TimeoutStartSec",
        "ReadWritePaths",
        "InaccessiblePaths",
    ]
)
"""Directives that other tests hold, or that differ by what a service does; those of them that are pinned must
be there all the same."""


def lines(name: str) -> list[str]:
    text = (ROOT / "systemd" / name).read_text()
    return [line for line in text.splitlines() if line and not line.startswith(("#", "["))]


@pytest.mark.parametrize(
    ("unit", "line"), [(unit, line) for unit, pinned in PINNED.items() for line in sorted(pinned)]
)
def test_a_line_is_there(unit: str, line: str) -> None:
    assert line in lines(unit)


@pytest.mark.parametrize("unit", PINNED)
def test_nothing_is_opened_again(unit: str) -> None:
    """A later line of the same name adds to the first one or takes its place."""
    others = [line for line in lines(unit) if line.partition("=")[0] not in FREE]
    assert sorted(others) == sorted(line for line in PINNED[unit] if line.partition("=")[0] not in FREE)


def test_all_services_are_pinned() -> None:
    assert set(PINNED) == {path.name for path in (ROOT / "systemd").glob("*.service")}


def test_what_the_web_side_must_not_see_is_out_of_its_sight() -> None:
    (hidden,) = (line for line in lines("pi-controller-web.service") if line.startswith("InaccessiblePaths="))
    assert {"-/var/lib/pi-controller/games", "-/var/lib/pi-controller/pairing.key"} <= set(
        hidden.partition("=")[2].split()
    )


def test_what_the_links_must_not_see_is_out_of_their_sight() -> None:
    """Whoever has the pairing key and the copy knows all rolls to come."""
    (hidden,) = (
        line for line in lines("pi-controller-links.service") if line.startswith("InaccessiblePaths=")
    )
    assert {"-/var/lib/pi-controller/games", "-/var/lib/pi-controller/pairing.key"} <= set(
        hidden.partition("=")[2].split()
    )


def test_core_makes_its_outputs_safe_after_every_end() -> None:
    assert any(
        line.startswith("ExecStopPost=") and " safe-outputs " in line
        for line in lines("pi-controller-core.service")
    )


def test_the_machines_own_watchdog_and_its_start_after_a_crash() -> None:
    assert lines("watchdog.conf") == ["RuntimeWatchdogSec=14"]
    assert lines("sysctl.conf") == ["kernel.panic = 10"]


def test_the_wish_to_switch_off_is_waited_for() -> None:
    assert {"PathExists=/run/pi-controller/power-off", "Unit=pi-controller-poweroff.service"} <= set(
        lines("pi-controller-poweroff.path")
    )
