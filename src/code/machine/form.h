/* Forms of instructions, and what they cost on a machine.

   A form is an instruction with its operands reduced to their kinds: `add r64,r64`, `vaddpd ymm,ymm,m256`,
   `fmla 4s,4s,4s`.  Readers of instruction sets spell it (encodings.form); a machine file has those
   that the processor knows.  Nothing here knows what an instruction does.

   Values go through an instruction from slot to slot: slots 1 … 8 are its operands in the order of the text,
   others are named below; a register that the text does not show is named by its number in the machine's list
   of hidden registers. */
#ifndef CODE_MACHINE_FORM_H
#define CODE_MACHINE_FORM_H
#include <stdbool.h>
#include <stdint.h>
#include "base/memory.h"
#include "code/machine/origins.h"

enum form_slot {
    slot_NONE, /* 1 … 8: operands */
    slot_FLAGS = 9,
    slot_ADDRESS, /* the base register of a memory operand */
    slot_INDEX,   /* its index register */
    slot_MEMORY,  /* the value in memory */
    slot_HIDDEN,  /* + number in machine.hidden: a register by name */
};

/* times µops, each on any of these ports. */
struct form_ports {
    uint32_t ports; /* bits, by machine.ports */
    float times;
};

/* A latency that is not the form's general one; NaN: no dependence. */
struct form_latency {
    uint8_t from, to; /* slots; slot_NONE: any */
    float cycles;
};

/* A run in one of the machine's lists. */
struct form_run {
    uint32_t first;
    uint16_t count;
};

struct machine_form {
    const char *text;
    uint16_t fused, unfused;      /* µops that are issued; that are executed */
    uint16_t decoded, microcoded; /* from the decoders; from the microcode sequencer */
    uint8_t simple_decoders;      /* that are free in its cycle, where it needs the complex one */
    uint8_t load_turns;           /* among the loads of a cycle; 0: as its accesses need */
    bool needs_complex_decoder;
    bool leaves_loop_buffer; /* a loop with it is not replayed */
    bool is_eliminated;      /* a move that may be done by renaming */
    bool breaks_on_same;     /* with equal sources the result does not depend on them */
    bool is_missing;         /* the processor does not have it */
    bool has_indexed, has_same;
    uint16_t fused_indexed, fused_same; /* with an index register; with equal source registers */
    struct form_run ports, ports_indexed, ports_same; /* in machine.form_ports */
    float latency;                                    /* where no exception says another; NaN: not known */
    float latency_same;                               /* NaN: as usual */
    float chained;             /* from the result of a form that has this word, too; 0: as usual */
    bool is_own_pipe;          /* chained only on one pipe */
    uint8_t domain;            /* of vector operations; 0: none */
    struct form_run latencies; /* in machine.form_latencies */
    float divider;             /* cycles that it holds the divider */
    float throughput; /* cycles between two of them in a measurement; NaN: none; only for microcoded ones */
    struct form_run fuses; /* in machine.form_words: names of the branches that it fuses with */
    machine_source source; /* where its figures come from */
    float spread;          /* of measurements, in per cent; NaN: not given */
};

struct machine;
/* By its text; NULL where the machine has no such form.  Where `op …,i8=0` is not known, `op …,i8` answers;
   where a masked vector form is not, the form without its mask does; after these `op *`, if the file has it.
 */
const struct machine_form *machine_form(const struct machine *machine, const char *text);
/* The same, also for forms that the file says are missing.  *is_unmasked: the form has one operand less, the
   second, which is the mask. */
const struct machine_form *machine_form_nearest(const struct machine *machine, const char *text,
                                                bool *is_unmasked);
/* Whether a text is one mnemonic, with its prefix (`lock add`) where it has one. */
bool form_is_mnemonic(const char *text, size_t length);
/* Its place in the table of the machine, which is not empty: the form's own, or the free one where it
 * belongs. */
uint32_t *form_place(const struct machine *machine, const char *text, size_t length);
/* From one slot to another; NaN where nothing goes. */
double form_latency(const struct machine *machine, const struct machine_form *form, unsigned from,
                    unsigned to);
/* Whether it fuses with a branch of this name. */
bool form_fuses(const struct machine *machine, const struct machine_form *form, const char *branch);
#endif
