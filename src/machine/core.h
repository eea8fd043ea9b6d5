/* The parts of a core, as figures of a machine file.

   A figure of 0 (false) is one that the file does not give: the part then sets no bound.  docs/machines.md
   has the words of the file for each. */
#ifndef MACHINE_CORE_H
#define MACHINE_CORE_H
#include <stdbool.h>
#include <stdint.h>

enum { MOST_LOOP_COPIES = 64, ANY_NUMBER = 255, MOST_QUEUES = 8, MOST_COMPLEX_POPS = 4 };

/* Ports that share one scheduler, and how many µops wait in it at most. */
struct machine_queue {
    uint32_t ports;
    unsigned size;
};

/* How the port of a µop is chosen when it is issued, by the µops that wait for each (uiCA): the fewest in
   even slots of the cycle and the second fewest in odd ones; the fewest, then the others one after the other;
   one after the other from the fewest up, for µops with the same choice. */
enum machine_port_choice { port_choice_NONE, port_choice_SECOND, port_choice_IN_TURN, port_choice_SPREAD };

struct machine_core {
    /* Predecoder: one aligned window of so many bytes a cycle, so many instructions of it; what a
       length-changing prefix costs. */
    unsigned predecode_bytes, predecode_width;
    double length_change;
    unsigned instruction_queue;
    /* Decoders, the first of which is the complex one; the µops that it yields at most, beyond which the
       microcode sequencer takes over; the µops that all yield in a cycle at most. */
    unsigned decoders, complex_uops, decode_uops;
    bool fuses_on_last_decoder; /* an instruction that may fuse with a branch may sit on the last decoder */
    const char
        *complex_pops[MOST_COMPLEX_POPS]; /* registers whose pop needs the complex decoder; NULL: no more */
    unsigned complex_pop_decoders;        /* simple ones that are free beside it */
    double microcode_switch;              /* from the decoders to the microcode sequencer and back */
    double microcode_switch_cached;       /* from the µop cache and back */
    /* µop cache: µops a cycle, bytes of code that a set of lines holds, lines of it, µops of a line. */
    unsigned cache_width, cache_block, cache_lines, cache_line_uops;
    bool cache_in_pairs;        /* both halves of 64 bytes must fit */
    bool cache_without_borders; /* a branch that crosses or ends on a border is not cached */
    unsigned decode_queue;
    unsigned loop_buffer;                  /* µops of a loop that it replays at most */
    uint8_t loop_copies[MOST_LOOP_COPIES]; /* by µops of the loop: iterations it is unrolled to; 0: 1 */
    unsigned issue, retire;                /* fused µops of a cycle */
    bool keeps_pairs;                      /* an index does not split what is fused with a branch */
    unsigned splits, split_reach; /* µops of a cycle that renaming splits; only among so many first ones */
    unsigned reorder_buffer, scheduler; /* µops */
    enum machine_port_choice port_choice;
    unsigned late_operands; /* cycles, from the first in which a µop could start: a last operand that comes in
                               one of them costs it another */
    struct machine_queue queues[MOST_QUEUES]; /* schedulers of some ports alone, if there are such */
    unsigned queue_count;
    /* Moves that are eliminated at a time: 0 none, ANY_NUMBER. */
    unsigned eliminates_general, eliminates_vector;
    unsigned elimination_delay;   /* cycles after which the slots that moves took count */
    bool keeps_elimination_slots; /* of general registers, until the last name is gone */
    bool high_bytes_apart;        /* ah, bh, ch and dh are renamed apart from the rest of their register */
    bool has_stack_engine; /* pushes and pops move the stack pointer at no cost; its use after them costs a
                              µop */
    bool merges_flags;     /* reading flags that two instructions wrote costs nothing more */
    /* Memory.  An access wider than load_bytes or store_bytes holds its port for another cycle. */
    unsigned load_bytes, store_bytes;
    uint32_t load_ports, address_ports, store_ports; /* bits: ports that load; that take the addresses, and
                                                        the data of stores */
    unsigned load_banks; /* loads of one bank meet in a cycle: banks of the first-level cache */
    double forward,
        forward_vector;    /* from a stored value to a load of it: cycles, for general and vector registers */
    double forward_failed; /* where the load is not within the store */
    bool renames_memory;   /* such a value takes no time if no index is in either address */
    unsigned wide_load, wide_loads; /* with a load of more bytes than this, a cycle has so many at most */
    unsigned load_line;             /* a load across a border of so many bytes takes two turns */
    unsigned store_line;    /* stores of one cycle follow each other and are in one line of so many bytes */
    unsigned branch_border; /* a jump across a border of so many bytes takes a cycle more */
    double pointer_bonus; /* a load whose base comes straight from a load is so much faster, with no index */
    unsigned pointer_reach; /* and a displacement below this */
    unsigned vector_bits;
    unsigned vector_registers; /* that instructions can name */
    bool blends_upper_halves; /* SSE code that runs with upper halves in use keeps them: its instructions wait
                                 for the old values of the registers that they write */
    double transition;        /* cycles of a switch between SSE and AVX code with upper halves in use */
    double clock;             /* GHz */
    bool is_in_order;
    unsigned issue_every;  /* in order: a thread issues once in so many cycles; 0: in each */
    unsigned address_wait; /* in order: from the issue of an instruction until its result can be in an address
                            */
};
#endif
