/* Shared by the files that make windows: windows.c explains how they fit together. */
#ifndef RUN_PROBE_WINDOW_PARTS_H
#define RUN_PROBE_WINDOW_PARTS_H
#include "run/probe/site/exclusives.h"
#include "run/probe/trampoline/trampoline.h"
#include "run/probe/window/targets.h"

/* A window as rows of code. */
struct stretch {
    uint32_t first, last;
    uint32_t padding;
    uint8_t way, refusal;
    bool is_short;   /* it needs a hop */
    bool gives_room; /* the hop of another leads after its jump */
    int8_t hop;
};

struct making {
    const struct model *model;
    struct probe_windows *windows;
    struct probe_targets targets;
    struct probe_exclusives exclusives;
    struct array stretches; /* of struct stretch, by row */
    const struct trampoline_encoder *encoder;
    uint8_t *movable; /* by encoding: can_move */
    uint32_t program;
};

static inline const struct encoding *encoding_of(const struct model *model, uint32_t row)
{
    return model_encoding(model, model_instruction(model, row)->encoding);
}
static inline uint32_t size_of(const struct making *making, uint32_t row)
{
    return encoding_of(making->model, row)->size;
}
static inline uint32_t program_of(const struct model *model, uint32_t row)
{
    const struct block *block = model_block(model, model_instruction(model, row)->block);
    return model_section(model, block->section)->program;
}

/* windows.c */
/* The encoder and the targets are those of this row's program from now on. */
void windows_choose_program(struct making *making, uint32_t row);
bool windows_can_move(const struct making *making, uint32_t row);

/* enum probe_refusal; PROBE_NOT_REFUSED: it has a place. */
uint8_t windows_refuse(struct making *making, const struct probe_point *point);

/* point_order.c */
void windows_sort_points(struct array *points);

/* stretches.c */
/* Whether a window may hold `row` and the instruction after it. */
bool windows_can_go_on(const struct making *making, uint32_t row);
/* Whether a jump has room before this row, which a window may follow. */
bool windows_have_room_before(const struct making *making, uint32_t row);
/* Whether a window with this row may have a jump, if a hop finds its place. */
bool windows_have_room_at(const struct making *making, uint32_t row);
uint32_t windows_count_of(const struct stretch *stretch);
uint32_t windows_bytes_of(const struct making *making, const struct stretch *stretch);
/* Whether it is small enough, and no jump leads to the middle of an instruction in it. */
bool windows_are_closed(const struct making *making, const struct stretch *stretch);
struct stretch windows_trap_at(const struct making *making, uint32_t row);
/* Makes sure that a stretch has this row; rows come in order. */
void windows_add_stretch(struct making *making, uint32_t row);

/* hops.c */
void windows_find_hops(struct making *making);

/* ways.c */
/* Moves points from traps to the ways there; true: some were, and stretches have to be made again. */
bool windows_use_ways(struct making *making);
#endif
