// Runs rp2040js's processor in compiled traces (thumb.mjs), between which time goes on and interrupts are taken: at most
// 64 instructions late. Code in RAM is compiled as it first was; the firmware makes none while it runs.
import { trace } from './thumb.mjs';

const OFTEN = 8; // runs of rp2040js's own before a place is compiled
const FLASH = 0x10000000, RAM = 0x20000000, PERIPHERALS = 0x40000000, SIO = 0xd0000000;
const DIVIDER = 0xd0000060, AFTER_DIVIDER = 0xd0000080;

export class Processor {
  // `wait` are the waits for the flash, `watched` a map of places to what is called when one is reached.
  constructor(mcu, clock, wait, watched) {
    Object.assign(this, { mcu, clock, wait, watched, core: mcu.core, behind: 0, until: 0 });
    const { buffer } = mcu.sram;
    this.flash = mcu.flashView;
    this.views = [new Int32Array(mcu.core.registers.buffer), new Int32Array(buffer), new Uint16Array(buffer),
      new Uint8Array(buffer)];
    this.places = { [FLASH >>> 24]: new Array(1 << 20), [RAM >>> 24]: new Array(1 << 18), 0: new Array(1 << 13) };
  }

  // Until `end` (nanoseconds) or until `over()` says so, which is asked whenever something outside may have happened.
  run(end, over) {
    const { core, clock, mcu } = this;
    while (clock.nanos < end && !over()) {
      if (core.waiting) { this.sleep(end); continue; }
      const next = clock.nextAlarm ? Math.min(clock.nextAlarm.nanos, end) : end;
      this.until = (next - clock.nanos) * mcu.clkSys / 1e9;
      do {
        if (core.interruptsUpdated) core.checkForInterrupts();
        const clocks = this.step(core.registers[15] & ~1) + this.wait.taken(); // odd where an interrupt begins
        this.behind += clocks; // which may have been set to nothing meanwhile
      } while (this.behind < this.until && !core.waiting);
      this.catchUp();
    }
  }

  // The clock follows the processor; what falls due happens.
  catchUp() {
    const { behind } = this;
    this.behind = 0;
    this.until = 0;
    if (behind) this.clock.tick(behind * 1e9 / this.mcu.clkSys);
  }

  sleep(end) {
    const { core, clock } = this;
    const next = clock.nextAlarm ? clock.nextAlarm.nanos : end;
    clock.tick(Math.max(1, Math.min(next, end) - clock.nanos));
    if (core.eventRegistered) { core.eventRegistered = false; core.waiting = false; }
    else if (core.interruptsUpdated && core.checkForInterrupts()) core.waiting = false;
  }

  step(pc) {
    const here = this.places[pc >>> 24], at = (pc & 0xffffff) >>> 1, known = here[at];
    if (typeof known === 'function') return known();
    const call = this.watched.get(pc);
    if (call) call();
    else if (known === undefined) here[at] = 1;
    else if (known < OFTEN) here[at] = known + 1;
    else if (known === OFTEN) { here[at] = this.compile(pc) ?? OFTEN + 1; return this.step(pc); }
    this.catchUp();
    return this.core.executeInstruction();
  }

  compile(pc) {
    const { flash, mcu, wait } = this;
    const fixed = (at) => at >>> 24 === FLASH >>> 24;
    const memory = {
      fixed,
      code: (at) => fixed(at) ? flash.getUint16(at & 0xffffff, true) : mcu.readUint16(at),
      word: (at) => flash.getInt32(at & 0xffffff, true),
      line: (at) => wait.on && fixed(at) ? `f.touch(${at});` : '',
    };
    const source = trace(pc, memory, this.watched);
    if (source === null) return null;
    return new Function('R', 'M32', 'M16', 'M8', 'k', 'm', 'f', `return()=>{${source}}`)(...this.views, this.core, this, wait);
  }

  // A branch to an address in a register, which may be the end of an interrupt.
  jump(address) {
    this.core.BXWritePC(address >>> 0);
    return this.core.registers[15];
  }

  // What is not in RAM. Whoever looks at a peripheral or changes one does it at its own time.
  outside(address, clocks) {
    if (address < PERIPHERALS) return;
    this.wait.stalls += address >= SIO ? -1 : clocks;
    if (address < DIVIDER || address >= AFTER_DIVIDER) this.catchUp();
  }

  load_M32(given) {
    const address = given >>> 0;
    if (address >>> 24 === FLASH >>> 24) {
      this.wait.touch(address);
      return this.flash.getInt32(address & 0xffffff, true);
    }
    this.outside(address, 2);
    return this.mcu.readUint32(address) | 0;
  }

  load_M16(given) {
    const address = given >>> 0;
    this.outside(address, 2);
    return this.mcu.readUint16(address);
  }

  load_M8(given) {
    const address = given >>> 0;
    this.outside(address, 2);
    return this.mcu.readUint8(address);
  }

  store_M32(address, value) {
    this.outside(address >>> 0, 3);
    this.mcu.writeUint32(address >>> 0, value >>> 0);
  }

  store_M16(address, value) {
    this.outside(address >>> 0, 3);
    this.mcu.writeUint16(address >>> 0, value & 0xffff);
  }

  store_M8(address, value) {
    this.outside(address >>> 0, 3);
    this.mcu.writeUint8(address >>> 0, value & 0xff);
  }
}
