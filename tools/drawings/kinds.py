"""What the two boards are made of: value, footprint, and what to order. The values are our own choice."""

from tools.drawings.schematic import Kind


def resistor(value: str, note: str = "1 %, 0.125 W") -> Kind:
    return Kind(value, "R_0805", f"resistor {value}, {note}")


def strong(value: str) -> Kind:
    """Bears what a short at the plug makes of it; `0.5W` tells its order code from the usual one."""
    return resistor(f"{value} 0.5W", "1 %, 0.5 W, pulse-proof")


def capacitor(value: str, volts: int, size: str = "0805") -> Kind:
    return Kind(value, f"C_{size}", f"ceramic capacitor {value}, {volts} V, X7R")


def header(count: int, name: str) -> Kind:
    return Kind(name, f"Pins_{count}", f"pin header 2.54 mm, {count} pins")


def plug(count: int, name: str) -> Kind:
    """For wires that leave the board: it goes in one way round only."""
    return Kind(name, f"XH_{count}", f"JST XH header 2.5 mm, {count} pins, upright", f"B{count}B-XH-A")


def terminal(name: str) -> Kind:
    return Kind(name, "Terminal_2", "screw terminal 5.08 mm, 2 poles")


R10 = resistor("10", "1 %, 0.125 W, pulse-proof")
R100, R1K, R4K7 = resistor("100"), resistor("1k"), resistor("4k7")
R47, R150 = strong("47"), strong("150")
R2K2 = strong("2k2")
R240K = resistor("240k")
SHUNT = Kind("10m", "R_2512_4", "shunt 10 mOhm, 1 %, 1 W, 2512", "WSL2512R0100FEA")
R10K, R100K, R150K = resistor("10k"), resistor("100k"), resistor("150k")
R22K, R47K, R110K, R1M = resistor("22k"), resistor("47k"), resistor("110k"), resistor("1M")
R2R2 = Kind("2R2", "R_1206", "resistor 2.2 Ohm, 1 %, 0.5 W")
R0R1 = Kind("0R1", "R_1206", "resistor 0.1 Ohm, 1 %, 0.5 W")
R_LOOP = Kind("4k7 0.5W", "R_Axial", "resistor 4k7, 5 %, 0.5 W")
C100N = capacitor("100n", 50)
C10N = capacitor("10n", 50)
C2U2 = Kind("2u2", "C_1210", "ceramic capacitor 2u2, 100 V, X7R", "GRM32ER72A225KA35L")
COIL = Kind("10u", "L_6045", "shielded coil 10 uH, at least 1 A", "SRN6045-100M")
C10U = capacitor("10u", 16, "1206")
C22U = capacitor("22u", 16, "1210")
C100U = Kind("100u", "C_Radial", "electrolytic capacitor 100 uF, 50 V")

NMOS = Kind("AO3400A", "SOT-23", "N-channel MOSFET 30 V, specified at 2.5 V gate voltage", "AO3400A")
SWITCH = Kind(
    "ZXMS6004DG", "SOT-223", "protected low-side switch 60 V, limits its current, logic level", "ZXMS6004DGTA"
)
PMOS_SUPPLY = Kind("ZXMP7A17G", "SOT-223", "P-channel MOSFET 70 V, 0.16 Ohm", "ZXMP7A17GTA")
PMOS = Kind("Si2309CDS", "SOT-23", "P-channel MOSFET 60 V", "Si2309CDS")
NPN = Kind("MMBT3904", "SOT-23", "NPN transistor 40 V", "MMBT3904")
SCHOTTKY = Kind("SS16", "SMA", "Schottky diode 60 V, 1 A", "SS16")
CLAMP = Kind("BAT43W", "SOD-123", "Schottky diode 30 V, 0.2 A", "BAT43W")
SIGNAL = Kind("1N4148W", "SOD-123", "signal diode", "1N4148W")
ZENER_GATE = Kind("12V", "SOD-123", "zener diode 12 V, 0.5 W", "BZT52C12")
ZENER = Kind("9V1", "SOD-123", "zener diode 9.1 V, 2 %, 0.5 W", "BZT52-B9V1")
TVS_24 = Kind("SMAJ28A", "SMA", "suppressor diode 28 V, one direction", "SMAJ28A")
TVS_PANEL = Kind("SMAJ24A", "SMA", "suppressor diode 24 V, clamps at 38.9 V, one direction", "SMAJ24A")
TVS_BUS = Kind("NUP2105L", "SOT-23", "suppressor for two lines, 24 V, both directions", "NUP2105L")
PTC = Kind("0.2A", "1812", "resettable fuse, holds 0.2 A, 60 V", "MF-MSMF020/60")
LED = Kind("green", "LED_0805", "LED, green")


def fuse(value: str) -> Kind:
    return Kind(value, "Fuse_5x20", f"fuse {value}, 5 x 20 mm, slow, in a holder")


TRANSCEIVER = Kind(
    "THVD2410", "SOIC-8", "RS-485 transceiver 3.3 V, 500 kbit/s, survives 70 V on the bus", "THVD2410DR"
)
BUCK = Kind("TSR 1-4850WI", "SIP-3", "switching converter 9 to 72 V in, 5 V 1 A out", "TSR 1-4850WI")
SENSE = Kind("INA180A1", "SOT-23-5", "amplifier for currents, gain 20", "INA180A1IDBVR")
LDO = Kind("TLV1117LV33", "SOT-223", "regulator 3.3 V, 1 A, low drop", "TLV1117LV33DCYR")
CURRENT = Kind("INA226", "VSSOP-10", "current and voltage sensor, I2C, 36 V", "INA226AIDGSR")
ONE_SHOT = Kind("74LVC1G123", "SM8", "monostable, one pulse for each rise", "SN74LVC1G123DCTR")
OPTO = Kind("PC817", "DIP-4", "optocoupler", "PC817X2")
PICO = Kind("Pico", "Pico", "Raspberry Pi Pico H or Pico 2 with headers on two sockets of 20 pins", "SC0917")
PI = Kind("Raspberry Pi", "Pins_2x20", "pin header 2.54 mm, 2 x 20 pins, for a ribbon cable to the Pi")
JACK = Kind("RJ45", "RJ45", "modular jack 8P8C, unshielded, lying", "54602-908LF")
HOLE = Kind("M3", "Hole_M3", "mounting hole for M3")


def point(net: str) -> Kind:
    return Kind(net, "TestPoint", "test point")
