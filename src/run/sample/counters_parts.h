/* What the readers of files in data/counters/ share: counters.c (files), counters_lines.c (their lines). */
#ifndef RUN_SAMPLE_COUNTERS_PARTS_H
#define RUN_SAMPLE_COUNTERS_PARTS_H
#include "run/sample/counters.h"

/* For errors. */
struct counter_place {
    const char *path;
    unsigned line;
};
bool counters_complain(const struct counter_place *place, const char *what, struct error *error);

/* What the head of a file says, for each of its lines. */
struct counter_head {
    const char *file;
    const struct counter_processors *processors;
    bool is_there; /* it has a line pmu */
    bool is_wanted;
};

/* A copy that lives as long as the tree. */
const char *counters_keep(struct counter_tree *tree, const char *text, size_t length);
/* Appends a line after the head; the text may be written to. */
bool counters_take_line(struct counter_tree *tree, const struct counter_head *head, char *text,
                        const struct counter_place *place, struct error *error);
#endif
