#!/usr/bin/env bash
# Makes the emulated Pico for `make test-chip` in .cache/chip: Debian 13's MicroPython source with its pico-sdk and
# TinyUSB, compiled for the RP2040; a boot ROM of the tests' own; rp2040js. Quick when it is there; ten minutes else.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck disable=SC1091  # a script of its own among those that are checked
. tools/trixie.sh
made=
place=.cache/chip
parts=tests/chip
stamp=$(cat tools/chip.sh "$parts"/board/* "$parts"/rom/* "$parts"/emulator/package-lock.json | sha256sum)

if [ -e "$place/stamp" ] && [ "$(cat "$place/stamp")" = "$stamp" ]; then exit 0; fi

tools/packages.sh packages_chip.txt
trixie_begin "$place" "The emulated chip for the tests" "The emulated chip is built from Debian's packages, with apt-get and dpkg-deb."
echo "building the emulated chip into $place"
trixie_fetch tools/chip.sh "The sources of the chip's image" download pico-sdk-source tinyusb-source
sed -i 's/^deb /deb-src /' "$made/sources.list"
if ! { trixie_apt update && (cd "$made" && trixie_apt source --download-only micropython); }; then
    tail -n 5 "$made/log" >&2
    stop "MicroPython's source could not be fetched from this machine's Debian mirror; run again later: tools/chip.sh"
fi
mkdir "$made/micropython"
tar -xf "$made"/micropython_*.orig.tar.xz -C "$made/micropython" --strip-components=1
rm "$made"/micropython_*

# Debian's source is without mbedTLS and the library of modules: what needs them is left out; the firmware uses neither.
port=$made/micropython/ports/rp2
sources=$made/root/usr/src
sed -i -e '/^set(MICROPY_SSL_MBEDTLS ON)/d' -e '/mbedtls\/mbedtls_port.c/d' -e '/micropy_lib_mbedtls/d' \
    -e '/^set(PICO_TINYUSB_PATH /d' "$port/CMakeLists.txt"
sed -i -E '/MICROPY_PY_HASHLIB_(MD5|SHA1|SHA256) |MICROPY_PY_CRYPTOLIB |MICROPY_PY_SSL |MICROPY_SSL_MBEDTLS  /d' \
    "$port/mpconfigport.h"
mkdir -p "$made/micropython/lib/micropython-lib" "$made/board"
touch "$made/micropython/lib/micropython-lib/README.md"
cp "$port/boards/RPI_PICO/pins.csv" "$parts"/board/* "$made/board"

build() {
    make -C "$made/micropython/mpy-cross"
    export MICROPY_MPYCROSS=$made/micropython/mpy-cross/build/mpy-cross
    cmake -S "$port" -B "$made/build" -G Ninja -DMICROPY_BOARD=RPI_PICO -DMICROPY_BOARD_DIR="$made/board" \
        -DPICO_SDK_PATH="$sources/pico-sdk" -DPICO_SDK_PATH_OVERRIDE="$sources/pico-sdk" \
        -DPICO_TINYUSB_PATH="$sources/tinyusb" -DPICO_NO_PICOTOOL=1
    cmake --build "$made/build"
    arm-none-eabi-gcc -mcpu=cortex-m0plus -mthumb -Os -ffreestanding -fno-tree-loop-distribute-patterns -nostdlib \
        -Wl,-T,"$parts/rom/rom.ld" -Wl,-e,rom_absent "$parts/rom/rom.S" "$parts/rom/rom.c" -lgcc -o "$made/rom.elf"
    arm-none-eabi-objcopy -O binary "$made/rom.elf" "$made/rom.image"
    cp "$made/build/firmware.bin" "$made/micropython.image"
    cp "$parts/emulator/package.json" "$parts/emulator/package-lock.json" "$made"
    (cd "$made" && npm ci --no-audit --no-fund) # from within: the folder above may be a link, which --prefix refuses
}
if ! build >"$made/build.log" 2>&1; then
    tail -n 30 "$made/build.log" >&2
    stop "The emulated chip could not be built; what went wrong stands above."
fi
arm-none-eabi-nm -n "$made/build/firmware.elf" >"$made/symbols"
rm -rf "$made"/{micropython,build,board,root,rom.elf,build.log}
echo "$stamp" >"$made/stamp"
trixie_keep "$place"
