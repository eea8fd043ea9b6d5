/* A machine file from measurements.

   What was measured stands behind `from measured …`.  What was not is taken from the known core that is
   nearest: facts, ports where none were found, and by `like` the forms without a test; all of that is behind
   `from assumed, as X`.  The text is put together line by line in the words of machine files, read by the
   reader of machine files and written by their writer: a word that these do not know cannot get into it. */
#ifndef GAUGE_MACHINE_FILE_H
#define GAUGE_MACHINE_FILE_H
#include "gauge/bench.h"
#include "gauge/findings.h"

struct gauge_ports;

/* What a file is made from. */
struct gauge_evidence {
    struct gauge_bench *bench;
    const struct array *figures;     /* of struct gauge_figure, beside `nearest` */
    const struct array *findings;    /* of struct gauge_finding */
    const struct array *words;       /* of struct gauge_form_word */
    const struct array *queues;      /* of struct gauge_queue */
    const struct gauge_ports *ports; /* NULL: not found */
    uint8_t port_names[32];          /* place among the nearest core's, of each port that was found */
    const struct machine *nearest;   /* known core, with all that its model has */
    bool is_known;                   /* it is the computer's own */
    const char *name;                /* of the file */
};

/* For people. */
struct gauge_file_counts {
    size_t forms;   /* with figures that were measured */
    size_t missing; /* that the processor does not have */
    size_t latencies, throughputs;
    size_t unsteady;      /* figures with a spread above 1 % */
    size_t untested;      /* forms without a test */
    size_t facts;         /* measured */
    size_t assumed_facts; /* of the nearest core */
    double clock;         /* GHz */
    bool has_ports;       /* they were found */
};

/* All figures that files written by Assay have: the fact `figures`. */
extern const char gauge_file_figures[];
/* Whether assay bench wrote a file, by its text. */
bool gauge_file_is_ours(const char *text);

/* The text of the file, to be freed; NULL with an error: Assay cannot read what it wrote, which is a bug. */
char *gauge_machine_file(const struct gauge_evidence *evidence, struct gauge_file_counts *counts,
                         struct error *error);

/* file_ports.c: names for ports that were found, as places among the nearest core's; false: there are more
 * than it has.
 */
bool gauge_name_ports(const struct gauge_ports *ports, const struct machine *nearest, uint8_t names[32]);

/* nearest.c: the known core that a computer is, by what it reports, or the one whose figures are nearest to
   what was measured; machines that assay bench wrote do not count.  NULL: there is none.  *distance gets the
   mean of |ln(measured / expected)|; NaN where the computer itself is known. */
struct machine *gauge_nearest(struct gauge_bench *bench, const char *const *directories,
                              size_t directory_count, double *distance);
#endif
