/* Points and windows.

   A point is where actions happen: before an instruction, after it, or on the way of a branch that is taken.
   A window is a stretch of instructions that one patch moves into a trampoline, with all actions of its
   points: on AArch64 one instruction, on x86 as many as a jump of 5 bytes covers.  No jump leads into a
   window but to its first instruction.

   A branch that is taken may go to the inside of another window: past the entry actions of its first
   instruction, for a function whose first instruction is the head of a loop. */
#ifndef RUN_PROBE_WINDOW_H
#define RUN_PROBE_WINDOW_H
#include "model/model.h"
#include "run/probe/action.h"

struct probe_point {
    uint32_t instruction; /* row of code */
    uint8_t where;
    uint8_t is_past_entry; /* TAKEN, with no action: the branch goes past the entry actions of its target */
    uint8_t is_entry; /* BEFORE: a branch that is past the entry leaves this action out; such come first */
    uint32_t subject; /* that it serves */
    uint32_t order;   /* among points of the same place */
    struct probe_action action;
    struct probe_free_registers free;
};

/* Why a point has no jump, or no probe at all. */
enum probe_refusal {
    PROBE_NOT_REFUSED,
    PROBE_REFUSED_SMALL,         /* x86: too few bytes before the next target of a jump; a trap serves */
    PROBE_REFUSED_UNKNOWN_JUMPS, /* x86: unknown jumps of its function may lead into the bytes; a trap serves */
    PROBE_REFUSED_FAR,           /* AArch64: code of more than 128 MB; a trap serves */
    PROBE_REFUSED_NOT_MOVABLE,   /* an instruction that cannot be moved (counted with its text) */
    PROBE_REFUSED_EXCLUSIVE,     /* between load-exclusive and store-exclusive */
    PROBE_REFUSED_NO_CODE,       /* the place is not an instruction */
    PROBE_REFUSED_NO_PLACE,      /* no place of the edge can be patched */
    PROBE_REFUSED_NO_VALUE,      /* what shall be recorded is in no register and at no address */
};

enum { PROBE_MOST_MOVED = 12 };

struct probe_moved {
    uint64_t address;
    uint8_t size;
    uint8_t bytes[15];
    uint64_t target; /* code.target; NO_ADDRESS */
    uint8_t flow;    /* enum flow */
    uint32_t
        past_entry; /* of windows: number + 1 of the window that a taken branch goes into; 0: to its target */
    uint32_t first_point, point_count; /* of its points, in order: BEFORE, AFTER, TAKEN, each by order */
};

struct probe_window {
    uint32_t program;
    uint64_t address;
    uint8_t size, way; /* size: with padding after that the patch may use; enum probe_patch_way */
    uint8_t refusal;   /* why it is a trap */
    uint8_t moved_count;
    int8_t hop;        /* x86: see struct probe_plan_patch */
    uint8_t switching; /* the same */
    uint32_t tally;
    const struct probe_moved *moved;
};

struct probe_windows {
    struct array windows; /* of struct probe_window, by program and address */
    struct array moved;   /* of struct probe_moved: those of each window lie together */
    struct array points;  /* of struct probe_point: those of each moved instruction lie together */
    struct array refused; /* of struct probe_refused */
};

struct probe_refused {
    uint32_t instruction, subject;
    uint8_t refusal;
};

/* Puts points (of struct probe_point) into windows; takes them away from the array. */
void probe_windows_make(struct probe_windows *windows, const struct model *model, struct array *points);
void probe_windows_free(struct probe_windows *windows);
#endif
