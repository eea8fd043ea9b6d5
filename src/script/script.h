/* Scripts in Lua over the tables of a program.

   SQL asks; it has no variables, no loops and no recursion over what it found. A script has, and sees the
   same tables through the same connection (store/store.h), so that it works on a program and on its database
   alike. What a script may call stands in two tables, calls.def (functions in C) and methods.def (questions
   in SQL that are methods of rows); the reference page docs/lua-reference.md is made from them.

   A script is a stranger's text until --trust says otherwise: it gets neither files nor processes nor
   libraries, its memory is limited, and so are its steps where somebody else waits for it. It can be
   interrupted at any time, even where it catches errors. */
#ifndef SCRIPT_SCRIPT_H
#define SCRIPT_SCRIPT_H
#include "base/error.h"
#include "base/memory.h"
#include "store/analyses.h"

#include <stdio.h>

struct machine;

/* What assay.report and assay.text ask for. */
struct script_report {
    int64_t id;         /* of the loop that it is about */
    sqlite3_stmt *rows; /* these rows instead, not stepped; NULL: the loop */
    const char *format; /* "text", "json", "csv" */
    const char *level;  /* of advice; NULL: the usual one */
};

/* What whoever runs a script provides. */
struct script_host {
    struct store *store;
    FILE *output; /* of print; NULL: nothing is printed */
    /* Prints rows as the commands print tables; the statement has not been stepped. */
    store_print *show;
    void *show_context;
    /* For cycles: the model after the store, with code and encodings, and a machine by name (NULL: the usual
       one for the instruction set), which the host keeps. NULL functions: no cycles. */
    const struct model *(*model)(void *context, struct error *error);
    const struct machine *(*machine)(void *context, const char *name, enum isa isa, struct error *error);
    /* Takes what assay.probe wishes: a word of a plan, its text (NULL: none), "plan.lua:3". NULL: no probes.
     */
    bool (*probe)(void *context, const char *word, const char *text, const char *origin, struct error *error);
    /* A report as a text (script/report.c); NULL: there are none. */
    bool (*report)(void *context, const struct script_report *wanted, FILE *out, struct error *error);
    void *context;
    const struct store_choice *choice; /* what the user selected */
    const char *const *arguments;      /* for the script, up to NULL; may be NULL */
    bool is_trusted;                   /* io, os, package and debug are there */
    size_t memory;                     /* bytes; 0: SCRIPT_MEMORY */
    uint64_t steps;                    /* instructions of Lua; 0: no limit */
    double seconds;                    /* of processor time; 0: no limit. Queries of the store obey it, too */
    /* Asked now and then, in the script's thread: whether it has to end now, such as after Ctrl-C; may be
       NULL. */
    bool (*must_end)(void *context);
};

enum { SCRIPT_MEMORY = 1 << 30, SCRIPT_SIZE_MAX = 16 << 20 };

struct script;
struct script *script_open(const struct script_host *host, struct error *error);
void script_close(struct script *script);
/* A value that the script finds in assay.parameters: a number where the text is one. */
void script_set(struct script *script, const char *name, const char *value);

/* The text of a file, to be freed; NULL: the error says why. */
char *script_read(const char *path, struct error *error);
/* Runs a text that is called `name` in messages.  What it returns waits for script_rows. */
bool script_run_text(struct script *script, const char *name, const char *text, size_t size,
                     struct error *error);
/* The rows that the script returned (a list of rows, as assay.show takes it), as a statement over a private
   connection, for printing; NULL without an error: it returned nothing. Lives until the script is closed. */
sqlite3_stmt *script_rows(struct script *script, struct error *error);

/* Calls the function that the script returned, without arguments; what that returns waits for script_rows. A
   script that returned something else has nothing to be called: true. */
bool script_call_returned(struct script *script, const char *name, struct error *error);
/* Processor time that it used so far. */
double script_seconds(const struct script *script);
/* Whether it returned a function. */
bool script_returned_function(const struct script *script);

/* Runs an analysis in Lua (analysis->is_script): its parameters are in assay.parameters, what the user
   selected in assay.selected, and the rows that it returns are printed. */
bool script_analysis(const struct script_host *host, const struct analysis *analysis,
                     const struct analysis_value *values, size_t value_count, store_print *print,
                     void *context, struct error *error);

/* The reference, for pages and completion. */
struct script_entry {
    const char *of; /* table whose rows have it as a method; NULL: a function of assay */
    const char *name, *arguments, *gives, *doc;
};
extern const struct script_entry script_entries[];
extern const unsigned script_entry_count;
#endif
