"""Every part of both boards has an order code whose package meets its footprint."""

import csv
import io
from dataclasses import replace

import pytest

from tests.architecture.sources import ROOT
from tools import bom
from tools.kicad_files import BOARDS, Kind, board, file, sheet_parts
from tools.parts import catalogue, pages, prices

KNOWN = catalogue.load(ROOT)
TEXT = (ROOT / "hardware" / "parts.toml").read_text(encoding="utf-8")
KINDS = {kind for name in BOARDS for kind in catalogue.kinds(sheet_parts(name))}
PLACED = [item for name in BOARDS for item in board(file(name, "kicad_pcb")).placed.values()]
FOOTPRINTS = {item.footprint.name: item.footprint for item in PLACED}
NPN = sheet_parts("node")["Q2"].kind
ITEMS = bom.read((ROOT / "hardware" / "bom.csv").read_text(encoding="utf-8"))
MADE_HERE = {"N02", "N03", "N08", "C03", "C06", "H05", "H06"}


def faults(kind: Kind, known: catalogue.Catalogue = KNOWN) -> list[str]:
    return known.faults(kind, FOOTPRINTS[kind.footprint])


def test_every_part_of_both_boards_fits_its_footprint() -> None:
    assert {kind.value: told for kind in KINDS if (told := faults(kind))} == {}


def test_what_is_written_on_the_drawing_is_what_is_ordered() -> None:
    drawn = [(kind.code, KNOWN.order(kind).code) for kind in KINDS if kind.code]
    assert [(part, code) for part, code in drawn if not code.upper().startswith(part.upper())] == []


def test_what_is_bought_for_the_hall_has_its_line() -> None:
    assert {item.id for item in ITEMS} - set(KNOWN.items) == MADE_HERE
    assert set(KNOWN.items) <= {item.id for item in ITEMS}


def test_no_entry_is_for_nothing() -> None:
    values = {name for kind in KINDS for name in (kind.value, f"{kind.value}/{kind.footprint}")}
    also = {order.also for order in KNOWN.parts.values()}
    footprints = {kind.footprint for kind in KINDS}
    assert [value for value in KNOWN.parts if value not in values | also] == []
    assert set(KNOWN.series) - footprints == set()
    used = {order.package for order in (*KNOWN.parts.values(), *KNOWN.series.values())}
    assert set(KNOWN.packages) - used - {package for _, package in KNOWN.codes} == set()


def test_sources_are_documents_and_not_shops() -> None:
    orders = [*KNOWN.parts.values(), *KNOWN.series.values(), *KNOWN.items.values()]
    assert all("http" not in f"{order.source} {order.second}" for order in orders)


@pytest.mark.parametrize(
    ("value", "code", "second"),
    [
        ("4k7", "RC0805FR-074K7L", "Vishay CRCW08054K70FKEA"),
        ("100", "RC0805FR-07100RL", "Vishay CRCW0805100RFKEA"),
        ("10k", "RC0805FR-0710KL", "Vishay CRCW080510K0FKEA"),
        ("100k", "RC0805FR-07100KL", "Vishay CRCW0805100KFKEA"),
    ],
)
def test_resistors_are_named_as_their_makers_do(value: str, code: str, second: str) -> None:
    order = KNOWN.order(Kind(value, "R_0805", "resistor", 2))
    assert (order.code, order.second) == (code, second)


def test_the_diode_that_was_drawn_too_small_is_found() -> None:
    """An SS34 is made in SMC only; revision 1 had it on SMA."""
    smc, sma = KNOWN.packages["DO-214AB (SMC)"], FOOTPRINTS["SMA"]
    assert any("its lead ends at 3.875 to 4.065" in fault for fault in catalogue.faults(smc, sma))
    smb = KNOWN.packages["DO-214AA (SMB)"]
    assert any("its lead has 2.2" in fault for fault in catalogue.faults(smb, sma))


def test_a_code_of_another_package_is_found() -> None:
    text = TEXT.replace('"MMBT3904LT1G"', '"THVD1410DR"')
    assert faults(NPN, catalogue.read(text)) == ["the code THVD1410DR means SOIC-8, not SOT-23"]


def test_a_package_without_this_footprint_is_found() -> None:
    kind = replace(NPN, footprint="SOT-223")
    assert faults(kind) == ["MMBT3904LT1G comes in SOT-23, which is not the footprint SOT-223"]


