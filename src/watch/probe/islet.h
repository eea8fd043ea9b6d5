/* Code for windows: an islet does what the window's actions say, then what its instructions did, and jumps
   back after it.

   Encoders know their instruction set and nothing of programs: window in, bytes and fixes out. */
#ifndef WATCH_ISLET_H
#define WATCH_ISLET_H
#include "runtime/probe/plan_file.h"
#include "watch/probe/window.h"

struct watch_islets {          /* of one module */
    uint32_t first_window;     /* of the module, in struct watch_windows; the arrays by window start there */
    struct array code;         /* of uint8_t */
    struct array fixes;        /* of struct probe_plan_fix */
    struct array starts;       /* of uint32_t, by window: where control comes from the patch */
    struct array past_entries; /* of uint32_t, by window: after the entry actions of its first instruction */
    struct array pending;      /* of struct watch_pending: branches into other windows, resolved at the end */
    struct array literals;     /* of struct watch_literal: addresses that islets share */
};

struct watch_pending {
    uint32_t at, window; /* x86: 4 bytes relative to at + 4; AArch64: b */
    uint64_t target;     /* of the branch: where it goes if that window has no islet */
};
struct watch_literal {
    uint32_t at;
    uint16_t kind;
    uint64_t target;
};

void watch_islets_init(struct watch_islets *islets, uint32_t first_window);
void watch_islets_free(struct watch_islets *islets);
/* The islet of a window starts at the end of the code; past_entries has the same place until it is set.
   Windows come in order; those that were left out have NO_ISLET. */
#define NO_ISLET UINT32_MAX
void watch_islets_begin(struct watch_islets *islets, const struct watch_windows *windows,
                        const struct watch_window *window);

struct islet_encoder {
    enum isa isa;
    uint8_t jump_bytes; /* that a patch needs */
    uint8_t hop_bytes;  /* that a short jump to a jump nearby needs; 0: there is none */
    /* false: an instruction cannot be moved; nothing was added. */
    bool (*encode)(struct watch_islets *islets, const struct watch_windows *windows,
                   const struct watch_window *window);
    /* After the last window: literals, branches into other windows. */
    void (*finish)(struct watch_islets *islets);
    /* Whether it can be moved at all. */
    bool (*can_move)(const struct watch_moved *moved);
};

extern const struct islet_encoder aarch64_islets, x86_64_islets;
const struct islet_encoder *islet_encoder(enum isa isa); /* NULL: none */
#endif
