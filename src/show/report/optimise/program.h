/* The answer of assay optimise --program: what to change in the build, what that saves of a run, what it risks; then
   all that was tried. */
#ifndef SHOW_REPORT_OPTIMISE_PROGRAM_H
#define SHOW_REPORT_OPTIMISE_PROGRAM_H
#include "change/optimise/program/program.h"
#include "show/report/common/style.h"

struct optimise_program_view {
    const struct program_answer *answer;
    const struct array *units; /* of struct program_unit; NULL: a command builds */
    const char *program;       /* its name */
    const char *run;           /* the command that runs it, as the user has it */
    const char *tolerance;     /* as it was asked for; NULL: bit for bit */
    const char *applied;       /* file of --apply that was written; NULL: none */
    bool has_hot;              /* hot units were known */
};
void report_program_text(const struct optimise_program_view *view, const struct report_style *style,
                         FILE *out);
/* json: an object; csv: a row for each trial. */
void report_program_rows(const struct optimise_program_view *view, const struct report_style *style,
                         FILE *out);
/* What --apply writes: the line of --build-with, or commands that compile and link what was measured. */
void report_program_lines(const struct optimise_program_view *view, FILE *out);
#endif
