/* The directory: hosts and what they are, in the ledger's table `directory`.

   Who knows something about a host writes a row: the host about itself, Slurm about its nodes, a file about
   hosts that nobody can ask. Rows are soft state: each says until when it may be believed, and expires
   unless it is written again, so that a host that is gone disappears by itself (as in Globus's MDS; thesis,
   2.2.2). Several sources may know one host; each has its own row. */
#ifndef PLAN_FORECAST_DIRECTORY_H
#define PLAN_FORECAST_DIRECTORY_H
#include "base/error.h"
#include "base/memory.h"
#include "ledger/ledger.h"

struct directory_host {
    char *name, *processor, *machine, *state; /* machine: name of a machine file; NULL: not known */
    int64_t processors, cores;                /* 0: not known */
    double memory, free_memory, load;         /* bytes; NaN: not known */
};

/* For how long rows of a source are believed. */
extern const double directory_own_seconds, directory_slurm_seconds;

/* This computer; machine may be NULL. */
bool directory_ask_self(struct directory_host *host, const char *machine, struct error *error);
/* Of directory_host: nodes of Slurm, by scontrol. */
bool directory_ask_slurm(struct array *hosts, struct error *error);
bool directory_parse_slurm(struct array *hosts, const char *text, struct error *error);
/* A file of hosts: sections [host NAME] with processor, machine, processors, cores, memory, load, state and
   valid (for how long; usually for ever: seconds INFINITY). */
bool directory_read(struct array *hosts, const char *path, double *seconds, struct error *error);
void directory_host_free(struct directory_host *host);
void directory_free(struct array *hosts);

/* seconds: how long it may be believed; INFINITY: until it is written again. */
bool directory_write(struct ledger *ledger, const char *source, const struct directory_host *host, double now,
                     double seconds, struct error *error);
/* Rows that expired more than a day ago go. */
bool directory_clean(struct ledger *ledger, double now, struct error *error);
#endif
