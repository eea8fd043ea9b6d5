/* Shared by the files that make x86-64 islets: one islet in the making. */
#ifndef WATCH_ISLET_X86_H
#define WATCH_ISLET_X86_H
#include "watch/probe/islet.h"
#include "watch/probe/x86_code.h"

/* What an islet has after its straight way: the buffer is full, a large tally, the other way of a branch, a
   constant. */
enum x86_aside_kind { X86_ASIDE_FULL, X86_ASIDE_TALLY, X86_ASIDE_TAKEN, X86_ASIDE_CONSTANT };

struct x86_aside {
    uint8_t kind;
    uint32_t at;                     /* 4 bytes that lead to it */
    uint32_t back;                   /* FULL, TALLY: where it goes on */
    uint64_t value;                  /* TALLY: its number; CONSTANT */
    const struct watch_moved *moved; /* TAKEN */
};

struct x86_islet {
    struct watch_islets *islets;
    struct array *code; /* of the islets */
    const struct watch_windows *windows;
    const struct watch_window *window;
    struct array asides; /* of struct x86_aside */
};

/* islet_x86.c */
void x86_add_fix(struct x86_islet *islet, uint32_t at, enum probe_fix_kind kind, int addend, uint64_t target);
struct x86_aside *x86_add_aside(struct x86_islet *islet, enum x86_aside_kind kind, uint32_t at);
/* Points of a moved instruction at one place. */
struct x86_places {
    const struct watch_point *points;
    uint32_t count;
};
struct x86_places x86_points(const struct x86_islet *islet, const struct watch_moved *moved, uint8_t where);
/* 4 bytes at `at` lead to where the moved branch leads. */
void x86_lead_to_target(struct x86_islet *islet, uint32_t at, const struct watch_moved *moved);

/* islet_x86_actions.c */
bool x86_can_act(const struct watch_action *action);
void x86_act(struct x86_islet *islet, const struct watch_point *points, uint32_t count);

/* islet_x86_moves.c */
bool x86_can_move(const struct watch_moved *moved);
/* The instruction, with the actions after it and on its way. */
void x86_put_moved(struct x86_islet *islet, const struct watch_moved *moved);
#endif
