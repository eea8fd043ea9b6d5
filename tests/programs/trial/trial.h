/* A trial of trampolines: tests/unit/run/trial_plan.c puts random points into the functions case_… of a program and
   writes patches, trampolines and points to a file; the program (x86.c) runs these functions as they are, step by
   step, and does what the actions say; then it patches itself and compares. */
#ifndef TRIAL_H
#define TRIAL_H
#include "runtime/probe/plan_file.h"
#include "runtime/probe/record_file.h"
#include "run/probe/action.h"

enum {
    TRIAL_COUNTERS = 4096,
    TRIAL_TALLIES = 4,
    TRIAL_MEMORY = 0x20000000, /* address of memory that sources may read */
    TRIAL_MEMORY_BYTES = 4096,
    TRIAL_POINTER = 9 /* register that has this address, or 0, where cases are entered */
};

struct trial_header {
    uint64_t magic, points, patches, fixes, code_bytes, compares_flags;
};

struct trial_point {
    uint64_t address, next; /* of the instruction, and after it */
    uint8_t where, is_past_entry, is_entry, is_repeated, is_jump;
    struct probe_action action;
};
#endif
