// Box of a table node: a tent with a display and a claim button for each side. State: paper, never printed.
// Millimetres. The row of boards runs along x: the cables leave at the right end, players sit at y- (Sun) and y+ (Moon).
// part = "base" | "roof" | "both" (as it stands on the table) | "plate" (both, as they are printed)
part = "both";

$fn = 48;
wall = 2.4;
gap = 0.3;              // between roof and base

board = [82, 108];      // node board, turned to the right by 90 degrees: its edge with the jacks lies at the right end
board_thick = 1.6;
holes = [[60, 103.5], [77.5, 4.5], [16, 103.5], [4.5, 4.5]];   // H1 to H4 of the board, M3, as it lies here
standoff = 6;
jacks = [[95.5, 16.5], [74.5, 16.5]];   // J1 and J2: middle along y, width
jack_high = 13.8;
usb_y = 39.1;             // the Pico's plug, for updates

length = 128;           // x
depth = 132;            // y
rim = 22;               // upright part of the sides: high enough for the jacks
ridge = 30;             // flat top
slope = 45;             // degrees: read from above while seated

window = [57, 30];      // visible part of a 2.42 inch display
module_holes = [66, 37];
display_x = 42;
button = 30;            // hole of the claim button
button_x = 102;
lamp = 10.2;            // hole of the side's LED

run = (depth - ridge) / 2;
high = rim + run * tan(slope);
face = run / cos(slope);

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
module openings() {
    translate([display_x - window[0] / 2, face * 0.52 - window[1] / 2, -10]) cube([window[0], window[1], 20]);
    for (sx = [-1, 1], sy = [-1, 1])
        translate([display_x + sx * module_holes[0] / 2, face * 0.52 + sy * module_holes[1] / 2, -10])
            cylinder(d = 2.2, h = 20);
    translate([button_x, face * 0.46, -10]) cylinder(d = button, h = 20);
    translate([button_x, face * 0.84, -10]) cylinder(d = lamp, h = 20);
}

module on_faces() {
    translate([0, 0, rim]) rotate([slope, 0, 0]) children();
    translate([length, depth, rim]) rotate([0, 0, 180]) rotate([slope, 0, 0]) children();
}

module roof() {
    difference() {
        tent(0);
        translate([0, 0, -0.01]) tent(wall);
        on_faces() openings();
        // jacks and USB at the right end
        for (jack = jacks)
            translate([length - wall - 1, (depth - board[1]) / 2 + jack[0] - jack[1] / 2, wall + standoff + board_thick - 0.5])
                cube([wall + 2, jack[1], jack_high]);
        translate([length - wall - 1, (depth - board[1]) / 2 + usb_y - 6, wall + standoff + board_thick + 8])
            cube([wall + 2, 12, 8]);
        // four screws into the base
        for (x = [12, length - 12], y = [0, depth]) translate([x, y, wall + 5]) rotate([90, 0, 0])
            cylinder(d = 3.2, h = 4 * wall, center = true);
        // air: the converter gives off 0.2 W
        for (n = [0 : 6]) translate([length / 2 - 21 + n * 7, depth / 2 - 8, high - wall - 1]) cube([3, 16, wall + 2]);
        // engraved letters, so that a node is not turned round
        translate([length / 2, 0.6, rim / 2]) rotate([90, 0, 0]) linear_extrude(2)
            text("SUN", size = 9, halign = "center", valign = "center");
        translate([length / 2, depth - 0.6, rim / 2]) rotate([90, 0, 180]) linear_extrude(2)
            text("MOON", size = 9, halign = "center", valign = "center");
    }
}

module base() {
    inner = wall + gap;
    translate([inner, inner, 0]) cube([length - 2 * inner, depth - 2 * inner, wall]);
    translate([(length - wall - board[0]) - 1, (depth - board[1]) / 2, 0])
        for (hole = holes) translate([hole[0], hole[1], 0]) difference() {
            cylinder(d = 8, h = wall + standoff);
            translate([0, 0, wall]) cylinder(d = 2.6, h = standoff + 1);
        }
    // blocks for the roof's screws
    for (x = [12, length - 12], side = [0, 1]) translate([x, side ? depth - inner - 4 : inner + 4, 0]) difference() {
        translate([-5, -4, 0]) cube([10, 8, wall + 10]);
        translate([0, 0, wall + 5]) rotate([90, 0, 0]) cylinder(d = 2.6, h = 20, center = true);
    }
}

if (part == "base") base();
if (part == "roof") roof();
if (part == "both") { color("Gainsboro") roof(); color("SlateGray") base(); }
if (part == "plate") {
    base();
    translate([length + 150, 0, high]) rotate([0, 180, 0]) roof();
}
