/* What the files share that make a machine file (machine_file.c, file_forms.c, file_ports.c). */
#ifndef RUN_BENCH_FILE_PARTS_H
#define RUN_BENCH_FILE_PARTS_H
#include "run/bench/machine_file.h"
#include "run/bench/ports/ports.h"

/* A form and its figures, in a row. */
struct bench_form_line {
    const struct bench_form *form;
    const struct bench_figure *figures;
    size_t count;
};

enum bench_line_kind {
    line_NONE,
    line_MEASURED,             /* ports found from mixes */
    line_COUNTED,              /* µops and ports as counted */
    line_UOPS_COUNTED,         /* µops counted, ports found */
    line_UOPS_COUNTED_ASSUMED, /* µops counted, ports assumed */
    line_PORTS_ASSUMED,
    line_MISSING
};

/* file_forms.c: the line of a form, without its end; line_NONE: nothing is known, and nothing written. */
enum bench_line_kind bench_write_form(const struct bench_evidence *evidence,
                                      const struct bench_form_line *line, FILE *out);
/* Cycles as a file has them: whole or half ones, where the spread allows it. */
double bench_round_cycles(double cycles, double spread);
bool bench_is_measured(const struct bench_figure *figure);

/* file_ports.c: ports that were found, under the names of the nearest core. */
struct bench_found_ports {
    bool is_found;
    unsigned uops;   /* issued */
    char ports[192]; /* as a file has them */
    double divider;  /* cycles; 0: none */
};
/* Of a form; not found where its mixes are not explained. */
struct bench_found_ports bench_ports_for(const struct bench_evidence *evidence, const char *form);
/* The same as uses of the nearest core's ports; 0: not found. */
unsigned bench_found_uses(const struct bench_evidence *evidence, const char *form,
                          struct bench_port_use uses[MOST_PORT_USES]);

/* file_counts.c: what counters say of a form. */
struct bench_counted_ports {
    unsigned uops;   /* issued; 0: not counted */
    bool has_ports;  /* they agree with the counts */
    char ports[192]; /* as a file has them */
};
struct bench_counted_ports bench_counted_for(const struct bench_evidence *evidence,
                                             const struct bench_form_line *line,
                                             const struct machine_form *known);
#endif
