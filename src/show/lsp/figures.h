/* What is said of a loop in an editor. Texts are to be freed. */
#ifndef SHOW_LSP_FIGURES_H
#define SHOW_LSP_FIGURES_H
#include "show/lsp/documents.h"
#include "show/report/quality/rows.h"

struct figures {
    const struct quality_view *view;
    const struct document *document;
    struct places *places; /* reads sources */
    const char *older;     /* after each: "" or that the source is newer than the build */
};

/* "1.50 cycles, ports, 38 % of the time" */
char *figures_short(const struct figures *figures, const struct shown_loop *shown);
/* "1.50 cycles per iteration, limited by ports; 38 % of the time" */
char *figures_title(const struct figures *figures, const struct shown_loop *shown);
/* Figures, limits, ports, what the compiler says, findings. */
char *figures_hover(const struct figures *figures, const struct shown_loop *shown);
/* The page of the loop with its instructions; its name as a file. */
char *figures_assembly(const struct figures *figures, const struct shown_loop *shown);
char *figures_name(const struct figures *figures, const struct shown_loop *shown);
/* A finding: what was found, and what it gains. */
char *figures_finding(const struct figures *figures, const struct quality_finding *finding);

/* A line of the source as it was built: blanks at its start, and its length, in UTF-16; the line itself, or NULL. */
const char *figures_line(const struct figures *figures, uint32_t line, uint32_t *start, uint32_t *end,
                         size_t *length);
#endif
