// What the chip reads: pins that nothing holds follow its own pulls, and the converter takes what a test gives it.
const PADS = 0x4001c, FIRST_PAD = 4;
const PULL_UP = 1 << 3, PULL_DOWN = 1 << 2;
const WIDE_AT = [512, 1536, 2560, 3584], WIDE = 8; // codes that swallow their neighbours (erratum RP2040-E11)
const MOST = 4095;

export function followPulls(mcu, isOpen) {
  const pads = mcu.peripherals[PADS], { writeUint32 } = pads;
  pads.writeUint32 = (offset, value) => {
    writeUint32.call(pads, offset, value);
    const pin = (offset - FIRST_PAD) / 4;
    if (isOpen(pin) && value & (PULL_UP | PULL_DOWN)) mcu.gpio[pin].setInputValue(!!(value & PULL_UP));
  };
}

// `levels` by channel: `at` its input in least steps, `noise` around it, and `lit` more for each of `lamps` that is on.
export function giveLevels(mcu, levels) {
  const { adc } = mcu;
  let chance = 1;
  const plain = adc.onADCRead;
  adc.onADCRead = (channel) => {
    const { at = 0, noise = 0, lit = 0, lamps = [] } = levels[channel] ?? {};
    chance = (chance * 1103515245 + 12345) & 0x7fffffff;
    const on = lamps.filter((pin) => mcu.gpio[pin].outputEnable && mcu.gpio[pin].outputValue).length;
    adc.channelValues[channel] = converted(at + lit * on + noise * (chance / 0x40000000 - 1));
    plain(channel);
  };
}

function converted(input) {
  const wide = WIDE_AT.find((code) => Math.abs(input - code) <= WIDE / 2);
  return Math.max(0, Math.min(MOST, wide ?? Math.round(input)));
}
