// rp2040js's PIO in time: a state machine takes its clock divider and its delays, and rests while it waits for a byte.
// What it says on the pin of the table bus is read bit by bit, as a receiver at the cable's rate would.
const BITS_OF_A_BYTE = 10, HALF = 0.5;
const SHIFTCTRL = 0x0d0, OF_A_MACHINE = 0x18;
const JOIN_TX = 1 << 30; // both queues of a machine in one

export class TimedPio {
  constructor(pio, clock, FIFO, hz) {
    Object.assign(this, { pio, clock, hz });
    this.steps = pio.machines.map((machine) => clock.createAlarm(() => this.step(machine)));
    pio.run = () => this.machinesChanged();
    const { writeUint32 } = pio;
    pio.writeUint32 = (offset, value) => {
      writeUint32.call(pio, offset, value);
      const index = (offset - SHIFTCTRL) / OF_A_MACHINE;
      if (pio.machines[index]) pio.machines[index].txFIFO = new FIFO(value & JOIN_TX ? 8 : 4);
      pio.checkChangedPins();
      this.machinesChanged();
    };
  }

  machinesChanged() {
    this.pio.machines.forEach((machine, index) => {
      const alarm = this.steps[index];
      if (!machine.enabled) alarm.cancel();
      else if (!alarm.scheduled && !machine.waiting) alarm.schedule(this.cycles(machine, 1));
    });
  }

  cycles(machine, count) { return count * (machine.clockDivInt + machine.clockDivFrac / 256) * 1e9 / this.hz(); }

  step(machine) {
    const alarm = this.steps[machine.index], before = machine.cycles;
    alarm.scheduled = false;
    machine.step();
    this.pio.checkChangedPins();
    if (machine.enabled && !machine.waiting) alarm.schedule(this.cycles(machine, machine.cycles - before));
  }
}

// The bytes that leave by this pin, told to the cable when they are over.
export class PinReader {
  constructor(pin, clock, cable) {
    Object.assign(this, { pin, clock, cable, bits: [], began: 0, reading: false });
    this.next = clock.createAlarm(() => this.sample());
    pin.addListener(() => { if (!this.reading && cable.on && !pin.outputValue) this.begin(); });
  }

  begin() {
    Object.assign(this, { reading: true, bits: [], began: this.clock.nanos });
    this.wait(HALF);
  }

  wait(bits) { this.next.schedule(bits * 1e9 / this.cable.uart.uart.baudRate); }

  sample() {
    if (this.bits.length === BITS_OF_A_BYTE) { this.over(); return; }
    this.bits.push(this.pin.outputValue ? 1 : 0);
    this.wait(this.bits.length < BITS_OF_A_BYTE ? 1 : HALF);
  }

  // A byte without a stop bit, or one during which the driver let go, is none.
  over() {
    this.reading = false;
    const [start, ...rest] = this.bits, stop = rest.pop();
    if (start === 0 && stop === 1 && this.cable.on) this.cable.spoke(rest.reduce((byte, bit, at) => byte | bit << at, 0), this.began);
    if (this.cable.on && !this.pin.outputValue) this.begin();
  }
}
