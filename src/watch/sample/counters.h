/* Counters by name: trees of questions and events, from the files in counters/, for the processors that
   libpfm4 knows.

   A file is text.  `pmu NAME…` names the units it is for, as libpfm4 calls them; a line without = is a
   question; a line `name = EVENT: sentence` is a counter, with `every N` before the colon where each Nth
   event is a sample.  Indentation makes the tree.  docs/counters.md has an example. */
#ifndef WATCH_SAMPLE_COUNTERS_H
#define WATCH_SAMPLE_COUNTERS_H
#include "watch/sample/sampler.h"

struct counter_line {
    unsigned depth;
    const char *file;     /* its name in counters/ */
    const char *name;     /* NULL: a question */
    const char *event;    /* as libpfm4 names it */
    const char *sentence; /* or the question */
    uint64_t period;      /* 0: as many samples a second as for time */
    bool is_here;         /* this computer counts it, for this user */
    const char *why_not;  /* if not: a reason in words */
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
void counters_free(struct counter_tree *tree);
/* The counters of a list "cycles,l1d_miss": by their names in the tree, else as libpfm4 names events
   (arm_v1::STALL_BACKEND) or as r followed by a hexadecimal number.  Wishes: of struct sample_wish, whose
   names are in the tree's texts.  The error says what is not known, or not here and why. */
bool counters_find(struct counter_tree *tree, const char *list, struct array *wishes, struct error *error);

/* counters_events.c: what perf_event_open wants for an event, by libpfm4.  false: it does not know the event;
   why gets its words. */
bool counters_encode(const char *event, struct sample_wish *wish, const char **why);
/* Whether libpfm4 found this unit in the computer; *words gets its description (static text of libpfm4). */
bool counters_have_unit(const char *unit, const char **words);
/* Whether the kernel counts it for us; else why not, in words. */
bool counters_open(const struct sample_wish *wish, const char **why);
#endif
