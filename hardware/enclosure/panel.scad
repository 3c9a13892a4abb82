// Box of the panel: Pi, panel board, adapters and hub on the floor, sockets at the right, display in the lid. No mains in it:
// both supplies stand outside. State: paper, never printed.
// Millimetres, seen from the front (y-). part = "tub" | "lid" | "both" | "inside" (without the lid) | "plate" (as printed)
include <sizes.scad>
use <parts.scad>
part = "both";

$fn = 48;
wall = 3;
high = 72;              // with the lid
standoff = 6;           // below the panel board
pi_standoff = 6;        // below the Pi
board_at = [9, 93];     // lower left corner of the panel board
right = 56;             // from the board to the right wall: sockets and wires
behind = 18;            // from the board to the back wall
pi_at = [14, 4.8];      // lower left corner of the Pi: supply and screens look out in front, the card at the left
adapters_y = [12, 38.5];
adapters_from_right = 70;
hub_at = [115, 68];
clock_at = [60, 66];
sockets_y = [96, 120, 144, 168, 194];     // Sun, Moon, buzzer, pause (M12), 24 V: all of different kinds or keyed
sockets_z = 46;
outlet = 16.2;
inlet = 19.2;
display_at = [45, 36];
shutdown_at = [116, 36];
window = [31, 17];
display_holes = [30.4, 28.5];

width = panel_width;    // these follow from the board and the sizes above
depth = panel_depth;
post = 9;
posts = [for (x = [wall, width - wall - post], y = [wall, depth - wall - post]) [x, y]];

module rounded(size, r) {
    translate([r, r, 0]) linear_extrude(size[2]) offset(r = r) square([size[0] - 2 * r, size[1] - 2 * r]);
}

module pillar(at, h) { translate([at[0], at[1], 0]) cylinder(d = 8, h = wall + h); }

module tub() {
    pi_holes = [for (x = [3.5, 61.5], y = [3.5, 52.5]) [pi_at[0] + x, pi_at[1] + y]];
    difference() {
        union() {
            difference() {
                rounded([width, depth, high - wall], 4);
                translate([wall, wall, wall]) rounded([width - 2 * wall, depth - 2 * wall, high], 1.5);
            }
            for (at = panel_holes) pillar(at, standoff);
            for (at = pi_holes) pillar(at, pi_standoff);
            // posts for the lid's screws
            for (at = posts) translate([at[0] - 0.5, at[1] - 0.5, 1]) cube([post + 0.5, post + 0.5, high - wall - 1]);
            // ribs that keep adapters and hub in their places
            for (at = panel_adapters) translate([at[0] - 3, at[1] + 4, 1]) cube([2, 17, wall + 6]);
        }
        for (at = panel_holes) translate([at[0], at[1], 1.2]) cylinder(d = 2.6, h = 20);
        for (at = pi_holes) translate([at[0], at[1], 1.2]) cylinder(d = 2.2, h = 20);
        for (at = posts) translate([at[0] + post / 2, at[1] + post / 2, high - 18]) cylinder(d = 2.6, h = 20);
        // the Pi's supply and screens in front, its card at the left
        pi_top = wall + pi_standoff + 1.6;
        translate([pi_at[0] + 4.2, -1, pi_top - 2]) cube([14, wall + 2, 8]);
        translate([pi_at[0] + 19.3, -1, pi_top - 3]) cube([26.4, wall + 2, 10]);
        translate([-1, pi_at[1] + 20, wall + pi_standoff - 4]) cube([wall + 2, 16, 7]);
        // leads of the adapters
        for (at = panel_adapters) translate([width - wall - 1, at[1] + 12.5, at[2] + 8]) rotate([0, 90, 0])
            cylinder(d = 7.5, h = wall + 2);
        // leads of network, hub and screens, plug and all: a notch below the lid
        translate([pi_at[0] + 92, -1, high - wall - 18]) cube([24, wall + 2, 19]);
        // sockets
        for (n = [0 : 4]) translate([width - wall - 1, sockets_y[n], sockets_z]) rotate([0, 90, 0])
            cylinder(d = n == 4 ? inlet : outlet, h = wall + 2);
        // air: in below the Pi and the board, out through the lid; feet of rubber
        for (n = [0 : 7]) translate([pi_at[0] + 12 + n * 6, pi_at[1] + 10, -1]) cube([3, 36, wall + 2]);
        for (n = [0 : 9]) translate([board_at[0] + 30 + n * 9, board_at[1] + 30, -1]) cube([3, 50, wall + 2]);
        // two slots for screws that hang the box on a frame
        for (x = [40, width - 40]) translate([x, depth + 1, high / 2]) rotate([90, 0, 0]) cylinder(d = 5, h = wall + 2);
    }
}

module lid() {
    translate([0, 0, high - wall]) difference() {
        union() {
            rounded([width, depth, wall], 4);
            // a rim that centres it, open at the posts
            translate([0, 0, -2]) difference() {
                translate([wall + 0.4, wall + 0.4, 0])
                    rounded([width - 2 * wall - 0.8, depth - 2 * wall - 0.8, 2.5], 1.5);
                translate([wall + 2.4, wall + 2.4, -1]) rounded([width - 2 * wall - 4.8, depth - 2 * wall - 4.8, 5], 1.5);
                for (at = posts) translate([at[0] - 1, at[1] - 1, -1]) cube([post + 2, post + 2, 3]);
            }
        }
        for (at = posts) translate([at[0] + post / 2, at[1] + post / 2, -1]) {
            cylinder(d = 3.4, h = wall + 2);
            translate([0, 0, 1 + wall - 1.8]) cylinder(d1 = 3.4, d2 = 7, h = 1.81);
        }
        translate([display_at[0] - window[0] / 2, display_at[1] - window[1] / 2, -1]) cube([window[0], window[1], wall + 2]);
        for (sx = [-1, 1], sy = [-1, 1])
            translate([display_at[0] + sx * display_holes[0] / 2, display_at[1] + sy * display_holes[1] / 2, -1])
                cylinder(d = 2.2, h = wall + 2);
        translate([shutdown_at[0], shutdown_at[1], -1]) cylinder(d = 12.2, h = wall + 2);
        for (n = [0 : 12]) translate([24 + n * 10, depth * 0.55, -1]) cube([3.5, 60, wall + 2]);
        for (n = [0 : 3]) translate([70 + n * 6, 14, -1]) cube([3, 44, wall + 2]);
        // names, engraved
        translate([width - 9, 0, wall - 0.6]) for (n = [0 : 4]) translate([0, sockets_y[n], 0]) rotate([0, 0, 90])
            linear_extrude(1) text(["SUN", "MOON", "BUZZER", "PAUSE", "24 V"][n], size = 4, halign = "center");
        translate([shutdown_at[0], shutdown_at[1] - 14, wall - 0.6]) linear_extrude(1)
            text("SHUTDOWN", size = 4, halign = "center");
        for (n = [0 : 3]) translate([width - 6, panel_adapters[n % 2][1] + 12.5, wall - 0.6])
            linear_extrude(1) rotate([0, 0, 90]) text(n < 2 ? ["1/3", "2/4"][n] : "", size = 4, halign = "center");
    }
}

if (part == "tub") tub();
if (part == "lid") lid();
if (part == "both") { color("SlateGray") tub(); color("Gainsboro") lid(); panel_parts(); }
if (part == "inside") { color("SlateGray") tub(); panel_parts(); }
if (part == "plate") {
    tub();
    translate([0, -15, high]) rotate([180, 0, 0]) lid();
}
