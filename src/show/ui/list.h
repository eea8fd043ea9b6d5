/* Long tables in pages of the server: sorted by any column, filtered by the name of the function.

   A page of a list is an address (?sort=size&order=up&q=solve&page=3), so it can be sent to somebody, and the
   browser's way back works.  Links keep all other parameters.

   The rows of a page are chosen first, by what they are sorted by alone; only they are joined with all that
   is shown: 100,000 rows are sorted in the time of a click. */
#ifndef SHOW_UI_LIST_H
#define SHOW_UI_LIST_H
#include "show/ui/request.h"

struct list_column {
    const char *key;   /* in addresses; NULL: it cannot be sorted by */
    const char *word;  /* its heading */
    const char *order; /* what SQL sorts by */
    const char *join;  /* what that needs besides the rows themselves; NULL: nothing */
    bool is_figure;    /* the largest first */
    const char *title; /* of the heading; NULL: none */
};

struct ui_list {
    const struct list_column *columns;
    unsigned column_count;
    const char *usual;     /* key of the column that it is sorted by unless the address names another */
    const char *rows;      /* "loops l" */
    const char *id;        /* their id: "l.id" */
    const char *condition; /* "1", or what else holds of the rows */
    const char *function;  /* column with the id of the function whose name is filtered */
    const char *select;    /* what a row shows: "select …" */
    const char *join;      /* " join …", what that needs */
    const char *last;      /* sorts rows that are equal */
    const char *caption;
    void (*print_row)(const struct ui_request *request, FILE *out, sqlite3_stmt *row, const void *context);
    const void *context;
};

bool ui_print_list(struct ui_request *request, struct ui_answer *answer, const struct ui_list *list,
                   struct error *error);
/* The text box that filters, inside a form. */
void ui_print_filter(const struct ui_request *request, FILE *out, const char *label);
#endif
