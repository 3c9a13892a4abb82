// Thumb instructions of the RP2040's processor as JavaScript: one trace of them, compiled, is many times as fast as one
// after the other. Clocks are those of the processor's manual, as in rp2040js. What is rare is left to rp2040js.
const LONGEST = 64, PC = 15, LR = 14, SP = 13;
const CONDITIONS = ['z', '!z', 'c', '!c', 'n', '!n', 'v', '!v', 'c&&!z', '!c||z', 'n===v', 'n!==v', '!z&&n===v', 'z||n!==v'];
const ADD = 's=t+u|0;c=s>>>0<t>>>0;v=((t^s)&(u^s))<0;n=s<0;z=s===0;';
const SUB = 's=t-u|0;c=t>>>0>=u>>>0;v=((t^u)&(t^s))<0;n=s<0;z=s===0;';
const ADC = 'w=(t>>>0)+(u>>>0)+(c?1:0);s=w|0;c=w>0xffffffff;v=((t^s)&(u^s))<0;n=s<0;z=s===0;';
const SBC = 'w=(t>>>0)-(u>>>0)-(c?0:1);s=w|0;c=w>=0;v=((t^u)&(t^s))<0;n=s<0;z=s===0;';
const SHIFTS = {
  2: 't=u&255;s=d;if(t){c=t<33&&(t===32?d&1:d>>>32-t&1)!==0;s=t<32?d<<t:0}',
  3: 't=u&255;s=d;if(t){c=t<33&&(d>>>t-1&1)!==0;s=t<32?d>>>t|0:0}',
  4: 't=u&255;s=d;if(t){c=t<32?(d>>>t-1&1)!==0:d<0;s=d>>(t<32?t:31)}',
  7: 't=u&255;s=d;if(t){t&=31;s=t?d>>>t|d<<32-t:d;c=s<0}',
};
const FLAGS = 'n=s<0;z=s===0;';

// Collects the trace's code; `registers` become its variables.
class Writer {
  constructor() { Object.assign(this, { code: '', clocks: 0, used: new Set(), written: new Set(), open: true }); }

  reg(number) { this.used.add(number); return `r${number}`; }

  set(number, value) { this.used.add(number); this.written.add(number); this.code += `r${number}=${value};`; }

  flags(operation, one, other, target) {
    this.code += `t=${one};u=${other};${operation}`;
    if (target !== undefined) this.set(target, 's');
  }

  result(value, target) {
    this.code += `s=${value};${FLAGS}`;
    if (target !== undefined) this.set(target, 's');
  }

  leave(to, clocks = this.clocks) {
    const kept = [...this.written].map((number) => `R[${number}]=r${number};`).join('');
    return `${kept}k.N=n;k.Z=z;k.C=c;k.V=v;R[15]=${to};return ${clocks};`;
  }

  end(to) { this.code += this.leave(to); this.open = false; }

  load(size, address, target) {
    const [view, shift, after] = { w: ['M32', 2, ''], h: ['M16', 1, ''], b: ['M8', 0, ''], sh: ['M16', 1, '<<16>>16'],
      sb: ['M8', 0, '<<24>>24'] }[size];
    this.clocks++;
    this.code += `a=${address}|0;x=a-0x20000000|0;`;
    this.set(target, `(x>>>0<270336?${view}[x>>${shift}]:m.load_${view}(a))${after}`);
  }

  store(size, address, value) {
    const [view, shift] = { w: ['M32', 2], h: ['M16', 1], b: ['M8', 0] }[size];
    this.clocks++;
    this.code += `a=${address}|0;x=a-0x20000000|0;if(x>>>0<270336)${view}[x>>${shift}]=${value};else m.store_${view}(a,${value});`;
  }
}

const listed = (bits) => [0, 1, 2, 3, 4, 5, 6, 7].filter((number) => bits >> number & 1);

