/* What the files share that make a machine file (machine_file.c, file_forms.c, file_ports.c). */
#ifndef GAUGE_FILE_PARTS_H
#define GAUGE_FILE_PARTS_H
#include "gauge/machine_file.h"
#include "gauge/ports/ports.h"

/* A form and its figures, in a row. */
struct gauge_form_line {
    const struct gauge_form *form;
    const struct gauge_figure *figures;
    size_t count;
};

enum gauge_line_kind {
    line_NONE,
    line_MEASURED,             /* ports found from mixes */
    line_COUNTED,              /* µops and ports as counted */
    line_UOPS_COUNTED,         /* µops counted, ports found */
    line_UOPS_COUNTED_ASSUMED, /* µops counted, ports assumed */
    line_PORTS_ASSUMED,
    line_MISSING
};

/* file_forms.c: the line of a form, without its end; line_NONE: nothing is known, and nothing written. */
enum gauge_line_kind gauge_write_form(const struct gauge_evidence *evidence,
                                      const struct gauge_form_line *line, FILE *out);
/* Cycles as a file has them: whole or half ones, where the spread allows it. */
double gauge_round_cycles(double cycles, double spread);
bool gauge_is_measured(const struct gauge_figure *figure);

/* file_ports.c: ports that were found, under the names of the nearest core. */
struct gauge_found_ports {
    bool is_found;
    unsigned uops;   /* issued */
    char ports[192]; /* as a file has them */
    double divider;  /* cycles; 0: none */
};
/* Of a form; not found where its mixes are not explained. */
struct gauge_found_ports gauge_ports_for(const struct gauge_evidence *evidence, const char *form);
/* The same as uses of the nearest core's ports; 0: not found. */
unsigned gauge_found_uses(const struct gauge_evidence *evidence, const char *form,
                          struct gauge_port_use uses[MOST_PORT_USES]);

/* file_counts.c: what counters say of a form. */
struct gauge_counted_ports {
    unsigned uops;   /* issued; 0: not counted */
    bool has_ports;  /* they agree with the counts */
    char ports[192]; /* as a file has them */
};
struct gauge_counted_ports gauge_counted_for(const struct gauge_evidence *evidence,
                                             const struct gauge_form_line *line,
                                             const struct machine_form *known);
#endif
