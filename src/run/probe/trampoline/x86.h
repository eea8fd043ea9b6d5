/* Shared by the files that make x86-64 trampolines: one trampoline in the making. */
#ifndef RUN_PROBE_TRAMPOLINE_X86_H
#define RUN_PROBE_TRAMPOLINE_X86_H
#include "run/probe/trampoline/trampoline.h"
#include "run/probe/trampoline/x86_code.h"

/* What a trampoline has after its straight way: the buffer is full, a large tally, the other way of a branch,
   a constant. */
enum x86_aside_kind { X86_ASIDE_FULL, X86_ASIDE_TALLY, X86_ASIDE_TAKEN, X86_ASIDE_CONSTANT };

struct x86_aside {
    uint8_t kind;
    uint32_t at;                     /* 4 bytes that lead to it */
    uint32_t back;                   /* FULL, TALLY: where it goes on */
    uint64_t value;                  /* TALLY: its number; CONSTANT */
    const struct probe_moved *moved; /* TAKEN */
};

struct x86_trampoline {
    struct probe_trampolines *trampolines;
    struct array *code; /* of the trampolines */
    const struct probe_windows *windows;
    const struct probe_window *window;
    struct array asides; /* of struct x86_aside */
};

/* x86.c */
void x86_add_fix(struct x86_trampoline *trampoline, uint32_t at, enum probe_fix_kind kind, int addend,
                 uint64_t target);
struct x86_aside *x86_add_aside(struct x86_trampoline *trampoline, enum x86_aside_kind kind, uint32_t at);
/* Points of a moved instruction at one place. */
struct x86_places {
    const struct probe_point *points;
    uint32_t count;
};
struct x86_places x86_points(const struct x86_trampoline *trampoline, const struct probe_moved *moved,
                             uint8_t where);
/* 4 bytes at `at` lead to where the moved branch leads. */
void x86_lead_to_target(struct x86_trampoline *trampoline, uint32_t at, const struct probe_moved *moved);

/* x86_actions.c */
bool x86_can_act(const struct probe_action *action);
void x86_act(struct x86_trampoline *trampoline, const struct probe_point *points, uint32_t count);

/* x86_moves.c */
bool x86_can_move(const struct probe_moved *moved);
/* The instruction, with the actions after it and on its way. */
void x86_put_moved(struct x86_trampoline *trampoline, const struct probe_moved *moved);
#endif
