/* A stand-in for the RP2040's boot ROM: what the SDK looks up in it, over libgcc's arithmetic. */
#include <stddef.h>
#include <stdint.h>

#define FLASH 0x10000000u
#define TIMER_LOW (*(volatile uint32_t *)0x40054028u)

extern uint32_t __aeabi_fadd(uint32_t, uint32_t), __aeabi_fsub(uint32_t, uint32_t);
extern uint32_t __aeabi_fmul(uint32_t, uint32_t), __aeabi_fdiv(uint32_t, uint32_t);

static void wait_us(uint32_t us) {
    uint32_t from = TIMER_LOW;
    while (TIMER_LOW - from < us) {
    }
}

uint32_t rom_popcount(uint32_t x) { uint32_t n = 0; for (; x; x &= x - 1) n++; return n; }
uint32_t rom_reverse(uint32_t x) { uint32_t r = 0; for (int i = 0; i < 32; i++, x >>= 1) r = r << 1 | (x & 1); return r; }
uint32_t rom_clz(uint32_t x) { uint32_t n = 0; if (!x) return 32; while (!(x & 0x80000000u)) { x <<= 1; n++; } return n; }
uint32_t rom_ctz(uint32_t x) { uint32_t n = 0; if (!x) return 32; while (!(x & 1)) { x >>= 1; n++; } return n; }

uint8_t *rom_memset(uint8_t *to, uint8_t value, uint32_t size) {
    uint8_t *at = to;
    uint32_t word = value * 0x01010101u;
    while (size && ((uintptr_t)at & 3)) { *at++ = value; size--; }
    for (; size >= 4; size -= 4, at += 4) *(volatile uint32_t *)at = word;
    while (size--) *(volatile uint8_t *)at++ = value;
    return to;
}
uint8_t *rom_memcpy(uint8_t *to, const uint8_t *from, uint32_t size) {
    uint8_t *at = to;
    if ((((uintptr_t)to ^ (uintptr_t)from) & 3) == 0) {
        while (size && ((uintptr_t)at & 3)) { *(volatile uint8_t *)at++ = *from++; size--; }
        for (; size >= 4; size -= 4, at += 4, from += 4) *(volatile uint32_t *)at = *(const uint32_t *)from;
    }
    while (size--) *(volatile uint8_t *)at++ = *from++;
    return to;
}

/* A sector of 4 KB takes 45 ms to erase, a page of 256 bytes 0.7 ms to write (W25Q16JV, typical). */
void rom_erase(uint32_t at, uint32_t size, uint32_t block, uint8_t command) {
    (void)block; (void)command;
    for (; size; at += 4096, size -= 4096) { rom_memset((uint8_t *)(FLASH + at), 0xFF, 4096); wait_us(45000); }
}
void rom_program(uint32_t at, const uint8_t *data, uint32_t size) {
    for (; size; at += 256, data += 256, size -= 256) { rom_memcpy((uint8_t *)(FLASH + at), data, 256); wait_us(700); }
}
void rom_nothing(void) {}

typedef union { float f; uint32_t u; } both;
static uint32_t bits(float f) { both b; b.f = f; return b.u; }
static float real(uint32_t u) { both b; b.u = u; return b.f; }
/* Rounds down, as the ROM's own; saturates. */
int64_t rom_float2int64(uint32_t u) {
    int exponent = (int)(u >> 23 & 255) - 150;
    int64_t whole = (u & 0x7FFFFF) | 0x800000;
    if ((u >> 23 & 255) == 0) return 0;
    if (exponent > 39) return u >> 31 ? INT64_MIN : INT64_MAX;
    if (exponent >= 0) whole <<= exponent;
    else if (exponent < -32) return u >> 31 ? -1 : 0;
    else { int64_t lost = whole & ((1LL << -exponent) - 1); whole >>= -exponent; if (u >> 31 && lost) return -whole - 1; }
    return u >> 31 ? -whole : whole;
}
int32_t rom_float2int(uint32_t u) {
    int64_t value = rom_float2int64(u);
    return value > INT32_MAX ? INT32_MAX : value < INT32_MIN ? INT32_MIN : (int32_t)value;
}
uint32_t rom_float2uint(uint32_t u) {
    int64_t value = rom_float2int64(u);
    return value < 0 ? 0 : value > UINT32_MAX ? UINT32_MAX : (uint32_t)value;
}
uint64_t rom_float2uint64(uint32_t u) {
    int64_t value;
    if (u >> 31) return 0;
    if ((u >> 23 & 255) == 190) return ((uint64_t)(u & 0x7FFFFF) | 0x800000) << 40;
    value = rom_float2int64(u);
    return value == INT64_MAX ? UINT64_MAX : (uint64_t)value;
}
uint32_t rom_int2float(int32_t x) { return bits((float)x); }
uint32_t rom_uint2float(uint32_t x) { return bits((float)x); }
uint32_t rom_int642float(int64_t x) { return bits((float)x); }
uint32_t rom_uint642float(uint64_t x) { return bits((float)x); }
uint64_t rom_float2double(uint32_t u) { double d = real(u); uint64_t out; __builtin_memcpy(&out, &d, 8); return out; }
/* Trigonometry and fixed point are not used by MicroPython on this chip: whoever gets here stays here. */
void rom_absent(void) { for (;;) __asm volatile("bkpt 7"); }

#define NO ((void *)rom_absent)
void *const float_table[32] = {
    (void *)__aeabi_fadd, (void *)__aeabi_fsub, (void *)__aeabi_fmul, (void *)__aeabi_fdiv, NO, NO, NO,
    (void *)rom_float2int, NO, (void *)rom_float2uint, NO, (void *)rom_int2float, NO, (void *)rom_uint2float, NO,
    NO, NO, NO, NO, NO, NO, NO, NO, (void *)rom_int642float, NO, (void *)rom_uint642float, NO,
    (void *)rom_float2int64, NO, (void *)rom_float2uint64, NO, (void *)rom_float2double};
void *const double_table[32] = {NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO,
    NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO};

struct entry { uint16_t code, at; };
extern const struct entry functions[], data[];
uint32_t rom_lookup(const uint16_t *table, uint32_t code) {
    for (; table[0]; table += 2)
        if (table[0] == code) return table[1];
    return 0;
}
