/* Listings of instructions with their source lines, loops and targets: from a database alone or from a model
 * in memory. */
#ifndef SHOW_REPORT_ASM_H
#define SHOW_REPORT_ASM_H
#include "show/report/common/style.h"
#include <sqlite3.h>

enum asm_part { asm_FUNCTION, asm_LOOP, asm_BLOCK, asm_SECTION };

struct asm_selection {
    enum asm_part part;
    int64_t id;
};

struct asm_options {
    bool without_bytes, without_source;
    struct trust *trust; /* sources are read where it allows (base/trust.h) */
};

/* A listing for people.  A section's bytes outside of instructions are listed as data. */
bool report_asm(sqlite3 *connection, const struct asm_selection *selections, size_t count,
                const struct asm_options *options, const struct report_style *style, FILE *out,
                struct error *error);
/* The bytes themselves.  For a section this fails where the tables do not hold every byte of it. */
bool report_raw(sqlite3 *connection, const struct asm_selection *selection, FILE *out, struct error *error);
#endif
