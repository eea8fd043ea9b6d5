/* Names, places and figures as pages show them: each leads to its own page.

   A name from a file is shown as in the source, shortened by whole parts of it, with the whole name as its
   title. */
#ifndef SHOW_UI_CELLS_H
#define SHOW_UI_CELLS_H
#include "show/ui/request.h"

/* Prepares a query; NULL: the error is set. */
sqlite3_stmt *ui_ask(const struct ui_request *request, const char *sql, struct error *error);
/* The first column of the first row; 0 if there is none. */
int64_t ui_ask_number(const struct ui_request *request, const char *sql);
/* The same of the row that ?1 names. */
int64_t ui_ask_number_of(const struct ui_request *request, const char *sql, int64_t id);
/* The same, asked once for all requests: it must depend on nothing but the tables. */
int64_t ui_recall_number(const struct ui_request *request, const char *sql);
const char *ui_column(sqlite3_stmt *statement, int column);

/* The name as in the source; to be freed. */
char *ui_name(const struct ui_request *request, const char *name);
/* `<a href="/1/function/12" title="…">Matrix::solve</a>`; id 0: without a link. */
void ui_print_function(const struct ui_request *request, FILE *out, int64_t id, const char *name);
/* The same for a loop; the text is the name of its function. */
void ui_print_loop(const struct ui_request *request, FILE *out, int64_t id, const char *name);
/* `/1/loop/12?machine=zen4`. */
void ui_print_loop_address(const struct ui_request *request, FILE *out, int64_t id);
/* `solve.c:40-52`, a link to the source; without a file: the address; without both: nothing. */
struct ui_place {
    int64_t file; /* row of files; 0: unknown */
    const char *path;
    int64_t first_line, last_line;
    int64_t address; /* less than 0: unknown */
};
void ui_print_place(const struct ui_request *request, FILE *out, const struct ui_place *place);
/* Cells of tables: a count, or nothing for NULL; a figure with so many decimals; a share. */
void ui_print_count_cell(FILE *out, sqlite3_stmt *statement, int column);
void ui_print_figure_cell(FILE *out, sqlite3_stmt *statement, int column, int decimals);
void ui_print_share_cell(FILE *out, sqlite3_stmt *statement, int column);
#endif
