.syntax unified
.cpu cortex-m0plus
.thumb
.section .start, "ax"
.word 0x20041F00, rom_absent, rom_absent, rom_absent
.byte 'M', 'u', 1, 3
.hword functions, data, rom_lookup + 1, 0
.macro entry a, b, at
.byte \a, \b
.hword \at + 1
.endm
.balign 4
.global functions, data
functions:
entry 'P','3',rom_popcount
entry 'R','3',rom_reverse
entry 'L','3',rom_clz
entry 'T','3',rom_ctz
entry 'M','S',rom_memset
entry 'S','4',rom_memset
entry 'M','C',rom_memcpy
entry 'C','4',rom_memcpy
entry 'I','F',rom_nothing
entry 'E','X',rom_nothing
entry 'R','E',rom_erase
entry 'R','P',rom_program
entry 'F','C',rom_nothing
entry 'C','X',rom_nothing
entry 'U','B',rom_absent
.word 0
data:
entry 'S','F',float_table - 1
entry 'S','D',double_table - 1
.word 0
