/* The engine for Slurm, between its files: slurm.c asks the controller and tells hosts, slurm_jobs.c starts
   jobs and says what became of them. */
#ifndef PLAN_SCHEDULE_ENGINE_SLURM_PARTS_H
#define PLAN_SCHEDULE_ENGINE_SLURM_PARTS_H
#include "base/strings.h"
#include "plan/schedule/engine/slurm_tools.h"

extern const double slurm_ask_again; /* seconds between two questions to the controller, at least */

/* What is known about a tag; its index is its id among the names. */
struct known {
    char job[32];      /* Slurm's number */
    uint32_t list;     /* number of the last list that had it; 0: none */
    bool has_begun;    /* when the spool was last asked */
    bool was_over;     /* in the list before, already: none of its processors are in use */
    double submitted;  /* by us: when sbatch returned; NaN: by an earlier scheduler */
    double over_since; /* when it was first seen to be gone; NaN: it is not */
    enum slurm_phase phase;
    uint32_t processors;
    char *nodes, *comment, *state, *reason;
};

/* A node on which jobs ended before they began; after a few it is left alone for a while. */
struct trouble {
    char *node;
    unsigned failures;
    double until;
};
struct engine {
    char *spool, *session, *chosen; /* chosen: --hosts */
    struct strings names;
    struct array known;             /* of known, by id */
    uint32_t lists;                 /* taken so far */
    struct array nodes;             /* of slurm_node: as last asked */
    double nodes_asked, jobs_asked; /* when the present answers came; NaN: never */
    double nodes_due, jobs_due;     /* not before */
    bool is_reached;                /* by the last question */
    struct error why_not;
    struct array troubles; /* of trouble */
    struct array watched;  /* of string_id: tags of the last poll that had no result */
};

double slurm_now(struct engine *engine);
struct known *slurm_known(struct engine *engine, const char *tag);
bool slurm_is_over(enum slurm_phase phase);
const struct slurm_node *slurm_find_node(const struct engine *engine, const char *name, size_t length);
/* Asks for the list of jobs, unless that was done a moment ago.  Whether the controller answered last. */
bool slurm_list_jobs(struct engine *engine);
/* For each place of a job that could not begin there, or that did. */
void slurm_note_trouble(void *engine, const char *host, size_t length, uint32_t count);
void slurm_note_health(void *engine, const char *host, size_t length, uint32_t count);

bool slurm_start(struct engine *engine, const struct engine_job *job, struct error *error);
bool slurm_cancel_tag(struct engine *engine, const char *tag, struct error *error);
bool slurm_poll(struct engine *engine, const char *const *tags, unsigned count, struct engine_status *status,
                struct error *error);
void slurm_wait(struct engine *engine, double until);
#endif