// One instruction; the place of the next, or null: not known here.
function write(to, op, second, pc, memory) {
  const d = op & 7, m = op >> 3 & 7, o = op >> 6 & 7, wide = op >> 8 & 7, small = op & 255, five = op >> 6 & 31;
  const reg = (number) => number === PC ? `${pc + 4}` : to.reg(number);
  const top = op >> 11, next = pc + 2;
  to.clocks++;
  if (top === 0) {
    if (five) to.code += `c=(${reg(m)}>>>${32 - five}&1)!==0;`;
    to.result(`${reg(m)}<<${five}`, d);
  } else if (top === 1) {
    to.code += `t=${reg(m)};c=${five ? `(t>>>${five - 1}&1)!==0` : 't<0'};`;
    to.result(five ? `t>>>${five}|0` : '0', d);
  } else if (top === 2) {
    to.code += `t=${reg(m)};c=${five ? `(t>>>${five - 1}&1)!==0` : 't<0'};`;
    to.result(`t>>${five || 31}`, d);
  } else if (top === 3) to.flags(op >> 9 & 1 ? SUB : ADD, reg(m), op >> 10 & 1 ? o : reg(o), d);
  else if (top === 4) to.result(small, wide);
  else if (top === 5) to.flags(SUB, reg(wide), small);
  else if (top === 6) to.flags(ADD, reg(wide), small, wide);
  else if (top === 7) to.flags(SUB, reg(wide), small, wide);
  else if (op >> 10 === 16) calculate(to, op >> 6 & 15, d, m, reg);
  else if (op >> 10 === 17) return high(to, op, reg, next);
  else if (top === 9) constant(to, (pc & ~3) + 4 + small * 4, wide, memory);
  else if (op >> 12 === 5) {
    const kind = ['w', 'h', 'b', 'sb', 'w', 'h', 'b', 'sh'][op >> 9 & 7], address = `${reg(m)}+${reg(o)}`;
    if ((op >> 9 & 7) < 3) to.store(kind, address, reg(d)); else to.load(kind, address, d);
  } else if (op >> 12 >= 6 && op >> 12 <= 8) {
    const kind = { 6: 'w', 7: 'b', 8: 'h' }[op >> 12], address = `${reg(m)}+${five * { w: 4, b: 1, h: 2 }[kind]}`;
    if (op >> 11 & 1) to.load(kind, address, d); else to.store(kind, address, reg(d));
  } else if (op >> 12 === 9) {
    if (op >> 11 & 1) to.load('w', `${reg(SP)}+${small * 4}`, wide); else to.store('w', `${reg(SP)}+${small * 4}`, reg(wide));
  } else if (top === 20) to.set(wide, (pc & ~3) + 4 + small * 4);
  else if (top === 21) to.set(wide, `${reg(SP)}+${small * 4}|0`);
  else if (op >> 8 === 0xb0) to.set(SP, `${reg(SP)}${op & 128 ? '-' : '+'}${(op & 127) * 4}|0`);
  else if (op >> 8 === 0xb2) {
    to.set(d, [`${reg(m)}<<16>>16`, `${reg(m)}<<24>>24`, `${reg(m)}&65535`, `${reg(m)}&255`][op >> 6 & 3]);
  } else if (op >> 9 === 0x5a) push(to, op, reg);
  else if (op >> 9 === 0x5e) return pop(to, op, next);
  else if (op >> 6 === 0x2e8) to.set(d, `(t=${reg(m)},t<<24|(t&65280)<<8|t>>>8&65280|t>>>24)`);
  else if (op === 0xb672) to.code += 'k.PM=true;';
  else if (op === 0xbf00) return next;
  else if (top === 24 || top === 25) many(to, op, wide, reg);
  else if (op >> 12 === 13 && wide < 14 && (op >> 8 & 15) < 14) {
    const far = pc + 4 + (small << 24 >> 23);
    to.code += `if(${CONDITIONS[op >> 8 & 15]}){${to.leave(far, to.clocks + 1)}}`;
  } else if (top === 28) { to.clocks++; return pc + 4 + ((op & 2047) << 21 >> 20); }
  else if (top === 30 && second >> 14 === 3 && second & 4096) return call(to, op, second, pc);
  else return null;
  return next;
}

// Beside the code, mostly.
function constant(to, at, target, memory) {
  if (!memory.fixed(at)) { to.load('w', at, target); return; }
  to.clocks++;
  to.code += memory.line(at);
  to.set(target, memory.word(at));
}

