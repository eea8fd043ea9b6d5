/* A machine file from measurements.

   What was measured stands after `from measured …`.  What was not is taken from the known core that is
   nearest: facts, ports where none were found, and by `like` the forms without a test; all of that is after
   `from assumed, as X`.  The text is put together line by line in the words of machine files, read by the
   reader of machine files and written by their writer: a word that these do not know cannot get into it. */
#ifndef RUN_BENCH_MACHINE_FILE_H
#define RUN_BENCH_MACHINE_FILE_H
#include "run/bench/bench.h"
#include "run/bench/findings.h"

struct bench_ports;

/* What a file is made from. */
struct bench_evidence {
    struct bench_session *bench;
    const struct array *figures;     /* of struct bench_figure, beside `nearest` */
    const struct array *findings;    /* of struct bench_finding */
    const struct array *words;       /* of struct bench_form_word */
    const struct array *queues;      /* of struct bench_queue */
    const struct bench_ports *ports; /* NULL: not found */
    uint8_t port_names[32];          /* place among the nearest core's, of each port that was found */
    const struct machine *nearest;   /* known core, with all that its model has */
    bool is_known;                   /* it is the computer's own */
    const char *name;                /* of the file */
};

/* A form whose ports were found otherwise than they are counted. */
struct bench_port_difference {
    const struct bench_form *form;
    double misplaced;              /* µops that are counted elsewhere */
    char found[192], counted[192]; /* counted: ports, or µops by port where that is not clear */
    bool is_settled;               /* it is clear, and the file has it */
};

/* For people. */
struct bench_file_counts {
    size_t forms;   /* with figures that were measured */
    size_t missing; /* that the processor does not have */
    size_t latencies, throughputs;
    size_t unsteady;      /* figures with a spread above 1 % */
    size_t counted;       /* forms whose µops counters tell, */
    size_t counted_ports; /* and those whose ports agree with them */
    size_t untested;      /* forms without a test */
    size_t facts;         /* measured */
    size_t assumed_facts; /* of the nearest core */
    double clock;         /* GHz */
    bool has_ports;       /* they were found */
};

/* All figures that files written by Assay have: the fact `figures`. */
extern const char bench_file_figures[];
/* Whether assay bench wrote a file, by its text. */
bool bench_file_is_ours(const char *text);

/* The text of the file, to be freed; NULL with an error: Assay cannot read what it wrote, which is a bug. */
char *bench_machine_file(const struct bench_evidence *evidence, struct bench_file_counts *counts,
                         struct error *error);

/* file_ports.c: names for ports that were found, as places among the nearest core's; false: there are more
   than it has.  Figures: of struct bench_figure, whose counts say more about names than the nearest core;
   NULL: none. */
bool bench_name_ports(const struct bench_ports *ports, const struct machine *nearest,
                      const struct array *figures, uint8_t names[32]);
/* file_counts.c: ports that were found beside those that are counted; differences: of struct
   bench_port_difference, the worst first.  How many forms have both. */
size_t bench_compare_ports(const struct bench_evidence *evidence, struct array *differences);
/* The ports that have a share of the µops of a figure; 0: they are not counted. */
uint32_t bench_counted_ports(const struct bench_figure *figure, const struct machine *machine);

/* nearest.c: the known core that a computer is, by what it reports, or the one whose figures are nearest to
   what was measured; machines that assay bench wrote do not count.  NULL: there is none.  *distance gets the
   mean of |ln(measured / expected)|; NaN where the computer itself is known. */
struct machine *bench_nearest(struct bench_session *bench, const char *const *directories,
                              size_t directory_count, double *distance);
#endif
