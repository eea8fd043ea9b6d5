/* Code for windows: a trampoline does what the window's actions say, then what its instructions did, and
   jumps back after it.

   Encoders know their instruction set and nothing of programs: window in, bytes and fixes out. */
#ifndef RUN_PROBE_TRAMPOLINE_TRAMPOLINE_H
#define RUN_PROBE_TRAMPOLINE_TRAMPOLINE_H
#include "runtime/probe/plan_file.h"
#include "run/probe/window.h"

struct probe_trampolines {     /* of one module */
    uint32_t first_window;     /* of the module, in struct probe_windows; the arrays by window start there */
    struct array code;         /* of uint8_t */
    struct array fixes;        /* of struct probe_plan_fix */
    struct array starts;       /* of uint32_t, by window: where control comes from the patch */
    struct array past_entries; /* of uint32_t, by window: after the entry actions of its first instruction */
    struct array pending;      /* of struct probe_pending: branches into other windows, resolved at the end */
    struct array literals;     /* of struct probe_literal: addresses that trampolines share */
};

struct probe_pending {
    uint32_t at, window; /* x86: 4 bytes relative to at + 4; AArch64: b */
    uint64_t target;     /* of the branch: where it goes if that window has no trampoline */
};
struct probe_literal {
    uint32_t at;
    uint16_t kind;
    uint64_t target;
};

void probe_trampolines_init(struct probe_trampolines *trampolines, uint32_t first_window);
void probe_trampolines_free(struct probe_trampolines *trampolines);
/* The trampoline of a window starts at the end of the code; past_entries has the same place until it is set.
   Windows come in order; those that were left out have NO_TRAMPOLINE. */
#define NO_TRAMPOLINE UINT32_MAX
void probe_trampolines_begin(struct probe_trampolines *trampolines, const struct probe_windows *windows,
                             const struct probe_window *window);

struct trampoline_encoder {
    enum isa isa;
    uint8_t jump_bytes; /* that a patch needs */
    uint8_t hop_bytes;  /* that a short jump to a jump nearby needs; 0: there is none */
    /* false: an instruction cannot be moved; nothing was added. */
    bool (*encode)(struct probe_trampolines *trampolines, const struct probe_windows *windows,
                   const struct probe_window *window);
    /* After the last window: literals, branches into other windows. */
    void (*finish)(struct probe_trampolines *trampolines);
    /* Whether it can be moved at all. */
    bool (*can_move)(const struct probe_moved *moved);
};

extern const struct trampoline_encoder aarch64_trampolines, x86_64_trampolines;
const struct trampoline_encoder *trampoline_encoder(enum isa isa); /* NULL: none */
#endif
