/* A processor as its machine file describes it: parts of the core in words, and a line for each form. */
#ifndef SHOW_REPORT_MACHINE_H
#define SHOW_REPORT_MACHINE_H
#include "code/machine/machine.h"
#include "show/report/common/style.h"

/* Whether a form is shown. */
typedef bool machine_filter(void *context, const char *form);

struct machine_view {
    const struct machine *machine;
    const struct machine *host; /* this computer, with the extensions it has; NULL: unknown */
    bool without_core;          /* only forms */
    machine_filter *filter;     /* NULL: all forms */
    void *context;
};

/* One processor: for people, a json object, or csv with a row for each form. */
void report_machine(const struct machine_view *view, const struct report_style *style, FILE *out);

/* The machine in a sentence, with missing extensions and where it comes from: "neoverse-v1 without SVE (Arm
 * Neoverse V1), this computer's: its kernel reports no SVE; choose another with --machine". To be freed. */
char *report_machine_words(const struct machine *machine, bool is_named, bool is_host);

/* A line of the list of processors. */
struct machine_line {
    const struct machine *machine; /* NULL: its file cannot be read */
    const char *name, *problem;
    const struct machine *host; /* this computer, where this is its processor; else NULL */
};
void report_machines(const struct machine_line *lines, size_t count, const struct report_style *style,
                     FILE *out);

#endif
