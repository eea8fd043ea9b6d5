/* Results of requests about a document, as JSON. */
#ifndef SHOW_LSP_ANSWERS_H
#define SHOW_LSP_ANSWERS_H
#include "show/lsp/figures.h"

#include <stdio.h>

/* Lines from 0. */
struct answer_range {
    uint32_t first, last;
};
/* The loop at a line: the one with the fewest lines around it; loop 0: none. */
struct shown_loop answer_loop_at(const struct figures *figures, uint32_t line);

void answer_hints(const struct figures *figures, const struct answer_range *range, FILE *out);
void answer_lenses(const struct figures *figures, FILE *out);
void answer_hover(const struct figures *figures, uint32_t line, bool is_markdown, FILE *out);
void answer_actions(const struct figures *figures, const struct answer_range *range, FILE *out);
/* The list of textDocument/publishDiagnostics. */
void answer_diagnostics(const struct figures *figures, FILE *out);
#endif
