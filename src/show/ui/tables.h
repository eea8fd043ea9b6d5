/* Connections to one database, kept open between requests: opening one checks the whole schema, and a
   connection that was used before has the pages of the file that it needs again.

   The file must stay as it is.  A database that somebody replaced, changed or removed has other ids or none,
   so that from then on every request gets an error that says so. */
#ifndef SHOW_UI_TABLES_H
#define SHOW_UI_TABLES_H
#include "store/store.h"

struct ui_tables;

struct ui_tables *ui_tables_begin(const char *path, struct error *error);
/* A new connection with the SQL functions of reports and limits on what a statement may be, which the caller
   closes. */
struct store *ui_tables_open(const char *path, struct error *error);
/* A connection for one request, of the same kind; NULL and an error if there is none to be had. */
struct store *ui_tables_take(struct ui_tables *tables, struct error *error);
void ui_tables_give(struct ui_tables *tables, struct store *store);
/* A number that a query gave before: the tables never change, and counting rows of large ones takes time.
   Only queries without parameters. */
bool ui_tables_recall(struct ui_tables *tables, const char *query, int64_t *number);
void ui_tables_note(struct ui_tables *tables, const char *query, int64_t number);
/* The same of a part of a page that says nothing but what the tables do, by any name; to be freed. NULL: it
   was not noted. */
char *ui_tables_recall_text(struct ui_tables *tables, const char *name);
void ui_tables_note_text(struct ui_tables *tables, const char *name, const char *text);
/* All connections were given back. */
void ui_tables_end(struct ui_tables *tables);
#endif
