/* What the files of AArch64's encoder share: the trampoline that is being written. */
#ifndef RUN_PROBE_TRAMPOLINE_AARCH64_H
#define RUN_PROBE_TRAMPOLINE_AARCH64_H
#include "run/probe/trampoline/trampoline.h"
#include "run/probe/trampoline/aarch64_words.h"

/* After the trampoline's straight way stand the rare ways: what a conditional branch leads to when it is
   taken, a place in the buffer that is taken, a full buffer, a tally that is too large or has seen enough. */
enum arm_detour_kind { ARM_DETOUR_TAKEN, ARM_DETOUR_OCCUPIED, ARM_DETOUR_FULL, ARM_DETOUR_TALLY };
struct arm_detour {
    uint8_t kind;
    uint8_t value;       /* TALLY: register of the iterations */
    uint8_t base;        /* register of the runtime's locals; FULL: if the position is needed again, else
                            PROBE_NO_REGISTER */
    uint8_t position;    /* FULL: register for that position */
    uint32_t from, back; /* the branch to it; where it goes back to (not TAKEN) */
    uint32_t tally;
    const struct probe_moved *moved; /* TAKEN */
};

struct arm_writer {
    struct probe_trampolines *trampolines;
    const struct probe_windows *windows;
    struct array *detours; /* of struct arm_detour */
    uint32_t spilled;      /* bytes that the trampoline has put on the stack just now */
};

/* The code of a module starts with two literals and these calls of the runtime's entries.  They change x30,
   and that of tallies x16 and x17. */
enum { ARM_STUB_FULL = 16, ARM_STUB_TALLY = 44 };

static inline uint32_t arm_here(const struct arm_writer *writer)
{
    return (uint32_t)writer->trampolines->code.count;
}
void aarch64_put(struct arm_writer *writer, uint32_t word);
/* A word with a fix. */
void aarch64_put_fixed(struct arm_writer *writer, uint32_t word, enum probe_fix_kind kind, uint64_t target);
void aarch64_put_branch(struct arm_writer *writer, uint32_t to); /* within the trampolines */
void aarch64_put_call(struct arm_writer *writer, uint32_t to);
/* The branch at `at` leads to the end of the code; false: it does not reach. */
bool aarch64_aim_here(struct arm_writer *writer, uint32_t at);
void aarch64_put_branch_out(struct arm_writer *writer, uint64_t target); /* to an address of the module */
void aarch64_put_constant(struct arm_writer *writer, unsigned to, uint64_t value);
/* adrp, add: an address of the module */
void aarch64_put_place(struct arm_writer *writer, unsigned to, uint64_t target);

/* Actions (aarch64_actions.c): of points first … first + count - 1, which belong to the same place.
   `kept` are registers that must not be used even if they are free: bit by register. */
void aarch64_put_actions(struct arm_writer *writer, uint32_t first, uint32_t count, uint32_t kept);
void aarch64_put_occupied(struct arm_writer *writer, const struct arm_detour *detour);
void aarch64_put_full(struct arm_writer *writer, const struct arm_detour *detour);
void aarch64_put_tally(struct arm_writer *writer, const struct arm_detour *detour);
/* Registers that an action reads or writes for the program. */
uint32_t aarch64_action_registers(const struct probe_action *action);
/* Registers of `free` and not of `kept`, the best first; how many, at most `most`. */
unsigned aarch64_choose(uint32_t free, uint32_t kept, uint8_t *registers, unsigned most);

/* Moved instructions (aarch64_moved.c). */
enum arm_form {
    ARM_REFUSED,
    ARM_PLAIN,       /* the same anywhere */
    ARM_ADDRESS,     /* adr, adrp */
    ARM_LITERAL,     /* ldr, ldrsw, prfm of an address nearby */
    ARM_JUMP,        /* b */
    ARM_CONDITIONAL, /* b.cond, bc.cond, cbz, cbnz, tbz, tbnz, and comparing branches */
    ARM_CALL,        /* bl, blr, blraa, … */
    ARM_LEAVING,     /* ret, br, and their authenticating forms */
};
enum arm_form arm_form(uint32_t word);
uint32_t aarch64_moved_word(const struct probe_moved *moved);
/* Registers that a branch reads. */
uint32_t aarch64_registers_read(uint32_t word);
/* Where a branch or a literal load leads; what adr and adrp give. */
uint64_t aarch64_target(uint32_t word, uint64_t address);
/* The whole instruction, but for ARM_CONDITIONAL, whose distance is set later, and ARM_JUMP.  `free` is what
   may be used without saving it. */
void aarch64_put_moved(struct arm_writer *writer, const struct probe_moved *moved, uint32_t free);
/* The conditional branch that is taken where this one is not; 0: there is none. */
uint32_t aarch64_inverted(uint32_t word);
/* A conditional branch with this distance; false: it does not reach. */
bool aarch64_set_distance(uint32_t *word, int64_t distance);
#endif