function calculate(to, kind, d, m, reg) {
  if (kind in SHIFTS) {
    to.code += `d=${reg(d)};u=${reg(m)};${SHIFTS[kind]}${FLAGS}`;
    to.set(d, 's');
  } else if (kind === 5) to.flags(ADC, reg(d), reg(m), d);
  else if (kind === 6) to.flags(SBC, reg(d), reg(m), d);
  else if (kind === 8) to.result(`${reg(d)}&${reg(m)}`);
  else if (kind === 9) to.flags(SUB, '0', reg(m), d);
  else if (kind === 10) to.flags(SUB, reg(d), reg(m));
  else if (kind === 11) to.flags(ADD, reg(d), reg(m));
  else if (kind === 13) to.result(`Math.imul(${reg(d)},${reg(m)})`, d);
  else if (kind === 15) to.result(`~${reg(m)}`, d);
  else to.result(`${reg(d)}${{ 0: '&', 1: '^', 12: '|', 14: '&~' }[kind]}${reg(m)}`, d);
}

// Those that reach all sixteen registers.
function high(to, op, reg, next) {
  const d = op >> 4 & 8 | op & 7, m = op >> 3 & 15, kind = op >> 8 & 3;
  if (kind === 1) { to.flags(SUB, reg(d), reg(m)); return next; }
  if (kind === 3) {
    to.clocks++;
    if (!(op & 128)) { to.end(`m.jump(${reg(m)})`); return next; }
    to.code += `a=${reg(m)};`;
    to.set(LR, `${next | 1}`);
    to.end('a&~1');
    return next;
  }
  const value = kind === 0 ? `${reg(d)}+${reg(m)}` : reg(m);
  if (d === PC) { to.clocks++; to.end(`${value}&~1`); } else to.set(d, d === SP ? `${value}&~3` : `${value}|0`);
  return next;
}

function push(to, op, reg) {
  const which = [...listed(op), ...(op & 256 ? [LR] : [])];
  to.set(SP, `${reg(SP)}-${4 * which.length}|0`);
  which.forEach((number, index) => to.store('w', `${reg(SP)}+${4 * index}`, reg(number)));
  if (op & 256) to.clocks--;
}

function pop(to, op, next) {
  const which = listed(op), back = op & 256;
  which.forEach((number, index) => to.load('w', `${to.reg(SP)}+${4 * index}`, number));
  if (back) to.code += `a=${to.reg(SP)}+${4 * which.length}|0;x=a-0x20000000|0;e=x>>>0<270336?M32[x>>2]:m.load_M32(a);`;
  to.set(SP, `${to.reg(SP)}+${4 * (which.length + (back ? 1 : 0))}|0`);
  if (back) { to.clocks += 2; to.end('m.jump(e)'); }
  return next;
}

function many(to, op, base, reg) {
  const which = listed(op);
  to.code += `b=${reg(base)};`;
  which.forEach((number, index) => {
    if (op >> 11 & 1) to.load('w', `b+${4 * index}`, number); else to.store('w', `b+${4 * index}`, reg(number));
  });
  if (!(op >> base & 1 && op >> 11 & 1)) to.set(base, `b+${4 * which.length}|0`);
}

function call(to, op, second, pc) {
  const sign = op >> 10 & 1, one = 1 - (sign ^ second >> 13 & 1), other = 1 - (sign ^ second >> 11 & 1);
  to.set(LR, `${pc + 4 | 1}`);
  to.clocks += 2;
  return pc + 4 + ((sign ? -1 : 0) << 24 | one << 23 | other << 22 | (op & 1023) << 12 | (second & 2047) << 1);
}

// The source of a function without parameters that runs from `pc` on and returns its clocks; null where the first
// instruction is not known here. Of `memory`: `code(at)` is the half word there, `word(at)` a word that is `fixed(at)`,
// `line(at)` what looking there costs, in code. It ends before a place of `stops`.
export function trace(pc, memory, stops) {
  const to = new Writer();
  let at = pc, count = 0, fetched = -1;
  for (; to.open && count < LONGEST && (!stops.has(at) || count === 0); count++) {
    const kept = [to.code, to.clocks], op = memory.code(at), last = op >> 11 === 30 ? at + 2 : at;
    if (at >>> 3 !== fetched) to.code += memory.line(at);
    if (last >>> 3 !== at >>> 3) to.code += memory.line(last);
    const next = write(to, op, last === at ? 0 : memory.code(last), at, memory);
    if (next === null) { [to.code, to.clocks] = kept; break; }
    fetched = last >>> 3;
    at = next;
  }
  if (count === 0) return null;
  if (to.open) to.end(at);
  const registers = [...to.used].map((number) => `r${number}=R[${number}],`).join('');
  return `let ${registers}n=k.N,z=k.Z,c=k.C,v=k.V,a=0,b=0,d=0,e=0,s=0,t=0,u=0,w=0,x=0;${to.code}`;
}
