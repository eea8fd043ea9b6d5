/* Rows of findings on their way from the process that ran an analysis (base/apart.h), which may be a
   stranger's, to Assay, which writes them into the database. What comes is believed no more than a file. */
#ifndef STORE_FINDING_ROWS_H
#define STORE_FINDING_ROWS_H
#include "base/error.h"

#include <sqlite3.h>
#include <stdint.h>
#include <stdio.h>

enum finding_id { FINDING_FUNCTION, FINDING_LOOP, FINDING_BLOCK, FINDING_INSTRUCTION, FINDING_IDS };
enum finding_text { FINDING_NAME, FINDING_FILE, FINDING_TEXT, FINDING_TEXTS };

struct finding_row {
    int64_t ids[FINDING_IDS]; /* 0: not given */
    int64_t line;
    char *texts[FINDING_TEXTS]; /* NULL: not given. FINDING_NAME: of a function without id */
};

/* All rows of a statement, recognised by the names of its columns (findings.h). */
bool finding_rows_print(sqlite3_stmt *statement, FILE *out, struct error *error);
/* The next row, to be freed; false: there is none, and the error is set if that is not the end. */
bool finding_row_read(FILE *in, struct finding_row *row, struct error *error);
void finding_row_free(struct finding_row *row);
#endif
