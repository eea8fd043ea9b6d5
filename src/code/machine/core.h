/* The parts of a core, as figures of a machine file.

   core.def lists them: the words of the file, the members of the record, and their documentation.  A figure
   of 0 (false) means that the file does not give it: then this part sets no bound. */
#ifndef CODE_MACHINE_CORE_H
#define CODE_MACHINE_CORE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    MOST_LOOP_COPIES = 64,
    ANY_NUMBER = 255,
    MOST_QUEUES = 8,
    MOST_DISPATCHED = 32,
    MOST_COMPLEX_POPS = 4
};

/* Ports that share one scheduler, and how many µops wait in it, or enter it in a cycle, at most. */
struct machine_queue {
    uint32_t ports;
    unsigned size;
};

/* How the port of a µop is chosen when it is issued, by the µops that wait for each (uiCA): the fewest in
   even slots of the cycle and the second fewest in odd ones; the fewest, then the others one after the other;
   one after the other from the fewest up, for µops with the same choice. */
enum machine_port_choice {
    port_choice_NONE,
    port_choice_SECOND,
    port_choice_IN_TURN,
    port_choice_SPREAD,
    port_choice_FEWEST,
    port_choice_COUNT
};
extern const char *const port_choice_words[port_choice_COUNT]; /* as the file spells them */

struct machine_core {
#define COUNT(member, sentence) unsigned member;
#define CYCLES(member, sentence) double member;
#define PORTS(member, sentence) uint32_t member;
#define FLAG(member, sentence) bool member;
#define MOVES(member, sentence) unsigned member;
#define OTHER(name, sentence, declaration) declaration;
#include "code/machine/core.def"
};

/* The rows of core.def: a word of the file, then its members. */
enum core_kind {
    core_FACT,
    core_COUNT,
    core_CYCLES,
    core_PORTS,
    core_FLAG,
    core_MOVES,
    core_OTHER /* the lines of the word, as the file has them */
};

struct core_row {
    enum core_kind kind;
    const char *name;     /* the word, or the member */
    const char *sentence; /* for people; NULL for a word */
    size_t offset;        /* in struct machine_core */
};
extern const struct core_row core_rows[];
extern const unsigned core_row_count;
#endif
