// Box of the big pause button: heavy, low, and not to be taken for an emergency stop. State: paper, never printed.
// Millimetres. part = "box" | "floor" | "both" | "inside" (without its walls) | "plate" (as it is printed)
include <sizes.scad>
use <parts.scad>
part = "both";

$fn = 72;
wall = 3;
side = 140;             // square foot
top = 116;              // square top: sloped sides, so that it does not tip when hit at the edge
high = 82;              // the button reaches 58 mm below the top
corner = 12;
button = 24.5;          // hole for the neck of a 100 mm arcade button; 22.5 for a panel button
socket = 16.2;          // M12 panel socket
socket_z = 24;
lean = pause_lean;
plate = 4;              // floor, with room for a steel plate of 92 x 92 x 5 mm as weight

module solid(inset) {
    hull() {
        for (x = [-1, 1], y = [-1, 1]) {
            translate([x * (side / 2 - corner), y * (side / 2 - corner), 0]) cylinder(r = corner - inset, h = 0.1);
            translate([x * (top / 2 - corner), y * (top / 2 - corner), high - inset - 0.1]) cylinder(r = corner - inset, h = 0.1);
        }
    }
}

module post() {
    difference() {
        cylinder(d = 18, h = 20);
        translate([0, 0, -1]) cylinder(d = 2.6, h = 15);
    }
}

posts = [for (x = [-1, 1], y = [-1, 1]) [x * (side / 2 - 15), y * (side / 2 - 15)]];

module box() {
    difference() {
        union() {
            difference() {
                solid(0);
                translate([0, 0, -0.01]) solid(wall);
            }
            intersection() {
                solid(0.5);
                for (at = posts) translate([at[0], at[1], plate]) post();
            }
        }
        translate([0, 0, high - 10]) cylinder(d = button, h = 20);
        // what it is, engraved on the front
        translate([0, -(side + top) / 4 + 0.8, high * 0.45]) rotate([90 - lean, 0, 0]) linear_extrude(4)
            text("PAUSE", size = 18, halign = "center", valign = "center", spacing = 1.1);
        // socket of the cable at the back
        translate([0, side / 2 - socket_z * tan(lean), socket_z]) rotate([lean - 90, 0, 0])
            cylinder(d = socket, h = 30, center = true);
    }
}

module floor_plate() {
    difference() {
        translate([0, 0, 0]) linear_extrude(plate) offset(r = corner - wall - 1.2)
            square(side - 2 * corner, center = true);
        for (at = posts) translate([at[0], at[1], -1]) {
            cylinder(d = 3.4, h = plate + 2);
            cylinder(d1 = 7.5, d2 = 3.4, h = 3);
        }
        translate([0, 0, plate - 1.5]) linear_extrude(2) square(92.5, center = true);
    }
}

if (part == "box") box();
if (part == "floor") floor_plate();
if (part == "both") { color("Gainsboro") box(); color("SlateGray") floor_plate(); pause_box_parts(); }
if (part == "inside") { color("SlateGray") floor_plate(); pause_box_parts(); }
if (part == "plate") {
    floor_plate();
    translate([side + 15, 0, high]) rotate([180, 0, 0]) box();
}