def test_another_pitch_is_found_at_the_end_of_the_row() -> None:
    xh, seven = KNOWN.packages["JST XH"], FOOTPRINTS["XH_7"]
    pins = replace(seven, pads=tuple(replace(pad, y=pad.y / 2.5 * 2.54) for pad in seven.pads))
    assert catalogue.faults(xh, pins)[-1] == "pin 7 stands 15.24 mm from pin 1, the part's 15.00"


def test_a_part_without_an_entry_is_told() -> None:
    with pytest.raises(catalogue.PartsError, match=r"has no '47n' on C_1206; add a \[\[part\]\]"):
        KNOWN.order(Kind("47n", "C_1206", "capacitor", 2))


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ('maker = "Bourns"', 'maker = ""', "maker, code, source and second must be filled in"),
        ('values = ["9V1"]', 'values = ["12V"]', "'12V' is there twice"),
        ('package = "SIP-3"', 'package = "SIP-4"', "there is no package 'SIP-4'"),
        ('maker = "Bourns"', 'make = "Bourns"', "unexpected keyword argument 'make'"),
        ('also = "fuse holder"', 'also = "holder"', "also 'holder' is no [[part]]"),
    ],
)
def test_a_wrong_entry_is_named(old: str, new: str, sentence: str) -> None:
    with pytest.raises(catalogue.PartsError) as told:
        catalogue.read(TEXT.replace(old, new))
    assert sentence in str(told.value)


def test_the_shopping_list_sums_both_boards() -> None:
    needs = {need.order.code: need for need in pages.needs(KNOWN)}
    need = needs["RC0805FR-0710KL"]
    assert set(need.counts) == {"node", "panel"}
    assert need.bought(20) == 22 * need.counts["node"] + need.counts["panel"] + pages.LOOSE


def test_the_shopping_list_says_what_a_hall_takes() -> None:
    item = bom.Item(
        id="X1",
        part="thing",
        per="node",
        quantity=1,
        spare_percent=10,
        source="shop",
        alternatives="other",
        note="odd",
    )
    halls = {size: bom.counts(size) for size in bom.SIZES}
    cost = prices.Price(low=2, high=3, basis="offer")
    text = pages.shopping_list([item], halls, KNOWN, {"X1": cost})
    assert text.splitlines()[1:] == ["shop,X1,thing,,,,,other,2-3 (offer),22,55,220,odd"]
    assert "| 50 | 2 of 25 |" in pages.shopping(halls)


def test_the_shopping_list_has_each_line_of_a_hall_with_its_code() -> None:
    halls = {size: bom.counts(size) for size in bom.SIZES}
    lines = list(csv.DictReader(io.StringIO(pages.shopping_list(ITEMS, halls, KNOWN, {}))))
    assert sorted(line["id"] for line in lines) == sorted(item.id for item in ITEMS)
    coded = {line["id"]: (line["code"], line["code_read"] == "yes") for line in lines if line["code"]}
    assert coded == {item: (order.code, order.seen) for item, order in KNOWN.items.items()}


def test_the_order_list_has_every_code_of_the_boards() -> None:
    halls = {size: bom.counts(size) for size in bom.SIZES}
    needs = pages.needs(KNOWN)
    lines = list(csv.DictReader(io.StringIO(pages.order_list(halls, needs))))
    assert [(line["maker"], line["code"]) for line in lines] == [(n.order.maker, n.order.code) for n in needs]
    assert [line["code_read"] == "yes" for line in lines] == [need.order.seen for need in needs]
    assert [line["for_50"] for line in lines] == [str(need.bought(50)) for need in needs]


def test_a_fuse_is_ordered_with_its_holder() -> None:
    needs = {need.order.code: need for need in pages.needs(KNOWN)}
    fuses = [need for code, need in needs.items() if code.startswith("0218") and "panel" in need.counts]
    assert needs["0031.8201"].counts == {"panel": sum(need.counts["panel"] for need in fuses)}


def test_what_could_not_be_verified_is_listed() -> None:
    page = pages.unverified(ITEMS, pages.needs(KNOWN), KNOWN)
    doubtful = [need.order for need in pages.needs(KNOWN) if not need.order.seen]
    assert doubtful
    assert all(f"{order.maker} {order.code} | **no** |" in page for order in doubtful)
    assert "MMBT3904LT1G" not in page
