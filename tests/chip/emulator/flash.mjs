// How long the processor waits for the flash: a cache of 16 kB in two ways with lines of eight bytes (RP2040 data
// sheet, 2.6.3). A line that is not there takes 28 clocks of the flash (address 8, wait 4, eight bytes 16, four bits
// each), a clock of the flash is as many of the processor as the divider says, and eight more go by around it.
const SETS = 1024, CLOCKS = 28, AROUND = 8;
const BAUD = 0x14;

// What is read behind `from`, where no program lies, is noted in `seen`, by pages.
const PAGE = 256;

export class FlashWaits {
  constructor(mcu, RP2040, on, from, seen) {
    Object.assign(this, { on, from, seen, stalls: 0, misses: 0, tags: new Int32Array(2 * SETS).fill(-1), recent: new Uint8Array(SETS) });
    this.ssi = mcu.peripherals[0x18000];
    const waits = this;
    if (!on) return;
    for (const width of [8, 16, 32]) {
      const name = `readUint${width}`, real = RP2040.prototype[name];
      mcu[name] = function (address) {
        if (address >>> 24 === 0x10) waits.touch(address);
        return real.call(this, address);
      };
    }
  }

  touch(address) {
    if (!this.on) return;
    const behind = (address & 0xffffff) - this.from;
    if (behind >= 0) this.seen[Math.floor(behind / PAGE)] = 1;
    const line = (address & 0xffffff) >>> 3, set = line % SETS, tag = line >>> 10, at = 2 * set;
    if (this.tags[at] === tag) { this.recent[set] = 0; return; }
    if (this.tags[at + 1] === tag) { this.recent[set] = 1; return; }
    const way = 1 - this.recent[set];
    this.tags[at + way] = tag;
    this.recent[set] = way;
    this.misses++;
    this.stalls += CLOCKS * this.ssi.readUint32(BAUD) + AROUND;
  }

  taken() {
    const { stalls } = this;
    this.stalls = 0;
    return stalls;
  }
}

// The flash tells its serial number: command 0x4B, four bytes of nothing, eight of the number.
export function giveSerial(mcu, serial) {
  const ssi = mcu.peripherals[0x18000], { readUint32, writeUint32 } = ssi;
  const DATA = 0x60, ASKED = 0x4b, BEFORE = 5;
  let place = BEFORE + serial.length;
  ssi.writeUint32 = (offset, value) => {
    if (offset === DATA && value === ASKED && place >= BEFORE + serial.length) place = 0;
    writeUint32.call(ssi, offset, value);
  };
  ssi.readUint32 = (offset) => {
    if (offset !== DATA || place >= BEFORE + serial.length) return readUint32.call(ssi, offset);
    place++;
    return place <= BEFORE ? 0 : serial[place - 1 - BEFORE];
  };
}
