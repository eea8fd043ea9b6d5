/* How long a program will take whose work depends on its data: asked by `assay predict` and by the scheduler.

   A description (describe.c) says how the program is run, how its inputs are made smaller, and what the least
   work is. A query is a description with inputs. Its probe tasks are commands that anybody may run: the
   command here, one after the other; the scheduler, as tasks of their own on the hosts in question. What they
   took goes into the ledger, by the contents of the inputs and the build-id of the program, and an estimate
   is made of everything that the ledger knows: this query's probes, and probes and whole runs of other
   inputs. */
#ifndef PLAN_PREDICT_PREDICT_H
#define PLAN_PREDICT_PREDICT_H
#include "base/error.h"
#include "base/memory.h"
#include "ledger/ledger.h"

struct predict_description; /* describe.h */
struct predict_query;
struct predict_estimate;

struct predict_description *predict_describe(const char *path, struct error *error);
void predict_description_free(struct predict_description *description);
/* Commands of features are ended after so many seconds, rounded up; usually after a minute. */
void predict_limit_features(struct predict_description *description, double seconds);
const char *predict_name(const struct predict_description *description);

/* bindings: "source=a.mif" …, NULL after the last; every input that the description names, each once, and
   any of its outputs ("out=c.mif").  Files are looked for in `folder` (NULL: the current one).  Their
   contents are read: digests, features. */
struct predict_query *predict_ask(const struct predict_description *description, const char *const *bindings,
                                  const char *folder, const char *host, struct ledger *ledger,
                                  struct error *error);
void predict_query_free(struct predict_query *query);
int64_t predict_predictor(const struct predict_query *query); /* its row */
const char *predict_label(const struct predict_query *query);
/* The command on the whole inputs, for /bin/sh; to be freed.  Outputs go to names that `outputs` gives (as
   bindings: "out=…", may be NULL: a private folder's). */
char *predict_command(const struct predict_query *query, const char *const *outputs, unsigned processors);

struct predict_probe {
    double factor;
    bool is_identity;
    unsigned processors;
    bool is_known; /* in the ledger already: seconds */
    double seconds, cpu_seconds;
    double spent_seconds; /* with its repetitions; 0: there were none */
    char *shrink;         /* for /bin/sh: makes the smaller inputs in the current folder, which is private */
    char *command;        /* for /bin/sh: the program on them; its time is what counts */
};
/* An output that the command writes and that no binding named: a run would throw it away. */
bool predict_needs_output(const struct predict_query *query, const char **name);
/* Whether an exit status of the program is no failure. */
bool predict_is_success(const struct predict_query *query, int exit_status);
unsigned predict_least_processors(const struct predict_query *query);
unsigned predict_most_processors(const struct predict_query *query);
const char *predict_host(const struct predict_query *query);
/* Seconds of the probes that were noted for this query, shrinking included. */
double predict_spent(const struct predict_query *query);
double predict_shrinking(const struct predict_query *query); /* the part of shrinking */

/* Of predict_probe, in the order in which they should run: the quickest first; freed by
   predict_probes_free. */
bool predict_probes(struct predict_query *query, struct array *probes, struct error *error);
/* One more size. */
bool predict_probes_add(struct predict_query *query, double factor, struct array *probes,
                        struct error *error);
/* Where the description says no sizes (factors.c).  How much smaller an input should be made, to see how its bytes
   shrink, before predict_probes knows which sizes are cheap; 0: it knows. */
bool predict_wants_trial(const struct predict_query *query, double *factor, struct error *error);
/* A size that is worth a probe after these, which were run and gave this estimate; 0: none. */
bool predict_next_factor(const struct predict_query *query, const struct predict_estimate *estimate,
                         const struct array *probes, double *factor, struct error *error);
/* The largest probe with each of these numbers of processors that the usual probes do not have: how it
   scales.  None without probes. */
bool predict_scaling_probes(struct predict_query *query, const unsigned *processors, size_t count,
                            struct array *probes, struct error *error);
void predict_probes_free(struct array *probes);
/* seconds NaN: it failed, for this reason. */
bool predict_note_probe(struct predict_query *query, const struct predict_probe *probe, double seconds,
                        double cpu_seconds, double shrink_seconds, const char *problem, struct error *error);
/* The smaller inputs of a probe are in this folder: how many bytes they have, against the whole ones. */
bool predict_note_shrunk(struct predict_query *query, const struct predict_probe *probe, const char *folder,
                         struct error *error);
bool predict_note_run(struct predict_query *query, unsigned processors, double seconds, double cpu_seconds,
                      const char *source, struct error *error);

struct predict_estimate {
    double seconds, lower, upper; /* NaN: nothing known; upper INFINITY: no bound */
    const char *model;            /* word of the model used: mean, bands, power, features, static */
    double error, worst;          /* of the model, each run left out in turn; NaN: too few runs */
    unsigned runs, probes;        /* that it stands on: whole runs of others, probes of this query */
    bool is_scaled;               /* for another number of processors than the probes ran with */
    bool is_scaling_known; /* measured or declared; false: perfect for the estimate, none for `upper` */
    int64_t id;            /* row of predictions */
};
/* The best answer from what is known now.  It becomes a row of predictions. */
bool predict_estimate(struct predict_query *query, unsigned processors, bool is_final,
                      struct predict_estimate *estimate, struct error *error);
#endif
