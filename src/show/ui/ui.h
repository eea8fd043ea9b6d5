/* assay ui: a local page about one or more programs.

   A server for one person.  cli/ui.c turns every file that was named into a database (a program is written to
   a private folder first), so that everything here reads databases and nothing else: a page is a function
   from a request to a text, asks read-only connections in SQL, and has nothing to wait for.  What is computed
   on demand (the loops of a function on another machine) comes from the workshop (workshop.h), which loads
   the code of single functions.

   The way of a request:

       server.c    libmicrohttpd; who may ask (token, Host, Origin: gate.c), limits; a thread pool
         ─► routes.c    the table of addresses (routes.def): which function answers
         ─► subjects.c  the files that are open, and which database of each; tables.c: its connections
         ─► pages/…     writes the answer by functions of show/report/, between ui_begin_page and ui_end_page
         ─► static/…    styles and scripts, compiled in by tools/files-to-c

   Addresses: / lists what is open; /N/ is the start page of the N-th file, /N/loop/ID, /N/function/ID and so
   on are about it. Every page can be read without its script, but for the editor and the graphs. */
#ifndef SHOW_UI_UI_H
#define SHOW_UI_UI_H
#include "base/error.h"
#include "base/memory.h"
#include "base/trust.h"

#include <stdbool.h>
#include <stdint.h>

/* How far the tables of the report are: shared memory, written by the process that computes them. */
enum ui_stage { ui_stage_WAITING, ui_stage_WORKING, ui_stage_DONE, ui_stage_FAILED };
struct ui_work {
    _Atomic(int) stage;     /* enum ui_stage */
    _Atomic(unsigned) done; /* in thousandths */
    char problem[1000];     /* with ui_stage_FAILED; set before it */
};

/* A program, a listing or a database, as the user named it, and where its tables are. */
struct ui_source {
    const char *path;           /* as it was named */
    const char *database;       /* with its tables: path itself, or a file in a private folder */
    bool has_report;            /* database has the tables of the report */
    const char *complete;       /* the same with the tables of the report, once work is done; NULL: nobody
                                   makes it */
    const struct ui_work *work; /* NULL: there is none */
    const char *problem;        /* why there is no report; NULL: it has one, or will have */
};

struct ui_options {
    const struct ui_source *sources;
    size_t source_count;
    const char *listen;                                     /* an address; NULL: 127.0.0.1 */
    uint16_t port;                                          /* 0: any that is free */
    const char *token;                                      /* that a link has to have; NULL: a random one */
    const char *machine;                                    /* NULL: the usual one of each instruction set */
    const struct array *machine_folders, *analysis_folders; /* of char * */
    const struct array *installed_analyses; /* of char *: folders of those that came with Assay */
    const char *own_analyses;               /* folder that analyses are saved in; NULL: none */
    struct trust *trust;                    /* which sources may be shown */
    bool demangle;
    const char *version; /* of Assay, for files that are saved */
    int report_process;  /* that computes reports, as a descriptor (pidfd_open); -1: there is none */
};

struct ui;

/* Whether a text is an address that can be listened on; *is_own: only this computer reaches it. */
bool ui_is_own_address(const char *text, bool *is_own);
/* Whether a text can be a token: letters, digits, - and _, not too short. */
bool ui_is_token(const char *text);
/* Starts to serve, in threads of its own.  NULL: the error is set. */
struct ui *ui_start(const struct ui_options *options, struct error *error);
/* The link that opens it, with the token. */
const char *ui_link(const struct ui *ui);
void ui_stop(struct ui *ui);
#endif
