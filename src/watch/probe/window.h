/* Points and windows.

   A point is where actions happen: before an instruction, after it, or on the way of a branch that is taken.
   A window is a stretch of instructions that one patch moves into an islet, with all actions of its points:
   on AArch64 one instruction, on x86 as many as a jump of 5 bytes covers.  No jump leads into a window but to
   its first instruction.

   A branch that is taken may go to the inside of another window: past the entry actions of its first
   instruction, for a function whose first instruction is the head of a loop. */
#ifndef WATCH_WINDOW_H
#define WATCH_WINDOW_H
#include "model/model.h"
#include "watch/probe/action.h"

struct watch_point {
    uint32_t instruction; /* row of code */
    uint8_t where;
    uint8_t is_past_entry; /* TAKEN, with no action: the branch goes past the entry actions of its target */
    uint8_t is_entry; /* BEFORE: a branch that is past the entry leaves this action out; such come first */
    uint32_t subject; /* that it serves */
    uint32_t order;   /* among points of the same place */
    struct watch_action action;
    struct watch_free free;
};

/* Why a point has no jump, or no probe at all. */
enum watch_refusal {
    WATCH_PLACED,
    WATCH_SMALL,         /* x86: too few bytes before the next target of a jump; a trap serves */
    WATCH_UNKNOWN_JUMPS, /* x86: unknown jumps of its function may lead into the bytes; a trap serves */
    WATCH_FAR,           /* AArch64: code of more than 128 MB; a trap serves */
    WATCH_NOT_MOVABLE,   /* an instruction that cannot be moved (counted with its text) */
    WATCH_EXCLUSIVE,     /* between load-exclusive and store-exclusive */
    WATCH_NO_CODE,       /* the place is not an instruction */
    WATCH_NO_PLACE,      /* no place of the edge can be patched */
    WATCH_NO_VALUE,      /* what shall be recorded is in no register and at no address */
};

enum { WATCH_MOST_MOVED = 12 };

struct watch_moved {
    uint64_t address;
    uint8_t size;
    uint8_t bytes[15];
    uint64_t target; /* code.target; NO_ADDRESS */
    uint8_t flow;    /* enum flow */
    uint32_t
        past_entry; /* of windows: number + 1 of the window that a taken branch goes into; 0: to its target */
    uint32_t first_point, point_count; /* of its points, in order: BEFORE, AFTER, TAKEN, each by order */
};

struct watch_window {
    uint32_t program;
    uint64_t address;
    uint8_t size, way; /* size: with padding after that the patch may use; enum probe_patch_way */
    uint8_t refusal;   /* why it is a trap */
    uint8_t moved_count;
    int8_t hop; /* x86: see struct probe_plan_patch */
    const struct watch_moved *moved;
};

struct watch_windows {
    struct array windows; /* of struct watch_window, by program and address */
    struct array moved;   /* of struct watch_moved: those of each window lie together */
    struct array points;  /* of struct watch_point: those of each moved instruction lie together */
    struct array refused; /* of struct watch_refused */
};

struct watch_refused {
    uint32_t instruction, subject;
    uint8_t refusal;
};

/* Puts points (of struct watch_point) into windows; takes them away from the array. */
void watch_windows_make(struct watch_windows *windows, const struct model *model, struct array *points);
void watch_windows_free(struct watch_windows *windows);
#endif
