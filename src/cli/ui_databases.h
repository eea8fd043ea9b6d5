/* The files of assay ui as databases, and the process that completes them. */
#ifndef CLI_UI_DATABASES_H
#define CLI_UI_DATABASES_H
#include "cli/session.h"
#include "show/ui/ui.h"
#include "run/launch/guard.h"

struct ui_databases {
    struct session *session;
    struct array sources; /* of struct ui_source */
    char *folder;         /* private; NULL: none yet */
    struct guard guard;   /* of the folder */
    struct ui_work *work; /* of all sources, shared with the worker */
    size_t work_size;
    size_t in_memory; /* source, from 1, whose model the session still has; 0: none */
    pid_t worker;     /* 0: there is none */
};

void ui_databases_begin(struct ui_databases *databases, struct session *session, size_t count);
bool ui_databases_add(struct ui_databases *databases, const char *path, struct error *error);
/* The private folder, made when it is first needed. */
const char *ui_databases_folder(struct ui_databases *databases, struct error *error);
/* Starts the process that computes the missing reports, one file after the other.  Before any thread. */
void ui_databases_complete(struct ui_databases *databases);
/* A child process has ended: if it is the worker, what it did not finish has failed. */
void ui_databases_reap(struct ui_databases *databases);
void ui_databases_end(struct ui_databases *databases);
#endif
