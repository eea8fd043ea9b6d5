/* Counters by name: trees of questions and events, from the files in counters/, for the processors that
   libpfm4 knows.

   A file is text.  `pmu NAME…` names the units it is for, as libpfm4 calls them; `cpuid FAMILY MODEL…` or
   `midr IMPLEMENTER PART…` the processors, as in machine files; a line without = is a question; a line `name
   = EVENT: sentence` is a counter.  Before the colon may stand `every N` (each Nth event is a sample),
   `counts WHAT` (what assay bench takes it for: µops issued, retired or executed, or those of ports such as
   p23) and `raw NUMBER` (the event as the processor numbers it, for computers whose libpfm4 does not know it,
   and for runners, which have none).  Indentation makes the tree.  docs/counters.md has an example. */
#ifndef RUN_SAMPLE_COUNTERS_H
#define RUN_SAMPLE_COUNTERS_H
#include "model/model.h"
#include "run/sample/sampler.h"

/* Those of a line `cpuid` or `midr`, as numbers. */
enum { MOST_COUNTER_MODELS = 24 };
struct counter_processors {
    enum isa isa; /* NONE: the file has no such line */
    uint32_t family;
    uint32_t models[MOST_COUNTER_MODELS];
    unsigned count;
};

struct counter_line {
    unsigned depth;
    const char *file;     /* its name in data/counters/ */
    const char *name;     /* NULL: a question */
    const char *event;    /* as libpfm4 names it */
    const char *sentence; /* or the question */
    uint64_t period;      /* 0: as many samples a second as for time */
    const char *counts;   /* issued, retired, executed, p23 …; NULL: assay bench has no use for it */
    uint64_t raw;         /* 0: the file does not say */
    const struct counter_processors *processors; /* of the file; NULL: any */
    bool is_here;                                /* this computer counts it, for this user */
    const char *why_not;                         /* if not: a reason in words */
    struct sample_wish wish;
};
struct counter_tree {
    struct array lines; /* of struct counter_line */
    struct arena texts;
    bool has_processor; /* the processor's own counters can be used */
    const char *unit;   /* the processor's unit, in words; NULL: libpfm4 does not know it */
};

/* The trees for this computer: of its core, then generic, then of the kernel.  The error names file and line
   of a bad line. */
bool counters_read(struct counter_tree *tree, const char *const *folders, size_t folder_count,
                   struct error *error);
/* The lines with `counts` of all files for processors of an instruction set, or for any, that can be encoded
   without knowing the computer: by their raw numbers, or as events of the kernel.  Nothing is tried here. */
bool counters_read_for(struct counter_tree *tree, enum isa isa, const char *const *folders,
                       size_t folder_count, struct error *error);
void counters_free(struct counter_tree *tree);
/* The counters of a list "cycles,l1d_miss": by their names in the tree, else as libpfm4 names events
   (arm_v1::STALL_BACKEND) or as r followed by a hexadecimal number.  Wishes: of struct sample_wish, whose
   names are in the tree's texts.  The error says what is not known, or not here and why. */
bool counters_find(struct counter_tree *tree, const char *list, struct array *wishes, struct error *error);

/* counters_names.c: what perf_event_open wants for an event, by libpfm4.  false: it does not know the event;
   why gets its words. */
bool counters_encode(const char *event, struct sample_wish *wish, const char **why);
/* Whether libpfm4 found this unit in the computer; *words gets its description (static text of libpfm4). */
bool counters_have_unit(const char *unit, const char **words);
/* counters_events.c: why the kernel refused, from what perf_event_open said. */
const char *counters_refusal(int number);
/* Whether the kernel counts it for us; else why not, in words. */
bool counters_open(const struct sample_wish *wish, const char **why);
#endif
