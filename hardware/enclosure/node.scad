// Box of a table node: a tent with a display and a claim button for each side. State: paper, never printed.
// Millimetres. The row of boards runs along x: the cables leave at the right end, players sit at y- (Sun) and y+ (Moon).
// The buttons lie in a bay of their own beside the board, since each reaches 68 mm behind its face.
// part = "base" | "roof" | "both" (as it stands on the table) | "inside" (without its roof) | "plate" (as it is printed)
include <sizes.scad>
use <parts.scad>
part = "both";

$fn = 48;
wall = 2.4;
gap = 0.3;              // between roof and base
standoff = 6;           // below the board
bay = 82;               // along x, left of the board: room for the buttons
beside = 12;            // from the board's sides to the outside
rim = 34;               // upright part of the sides
ridge = 30;             // flat top
slope = 45;             // degrees: read from above while seated

window = [57, 30];      // visible part of a 2.42 inch display
module_holes = [66, 37];
display_at = 0.5;       // part of the face's length, from below
button = 30;            // hole of the claim button
buttons_x = [25, 63];   // Sun, Moon: beside each other, since they would meet in the middle
button_at = 0.6;
lamp = 10.2;            // hole of the side's LED, where the other side has its button

board_thick = 1.6;
jack_wide = 16.5;
jack_high = 13.8;

length = node_length;   // these follow from the board and the sizes above
depth = node_depth;
run = (depth - ridge) / 2;
high = rim + run * tan(slope);
face = run / cos(slope);
top = wall + standoff + board_thick;

module profile(inset) {
    polygon([
        [inset, 0], [depth - inset, 0], [depth - inset, rim],
        [(depth + ridge) / 2 - inset * 0.4, high - inset], [(depth - ridge) / 2 + inset * 0.4, high - inset],
        [inset, rim]
    ]);
}

module tent(inset) {
    translate([inset, 0, 0]) rotate([90, 0, 90]) linear_extrude(length - 2 * inset) profile(inset);
}

// what is cut into one face; the origin is the face's lower edge, its normal is z
module openings(moon) {
    function along(x) = moon ? length - x : x;
    display_x = along(node_display_x);
    translate([display_x - window[0] / 2, face * display_at - window[1] / 2, -10]) cube([window[0], window[1], 20]);
    for (sx = [-1, 1], sy = [-1, 1])
        translate([display_x + sx * module_holes[0] / 2, face * display_at + sy * module_holes[1] / 2, -10])
            cylinder(d = 2.2, h = 20);
    translate([along(buttons_x[moon ? 1 : 0]), face * button_at, -10]) cylinder(d = button, h = 20);
    translate([along(buttons_x[moon ? 0 : 1]), face * button_at, -10]) cylinder(d = lamp, h = 20);
}

module on_face(moon) {
    if (moon) translate([length, depth, rim]) rotate([0, 0, 180]) rotate([slope, 0, 0]) children();
    else translate([0, 0, rim]) rotate([slope, 0, 0]) children();
}

module roof() {
    difference() {
        tent(0);
        translate([0, 0, -0.01]) tent(wall);
        for (moon = [false, true]) on_face(moon) openings(moon);
        // jacks, and the Pico's plug for updates, at the right end
        for (jack = node_jacks)
            translate([length - wall - 1, node_corner[1] + jack - jack_wide / 2, top - 0.5])
                cube([wall + 2, jack_wide, jack_high + 0.5]);
        translate([length - wall - 1, node_corner[1] + node_usb - 6.5, top + 8.5]) cube([wall + 2, 13, 10]);
        // four screws into the base
        for (x = [12, length - 12], y = [0, depth]) translate([x, y, wall + 5]) rotate([90, 0, 0])
            cylinder(d = 3.2, h = 4 * wall, center = true);
        // air: warm parts are the converter and the displays, 2 W in all
        for (n = [0 : 12]) translate([length / 2 - 43 + n * 7, depth / 2 - 8, high - wall - 1]) cube([3, 16, wall + 2]);
        for (side = [0, 1], n = [0 : 8]) translate([length / 2 - 30 + n * 7.5, side ? depth - wall - 1 : -1, wall + 2])
            cube([3, wall + 2, 8]);
        // engraved letters, so that a node is not turned round
        translate([length / 2, 0.6, rim * 0.65]) rotate([90, 0, 0]) linear_extrude(2)
            text("SUN", size = 9, halign = "center", valign = "center");
        translate([length / 2, depth - 0.6, rim * 0.65]) rotate([90, 0, 180]) linear_extrude(2)
            text("MOON", size = 9, halign = "center", valign = "center");
    }
}

module base() {
    inner = wall + gap;
    difference() {
        union() {
            translate([inner, inner, 0]) cube([length - 2 * inner, depth - 2 * inner, wall]);
            translate(node_corner) for (hole = node_holes) translate(hole) cylinder(d = 8, h = wall + standoff);
            // blocks for the roof's screws
            for (x = [12, length - 12], side = [0, 1])
                translate([x - 5, side ? depth - inner - 8 : inner, 0]) cube([10, 8, wall + 10]);
        }
        translate(node_corner) for (hole = node_holes) translate([hole[0], hole[1], wall - 1])
            cylinder(d = 2.6, h = standoff + 2);
        for (x = [12, length - 12], y = [0, depth]) translate([x, y, wall + 5]) rotate([90, 0, 0])
            cylinder(d = 2.6, h = 24, center = true);
        // air from below; the box stands on four feet of rubber
        for (n = [0 : 7]) translate([node_corner[0] + 14 + n * 7, depth / 2 - 20, -1]) cube([3, 40, wall + 2]);
    }
}

if (part == "base") base();
if (part == "roof") roof();
if (part == "both") { color("Gainsboro") roof(); color("SlateGray") base(); node_parts(); }
if (part == "inside") { color("SlateGray") base(); node_parts(); }
if (part == "plate") {
    base();
    translate([length, depth + 15, high]) rotate([0, 180, 0]) roof();
}
