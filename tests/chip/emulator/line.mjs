// The UART in time (PL011), and the cable that it hangs on. All times are nanoseconds of the emulated clock.
const BITS_OF_A_BYTE = 10;
const LEVELS = [4, 8, 16, 24, 28]; // of 32 bytes, at which the FIFO asks for an interrupt
const SILENT_BITS = 32; // without a byte, after which a FIFO that is not empty asks for one, too
const TX = 1 << 5, RX = 1 << 4, SILENCE = 1 << 6;
const DATA = 0x00, FLAGS = 0x18, FORMAT = 0x2c, CONTROL = 0x30, LEVEL = 0x34, MASK = 0x38, RAW = 0x3c, MASKED = 0x40;
const CLEAR = 0x44, DMA = 0x48;
const OFF_BY = 0.03; // of two rates, from which on a byte is not understood

// Gives rp2040js's UART a transmitter that takes its time and a receiver with levels; `cable` has `spoke(byte, from)`.
export class TimedUart {
  constructor(uart, clock, FIFO, cable) {
    Object.assign(this, { uart, clock, cable, levels: 0o22, raw: 0, sending: false, byte: 0, began: 0, lost: 0 });
    this.waiting = new FIFO(32);
    this.over = clock.createAlarm(() => this.sent());
    this.silence = clock.createAlarm(() => { this.raw |= SILENCE; this.check(); });
    const { readUint32, writeUint32 } = uart;
    uart.readUint32 = (offset) => this.read(offset) ?? readUint32.call(uart, offset);
    uart.writeUint32 = (offset, value) => { if (!this.write(offset, value)) writeUint32.call(uart, offset, value); };
  }

  bits(count) { return count * 1e9 / this.uart.baudRate; }

  check() { this.uart.rp2040.setInterrupt(this.uart.irq, !!(this.raw & this.uart.interruptMask)); }

  receive(byte) {
    const { rxFIFO, enabled } = this.uart;
    if (!enabled) return;
    if (rxFIFO.full) { this.lost++; return; }
    rxFIFO.push(byte);
    if (rxFIFO.itemCount >= LEVELS[this.levels >> 3 & 7]) this.raw |= RX;
    this.silence.schedule(this.bits(SILENT_BITS));
    this.check();
  }

  take() {
    const { rxFIFO } = this.uart;
    const byte = rxFIFO.pull();
    if (rxFIFO.itemCount < LEVELS[this.levels >> 3 & 7]) this.raw &= ~RX;
    if (rxFIFO.empty) { this.raw &= ~SILENCE; this.silence.cancel(); }
    this.check();
    return byte;
  }

  read(offset) {
    if (offset === DATA) return this.take();
    if (offset === LEVEL) return this.levels;
    if (offset === RAW) return this.raw;
    if (offset === MASKED) return this.raw & this.uart.interruptMask;
    if (offset !== FLAGS) return undefined;
    const { rxFIFO } = this.uart;
    return (this.waiting.empty ? 0x80 : 0) | (rxFIFO.full ? 0x40 : 0) | (this.waiting.full ? 0x20 : 0)
      | (rxFIFO.empty ? 0x10 : 0) | (this.sending ? 0x08 : 0);
  }

  write(offset, value) {
    const { uart } = this;
    if (offset === DATA) { this.waiting.push(value & 255); this.start(); }
    else if (offset === LEVEL) this.levels = value;
    else if (offset === MASK) { uart.interruptMask = value & 0x7ff; this.check(); }
    else if (offset === CLEAR) { this.raw &= ~uart.rawWriteValue; this.check(); }
    else if (offset === FORMAT) uart.lineCtrlRegister = value;
    else if (offset === CONTROL) uart.ctrlRegister = value;
    else if (offset !== DMA) return false;
    return true;
  }

  start() {
    if (this.sending || this.waiting.empty) return;
    this.sending = true;
    this.byte = this.waiting.pull();
    this.began = this.clock.nanos;
    if (this.waiting.itemCount <= LEVELS[this.levels & 7]) { this.raw |= TX; this.check(); }
    this.over.schedule(this.bits(BITS_OF_A_BYTE));
  }

  sent() {
    this.sending = false;
    this.cable.spoke(this.byte, this.began);
    this.start();
  }
}

// What the master and other nodes say arrives byte by byte; own bytes come back while the driver is on.
export class Cable {
  constructor(clock, say) {
    Object.assign(this, { clock, say, uart: null, on: false, enabledAt: 0, frame: null, coming: [] });
    this.next = clock.createAlarm(() => this.arrive());
  }

  // Bytes that begin at this time, one behind the other.
  feed(at, bytes, baud) {
    const byte = BITS_OF_A_BYTE * 1e9 / baud;
    bytes.forEach((value, index) => this.coming.push([at + (index + 1) * byte, value, baud]));
    this.coming.sort((one, other) => one[0] - other[0]);
    this.plan();
  }

  plan() { if (this.coming.length) this.next.schedule(Math.max(0, this.coming[0][0] - this.clock.nanos)); }

  arrive() {
    const [, byte, baud] = this.coming.shift();
    const known = Math.abs(this.uart.uart.baudRate / baud - 1) < OFF_BY;
    this.uart.receive(known ? byte : byte ^ 0xa5 | 0x40);
    this.plan();
  }

  spoke(byte, from) {
    this.frame ??= { from, bytes: [] };
    this.frame.bytes.push(byte);
    this.frame.over = this.clock.nanos;
    if (this.on) this.uart.receive(byte);
  }

  drive(on) {
    this.on = on;
    if (on) { this.enabledAt = this.clock.nanos; return; }
    if (this.frame === null) return;
    const { from, over, bytes } = this.frame;
    this.frame = null;
    this.say('answer', from, over, this.enabledAt, this.clock.nanos, Buffer.from(bytes).toString('hex'));
  }
}
