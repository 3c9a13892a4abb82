#define MICROPY_HW_BOARD_NAME                   "Raspberry Pi Pico"
#define MICROPY_HW_FLASH_STORAGE_BYTES          (1408 * 1024)
#define MICROPY_PY_CRYPTOLIB                    (0)
#define MICROPY_PY_SSL                          (0)
