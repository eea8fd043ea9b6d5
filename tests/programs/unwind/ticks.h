/* What tests/programs/unwind/ticks.c writes: a struct ticks_head, its modules, its ticks. */
#ifndef TESTS_UNWIND_TICKS_H
#define TESTS_UNWIND_TICKS_H
#include <stdint.h>

enum { TICKS = 150, TICK_FRAMES = 64, TICK_STACK = 16384, TICK_PATH = 240 };

struct ticks_head {
    uint32_t module_count, tick_count;
};
struct tick_module {
    uint64_t start, end, bias;
    char path[TICK_PATH];
};
/* One sample of the program, and what backtrace() says in the same moment. */
struct tick {
    uint64_t values[33]; /* registers by DWARF number, then the instruction's address */
    uint64_t expected[TICK_FRAMES];
    uint64_t expected_count;
    uint64_t stack_address, stack_size;
    uint8_t stack[TICK_STACK];
};
#endif
