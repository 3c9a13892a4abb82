"""Holds the node's side of the wire against the golden vectors, under CPython or MicroPython:
wire_check.py VECTORS prints a line for each difference and at last how much was compared."""

import json

from table_node import measuring, messages, update
from table_node.frame import LONGEST_FRAME, Receiver, encode
from table_node.said import Say, letters


def receive(receiver, data):
    """How many good frames these bytes complete."""
    return sum([1 for byte in data if receiver.take(byte)])


def read(kind, receiver):
    """Fields by name as in the vectors' file; None when the node drops the frame."""
    if not messages.fits(receiver.version, receiver.type, receiver.size):
        return None
    message = kind()
    if not message.read(receiver.payload):
        return None
    return plain(message)


def in_hex(data):
    return "".join([f"{byte:02x}" for byte in data])


def of_poll(message):
    return {
        "epoch": message.epoch,
        "sun_claim": message.claim[0],
        "sun_status": message.status[0],
        "moon_claim": message.claim[1],
        "moon_status": message.status[1],
    }


def of_say(message):
    return {
        "epoch": message.epoch,
        "number": message.number,
        "parts": message.part | message.parts << 4,
        "text": letters(message.text),
    }


def of_state(message):
    found = dict(message.__dict__)
    if message.acting == messages.SIDES_ALONE:
        del found["acting"]
    return found


def of_measure(_message):
    return {"what": 0}


PLAIN = {messages.Poll: of_poll, Say: of_say, messages.State: of_state, measuring.Measure: of_measure}
IN_HEX = ("uid", "key", "data")
AS_TEXT = ("board", "name", "first", "second")


def plain(message):
    made = PLAIN.get(type(message))
    if made is not None:
        return made(message)
    found = dict(message.__dict__)
    for name, value in message.__dict__.items():
        if name in IN_HEX:
            found[name] = in_hex(value)
        elif name in AS_TEXT:
            found[name] = value.decode()
    return found


READ = {
    messages.STATE: messages.State,
    messages.POLL: messages.Poll,
    messages.DISCOVER: messages.Discover,
    messages.ASSIGN: messages.Assign,
    messages.IDENTIFY: messages.Identify,
    messages.ORDER: messages.Order,
    messages.PING: messages.Ping,
    messages.SEAT: messages.Seat,
    messages.LANGUAGES: messages.Languages,
    messages.SAY: Say,
    messages.PAUSE: messages.Pause,
    messages.MEASURE: measuring.Measure,
    update.OFFER: update.Offer,
    update.BLOCK: update.Block,
    update.STEP: update.Step,
}


def packed_health(fields, into):
    health = messages.Health()
    for name in (
        "epoch",
        "state_seq",
        "flags",
        "vbus",
        "temperature",
        "reset",
        "crc_errors",
        "missed",
        "uptime",
    ):
        setattr(health, name, fields[name])
    health.claim[0] = fields["sun_claim"]
    health.claim[1] = fields["moon_claim"]
    health.at_us[0] = fields["sun_at_us"]
    health.at_us[1] = fields["moon_at_us"]
    return messages.pack_health(into, health)


def packed_info(fields, into):
    info = messages.Info(bytes_of(fields["uid"]), fields["hardware"], fields["firmware"])
    info.proto_min = fields["proto_min"]
    info.proto_max = fields["proto_max"]
    info.boots = fields["boots"]
    return messages.pack_info(into, info)


def packed_pong(fields, into):
    return messages.pack_pong(into, bytes_of(fields["data"]), fields["master_us"])


def packed_measured(fields, into):
    measured = measuring.Measured()
    for name in fields:
        absent = 255 if name == "loop" else 65535
        setattr(measured, name, None if fields[name] == absent else fields[name])
    return measuring.pack_measured(into, measured)


def packed_progress(fields, into):
    progress = update.Progress()
    for name in ("offer", "state", "why", "part"):
        setattr(progress, name, fields[name])
    progress.missing[:] = bytes_of(fields["missing"])
    return update.pack_progress(into, progress)


PACKED = {
    messages.HEALTH: packed_health,
    messages.INFO: packed_info,
    messages.PONG: packed_pong,
    messages.MEASURED: packed_measured,
    update.PROGRESS: packed_progress,
}


def bytes_of(text):
    return bytes([int(text[at : at + 2], 16) for at in range(0, len(text), 2)])


def check_message(row, receiver):
    """The frame in both directions; the payload read, or packed when it is the node that sends it."""
    wire = bytes_of(row["frame"])
    payload = bytes_of(row["payload"])
    if receive(receiver, wire) != 1:
        return "not received"
    found = [receiver.version, receiver.type, receiver.dst, receiver.src, receiver.seq]
    if found != [row[key] for key in ("version", "type", "dst", "src", "seq")]:
        return "header " + str(found)
    if bytes(receiver.payload) != payload or receiver.size != len(payload):
        return "payload"
    if row["type"] in PACKED:
        into = bytearray(29)
        size = PACKED[row["type"]](row["fields"], into)
        if bytes(into[:size]) != payload:
            return "packed as " + str(bytes(into[:size]))
    else:
        fields = read(READ[row["type"]], receiver)
        if fields != row["fields"]:
            return "read as " + str(fields)
    into = bytearray(LONGEST_FRAME)
    kind = row["version"] << 5 | row["type"]
    size = encode(into, kind, row["dst"], row["src"], row["seq"], payload, len(payload))
    return None if bytes(into[:size]) == wire else "encoded as " + str(bytes(into[:size]))


def check_newer(row, receiver):
    if receive(receiver, bytes_of(row["frame"])) != 1:
        return "not received"
    if row["type"] not in READ:
        return None if messages.fits(receiver.version, receiver.type, receiver.size) else "does not fit"
    fields = read(READ[row["type"]], receiver)
    return None if fields == row["fields"] else "read as " + str(fields)


def check_damaged(row, receiver):
    before = receiver.damaged
    good = receive(receiver, bytes_of(row["frame"]))
    if good or receiver.damaged - before != row["damaged"]:
        return f"{good} good, {receiver.damaged - before} damaged"
    return None


def check_refused(row, receiver):
    if receive(receiver, bytes_of(row["frame"])) != 1:
        return "not received"
    if row["type"] in PACKED:  # no node reads what nodes send
        return None
    fields = read(READ.get(row["type"], messages.State), receiver)
    return None if fields is None else "read as " + str(fields)


def check_slot(row, receiver):
    found = messages.slot(bytes_of(row["uid"]), row["salt"], row["slots"])
    return None if found == row["slot"] else f"slot {found}"


CHECKS = {
    "messages": check_message,
    "newer": check_newer,
    "damaged": check_damaged,
    "refused": check_refused,
    "slots": check_slot,
}


def differences(vectors):
    """Sentences; and how many vectors there were."""
    receiver = Receiver()
    found = []
    count = 0
    for part, check in CHECKS.items():
        for row in vectors[part]:
            count += 1
            wrong = check(row, receiver)
            if wrong is not None:
                name = row.get("name", str(row))
                found.append(f"{part}: {name}: {wrong}")
    return found, count


if __name__ == "__main__":
    import sys

    with open(sys.argv[1]) as file:  # noqa: PTH123 - MicroPython has no pathlib
        lines, compared = differences(json.load(file))
    for line in lines:
        print(line)
    print("compared", compared)
