/* Processors, as the files in data/machines/ describe them.

   A machine file is text: one fact a line, `name value…`, # starts a comment; docs/machines.md has the
   format, facts.def and core.def have the facts, forms.def has the words of forms.  What a machine does with
   bundles (Itanium) or with units alone (others) is plain data here; a figure of 0 means that the file does
   not give it. */
#ifndef CODE_MACHINE_MACHINE_H
#define CODE_MACHINE_MACHINE_H
#include "code/machine/caches.h"
#include "code/machine/core.h"
#include "code/machine/divisions.h"
#include "code/machine/extensions.h"
#include "code/machine/generation.h"
#include "code/machine/guards.h"
#include "code/machine/form.h"
#include "code/machine/origins.h"
#include "model/model.h"

enum {
    MOST_TEMPLATES = 16,
    MOST_PORTS = 32,
    MOST_MACHINE_NAMES = 16,
    MOST_HIDDEN = 48,
    MOST_FLAGS = 24,
    MOST_MNEMONICS = 256 /* of a block of forms */
};

/* When a second bundle issues in the cycle of a first one. */
enum {
    pair_ISSUES = 1,
    pair_INTEGER = 2,   /* if integer operations beyond the I units find M units */
    pair_NO_BRANCH = 4, /* if the first one's B slot is a no-op */
};

/* What the file says of one mnemonic. */
struct machine_instruction {
    const char *name;
    double latency; /* NaN: as its class */
    uint32_t ports; /* bits of the ports that take it; 0: as its slot */
};

/* What a processor calls itself: a line of the file, and its word. */
struct machine_identity_line {
    const char *word, *values;
};

/* An instruction whose operands decide how long it takes. */
struct machine_slow_form {
    const char *form; /* as encodings.form */
    double cycles;    /* from one to the next with the slowest operands */
};

struct machine {
    const char *name;      /* with what it is without: neoverse-v1+nosve */
    const char *base_name; /* of the file: neoverse-v1 */
    const char *title, *figures;
    const char *target; /* what compilers call it; NULL: not known */
    uint32_t without;   /* extensions that were taken from it (code/machine/extensions.h) */
    uint32_t features;  /* code/machine/generation.h; 0: the file does not say */
    uint32_t lacks;     /* extensions that its model never has, and those that go with them */
    const char *names[MOST_MACHINE_NAMES]; /* other names; NULL after the last */
    struct host_judgement host;            /* what it is to this computer: of machine_load_usual */
    enum isa isa;
    struct array identities; /* of struct machine_identity_line */
    /* Of a cycle, at most. */
#define FIGURE(word, member, sentence, says) double member;
#include "code/machine/facts.def"
    unsigned bundles; /* 0: this machine knows none */
    char templates[MOST_TEMPLATES][4];
    unsigned template_count;
    uint8_t pairs[MOST_TEMPLATES][MOST_TEMPLATES]; /* first, second: pair_ISSUES … or 0 */
    char ports[MOST_PORTS][4];
    unsigned port_count;
    double latency[class_COUNT][element_COUNT][2]; /* the last: of vectors */
    double busy[class_COUNT][element_COUNT][2];    /* cycles that it holds the one unit for it; 0: none */
    double load_to_address; /* latency of an integer load to an address; 0: the usual */
    double accumulate[class_COUNT][element_COUNT]; /* NaN: no faster through the operand that is added to */
    struct array instructions;                     /* of struct machine_instruction, by name */
    struct machine_core core;
    struct machine_cache caches[MOST_CACHES]; /* the nearest first */
    unsigned cache_count;
    struct machine_cache main_memory; /* behind the caches: level 0, without a size */
    struct gather_guard gather_guard;
    bool guards_gathers;           /* that guard is on: NAME+guarded-gathers */
    struct array slow_forms;       /* of struct machine_slow_form */
    struct array divisions;        /* of struct machine_division */
    bool is_complete;              /* every instruction that it has is in the table of forms */
    bool has_masks;                /* some form has a mask beside its operands */
    const char *flags[MOST_FLAGS]; /* flags that are renamed together, by name, */
    uint8_t
        flag_groups[MOST_FLAGS]; /* and the group that each is in, from 1; others are renamed one by one */
    unsigned flag_count, flag_group_count;
    const char *sibling;             /* the machine that missing forms are taken from, NULL for none */
    bool has_sibling_forms;          /* these are in forms */
    struct array sources;            /* of const char *: texts of `from`, by number from 1 */
    struct array origins;            /* of struct machine_origin: of facts that have one */
    const char *hidden[MOST_HIDDEN]; /* registers that forms name: slot_HIDDEN + place here */
    unsigned hidden_count;
    struct array forms;          /* of struct machine_form, in the order of the file */
    uint32_t *form_table;        /* places in forms + 1, by hash of the text; 0: empty */
    uint32_t form_table_size;    /* a power of two; 0: no forms */
    struct array form_ports;     /* of struct form_ports */
    struct array form_latencies; /* of struct form_latency */
    struct array form_words;     /* of const char * */
    struct arena texts;
    struct array files; /* of char *: texts of files that forms point into */
};

/* The figures of facts.def: what a cycle holds at most. */
struct machine_figure {
    const char *word, *sentence;
    size_t offset; /* in struct machine: a double */
};
extern const struct machine_figure machine_figures[];
extern const unsigned machine_figure_count;

/* By name, from the directories in order; the error names the nearest known ones.  Forms that the file lacks
   come from the file that it is `like`.  NAME+noWORD is a machine without an extension that it has otherwise.
 */
struct machine *machine_load(const char *name, const char *const *directories, size_t directory_count,
                             struct error *error);
/* From the text of a file alone; path is for errors.  Forms of a sibling are not taken: nobody says where it
 * is. */
struct machine *machine_parse(const char *path, const char *text, size_t size, struct error *error);
/* The same with the forms of siblings, from the directories. */
struct machine *machine_parse_in(const char *path, const char *text, size_t size,
                                 const char *const *directories, size_t directory_count, struct error *error);
void machine_free(struct machine *machine);
/* The machine to assume where nobody names one: the host if its ISA is this one and the directories have a
   file for it, without the extensions that it does not report; else the default of the ISA.  *is_host says
   which. */
struct machine_identity;
struct machine *machine_load_usual(enum isa isa, const struct machine_identity *host,
                                   const char *const *directories, size_t directory_count, bool *is_host,
                                   struct error *error);
/* Names of the machine files, each once, in order: of char *, to be freed with the array. */
struct array machine_names(const char *const *directories, size_t directory_count);
/* The same of the files that describe a computer, those of the first directory first. */
struct array machine_names_of(const struct machine_identity *computer, const char *const *directories,
                              size_t directory_count);
void machine_names_free(struct array *names);
/* Whether files have a fact of this word. */
bool machine_knows_fact(const char *word);
/* Letters, digits, - and _ only, and not too many. */
bool machine_is_name(const char *name);
/* Whether code for an ISA runs on the machine. */
bool machine_runs(const struct machine *machine, enum isa isa);

/* NULL where the file says nothing of this mnemonic. */
const struct machine_instruction *machine_instruction(const struct machine *machine, const char *name);
/* Cycles of a form with the slowest operands; 0: its operands do not decide, or the file does not say so. */
double machine_slow_form(const struct machine *machine, const char *form);
/* Number of a template, -1 where the machine has none of that name. */
int machine_template(const struct machine *machine, const char *name);
/* The ports whose names start with a letter, as bits. */
uint32_t machine_ports(const struct machine *machine, char letter);
#endif
