// A Raspberry Pi Pico on a table bus, for tests/chip/pico.py: rp2040js, with what takes its time on a real one.
// node chip.mjs LIBRARY ROM IMAGE FILES PRINT WAITS: a JSON command a line comes in, a JSON answer a line goes out.
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { Cable, TimedUart } from './line.mjs';
import { FlashWaits, giveSerial } from './flash.mjs';
import { followPulls, giveLevels } from './inputs.mjs';
import { PinReader, TimedPio } from './pio.mjs';
import { Processor } from './processor.mjs';

const [library, romPath, imagePath, filesPath, print, waits] = process.argv.slice(2);
const { FIFO, RP2040 } = await import(`${library}/index.js`);
const { SimulationClock } = await import(`${library}/clock/simulation-clock.js`);
const FILES_AT = (2048 - 1408) * 1024;
const SERIAL = [0xe6, 0x61, 0x4c, 0x31, 0x1b, 0x7f, 0x4a, 0x2d];
const PAGES = 1408 * 4;
const SPI_GAP_BITS = 1.5; // between two bytes in the mode that displays want, the chip's select pulse
const PRINT = Number(print);
const QUIET = { debug() {}, info() {}, warn() {}, error() {} };

const clock = new SimulationClock();
let mcu = null, flash = null, cable = null, uart = null, processor = null, reset = null;
let events = [], stopOn = null, stopped = false, wires = null, held = {};
const levels = {};
const seen = new Uint8Array(PAGES); // of the files, by pages: which have been read
const us = (nanos) => nanos / 1000;

function say(kind, ...rest) {
  events.push([kind, ...rest.map((value) => typeof value === 'number' && kind !== 'reset' ? us(value) : value)]);
  if (kind === stopOn) stopped = true;
}

// A chip select that goes down opens a transfer, going up ends it.
function watchDisplays() {
  let open = null;
  for (const pin of wires.selects) mcu.gpio[pin].addListener(() => {
    const { outputEnable, outputValue } = mcu.gpio[pin];
    if (outputEnable && !outputValue) open = { pin, from: clock.nanos, bytes: [], data: false };
    else if (open?.pin === pin) {
      const { from, bytes, data } = open;
      open = null;
      say('display', from, clock.nanos, String(pin), data ? 'data' : 'command', Buffer.from(bytes).toString('hex'));
    }
  });
  for (const spi of mcu.spi) {
    const done = clock.createAlarm(() => spi.completeTransmit(0));
    spi.onTransmit = (value) => {
      if (open) { open.bytes.push(value); open.data = !!mcu.gpio[wires.dataLine].outputValue; }
      done.schedule((spi.dataBits + SPI_GAP_BITS) * 1e9 / spi.clockFrequency);
    };
  }
}

function start(reason, scratch) {
  clock.nextAlarm = null;
  mcu = new RP2040(clock);
  mcu.logger = QUIET;
  const rom = readFileSync(romPath);
  // Also resets the processor, which takes its stack from the ROM; the flash is empty then and filled behind it.
  mcu.loadBootrom(Uint32Array.from({ length: rom.length >> 2 }, (_, index) => rom.readUInt32LE(4 * index)));
  if (flash === null) {
    mcu.flash.set(readFileSync(imagePath), 0);
    mcu.flash.set(readFileSync(filesPath), FILES_AT);
  } else mcu.flash.set(flash);
  flash = mcu.flash;
  giveSerial(mcu, SERIAL);
  const watched = new Map([[PRINT, printed], [inRom(rom, 'RE'), erased], [inRom(rom, 'RP'), programmed]]);
  processor = new Processor(mcu, clock, new FlashWaits(mcu, RP2040, waits === 'waits', FILES_AT, seen), watched);
  cable = new Cable(clock, say);
  uart = cable.uart = new TimedUart(mcu.uart[0], clock, FIFO, cable);
  watchDisplays();
  for (const pio of mcu.pio) new TimedPio(pio, clock, FIFO, () => mcu.clkSys);
  new PinReader(mcu.gpio[wires.transmit], clock, cable);
  const enable = mcu.gpio[wires.enable];
  enable.addListener(() => {
    const on = !!(enable.outputEnable && enable.outputValue);
    if (on === cable.on) return;
    enable.setInputValue(on); // rp2040js does not let a pin see what it drives
    cable.drive(on);
  });
  const watchdog = mcu.peripherals[0x40058];
  watchdog.reason = reason;
  if (scratch) watchdog.scratchData.set(scratch);
  // Once: rp2040js would let it fall due again in no time, for ever.
  watchdog.onWatchdogTrigger = () => {
    watchdog.alarm.enable = false;
    reset = [watchdog.reason, Uint32Array.from(watchdog.scratchData)];
  };
  for (const [pin, level] of Object.entries(held)) mcu.gpio[pin].setInputValue(!!level);
  followPulls(mcu, (pin) => !(pin in held));
  giveLevels(mcu, levels);
  mcu.core.PC = 0x10000000;
}

// What the interpreter prints, whether a computer listens at its USB port or not.
function printed() {
  const [at, size] = mcu.core.registers;
  say('print', Buffer.from(Array.from({ length: size }, (_, index) => mcu.readUint8(at + index))).toString('latin1'));
}

// Where the boot ROM has the function of these two letters.
function inRom(rom, code) {
  for (let at = rom.readUInt16LE(0x14); rom.readUInt16LE(at); at += 4) {
    if (rom.toString('latin1', at, at + 2) === code) return rom.readUInt16LE(at + 2) & ~1;
  }
  throw new Error(`the ROM has no ${code}`);
}

// The flash is about to be erased or written: from this place in it on.
function erased() {
  const [at, size] = mcu.core.registers;
  say('flash', clock.nanos, 'erase', String(at), String(size));
}

function programmed() {
  const [at, from, size] = mcu.core.registers;
  const data = Buffer.from(Array.from({ length: size }, (_, index) => mcu.readUint8(from + index)));
  say('flash', clock.nanos, 'program', String(at), data.toString('hex'));
}

function run(end) {
  stopped = false;
  while (clock.nanos < end && !stopped) {
    processor.run(end, () => stopped || reset !== null);
    if (reset === null) continue;
    const [reason, scratch] = reset;
    reset = null;
    say('reset', us(clock.nanos), reason);
    start(reason, scratch);
  }
}

const COMMANDS = {
  wires(given) { wires = given; start(0, null); },
  pins(given) { for (const [pin, level] of given) { held[pin] = level; mcu.gpio[pin].setInputValue(!!level); } },
  levels(given) { Object.assign(levels, given); },
  feed(given) { for (const [at, hex, baud] of given) cable.feed(at * 1000, [...Buffer.from(hex, 'hex')], baud); },
  stop(given) { stopOn = given; },
  lit(given) { events.push(['lit', ...given.filter((pin) => mcu.gpio[pin].outputEnable && mcu.gpio[pin].outputValue)]); },
  seen() { events.push(['seen', ...seen.keys()].filter((page) => page === 'seen' || seen[page])); },
  run(until) { run(until * 1000); stopOn = null; },
};

for await (const text of createInterface({ input: process.stdin })) {
  for (const [name, given] of Object.entries(JSON.parse(text))) COMMANDS[name](given);
  const answer = { now: us(clock.nanos), hz: mcu.clkSys, lost: uart.lost, events };
  events = [];
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}
