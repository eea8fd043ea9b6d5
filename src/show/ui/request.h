/* What a page is asked, and what it answers. */
#ifndef SHOW_UI_REQUEST_H
#define SHOW_UI_REQUEST_H
#include "store/store.h"
#include "show/ui/ui.h"

#include <stdio.h>

/* One of the files that are open.  It never changes: when its report is complete, requests get another
   subject with the same number, whose ids are the same. */
struct ui_subject {
    unsigned number;            /* in addresses, from 1 */
    const char *path, *name;    /* as the user named it; its last part */
    const char *database;       /* file with its tables */
    bool has_report;            /* the tables of the report are there */
    bool is_working;            /* another process is computing them */
    const char *problem;        /* why there is neither; NULL: no problem */
    const struct ui_work *work; /* how far that process is; NULL: there is none */
    struct workshop *workshop;  /* workshop.h */
    struct ui_names *names;     /* names.h */
    struct ui_calls *calls;     /* calls.h */
    struct ui_tables *tables;   /* tables.h */
};

struct ui_request {
    struct ui *ui;
    const struct ui_options *options;
    const struct ui_subject *subject; /* of /N/…; NULL for other addresses */
    unsigned subject_count;
    const char *rest; /* of the address after the route: "12" of /1/loop/12 */
    const char *body; /* of a POST, ended by zero */
    size_t body_size;
    /* SQL over the subject's tables, read-only, with limits on time and memory; NULL without a subject. */
    struct store *store;
    sqlite3 *connection;
    const struct ui_machines *machines; /* machines.h */
    struct running *running;            /* queries that can be stopped: running.h */
    struct running_query *query;        /* this one, if it is one */
    struct desk *desk;                  /* answers texts of users: base/desk.h */
    struct desk *judges;                /* asks metrics and rules of users: judging.h */
    struct ui_budget *budget;           /* what the request may take: budget.h */
    const void *transport;              /* server.c's own */
    const struct array *given; /* of struct analysis_value: the parameters, if there is no transport */
};

/* A parameter of the address (?machine=zen4); NULL: not given. */
const char *ui_parameter(const struct ui_request *request, const char *name);
/* The same as a number; `otherwise` if it is missing or not a number. */
int64_t ui_number(const struct ui_request *request, const char *name, int64_t otherwise);
/* Calls take with every parameter of the address, in order. */
typedef void ui_take_parameter(void *context, const char *name, const char *value);
void ui_each_parameter(const struct ui_request *request, ui_take_parameter *take, void *context);
/* A word in an address: everything but letters, digits and -._~ becomes %xx. */
void ui_print_encoded(FILE *out, const char *text);
/* The number that the rest of the address is; 0: it is not one. */
int64_t ui_rest_number(const struct ui_request *request);
/* The other files that are open, from 1; NULL: no such number. */
const struct ui_subject *ui_subject(const struct ui_request *request, unsigned number);

struct ui_answer {
    FILE *out;             /* the text; a page that fails is dropped as a whole */
    unsigned status;       /* 200 unless set */
    const char *type;      /* "text/html; charset=utf-8" unless set */
    const char *file_name; /* a file to be saved under this name; NULL: shown */
    const char *location;  /* redirects there (with 303); NULL: not */
};

/* An answer; false: the error is shown instead, with answer->status if set, else 404 for an error about the
 * address (ui_missing) and 500. */
typedef bool ui_page(struct ui_request *request, struct ui_answer *answer, struct error *error);
/* "there is no loop 12 in prog": false, with the status 404. */
bool ui_missing(struct ui_answer *answer, struct error *error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Rows of a query as {"columns":[…],"rows":[[…],…]}; parameters ?1 … are numbers. */
bool ui_json_rows(struct ui_request *request, struct ui_answer *answer, const char *sql,
                  const int64_t *parameters, unsigned count, struct error *error);
/* A value of a row; blobs in hexadecimal, integers beyond 2^53 as strings. */
void ui_json_value(FILE *out, sqlite3_stmt *statement, int column);
/* A JSON string with its quotes. */
void ui_json_string(FILE *out, const char *text);

/* frame.c: everything around the content of a page.  `here` is the place of the navigation that the page
   belongs to (`places` of frame.c: start, loops, functions, …; NULL: none); scripts and styles: names of
   static/ files, up to NULL, besides those of the frame. */
void ui_begin_page(struct ui_request *request, struct ui_answer *answer, const char *title, const char *here,
                   const char *const *files);
void ui_end_page(struct ui_request *request, struct ui_answer *answer);
/* A whole page that says what did not work; request NULL: without navigation. */
void ui_error_page(const struct ui_request *request, struct ui_answer *answer, const char *words);
#endif
