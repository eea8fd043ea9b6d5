/* What Slurm's tools print, as records.  Pure functions of text.

   A list that cannot be read is an error and never a shorter list: a job that is missing there counts as
   gone, and would be run again. Lines about other jobs of the user may look as they like, their names are
   free. */
#ifndef PLAN_SCHEDULE_ENGINE_SLURM_TEXT_H
#define PLAN_SCHEDULE_ENGINE_SLURM_TEXT_H
#include "plan/schedule/engine.h"

/* sinfo: node, partition, whether it is up, state, processors, sockets:cores:threads, megabytes,
   allocated/idle/other/total, longest and usual time, load, reason. */
#define SLURM_NODE_FORMAT "%N|%P|%a|%T|%c|%z|%m|%C|%l|%L|%O|%E"
struct slurm_node {
    char *name;
    enum engine_host_state state;
    char *why;
    bool is_passing;     /* the state: the node is expected back, or will soon be called down */
    uint32_t processors; /* of Slurm's processors, one of each core: no two jobs share a core */
    uint32_t threads;    /* Slurm's processors in each of ours */
    uint32_t allocated;  /* of Slurm's processors, to any job */
    double memory;       /* bytes; NaN: not known */
    double load;         /* as the node told it last; NaN: it did not */
    double longest;      /* seconds that a job may ask for; infinity: no limit */
    double usual;        /* seconds it gets if it does not ask; NaN: the longest */
    bool is_default;     /* in the partition where jobs go that name none */
};
/* Of slurm_node, each node once: as in the default partition, where it is in several. */
bool slurm_read_nodes(const char *text, struct array *nodes, struct error *error);
void slurm_nodes_free(struct array *nodes);

/* squeue: number, state, processors, nodes, reason, name, comment. */
#define SLURM_JOB_FORMAT "%i|%T|%C|%N|%r|%j|%k"
enum slurm_phase {
    slurm_phase_QUEUED,
    slurm_phase_RUNNING,
    slurm_phase_ENDED,   /* by itself, or by a limit that it would meet again */
    slurm_phase_REMOVED, /* from outside */
    slurm_phase_OTHER    /* a state that we do not know */
};
struct slurm_job {
    const char *number, *state, *nodes, *reason, *name, *comment; /* in the text that was read */
    uint32_t processors;
    enum slurm_phase phase;
};
/* Jobs whose names begin with `session`.  Of slurm_job; the text is cut into pieces. */
bool slurm_read_jobs(char *text, const char *session, struct array *jobs, struct error *error);

/* Answer of sbatch --parsable: the number of the job. */
bool slurm_read_number(const char *text, char *number, size_t size);
/* "infinite", "3-02:00:00", "30:00", "n/a" (NaN); false: something else. */
bool slurm_read_time(const char *text, double *seconds);

/* Places as they stand in the comment of a job: "assay n1:2,n2:1 name". To be freed. */
char *slurm_comment(const struct engine_job *job);
/* Calls `each` for the places of a comment; false: it is not one of ours. */
bool slurm_read_comment(const char *comment,
                        void (*each)(void *context, const char *host, size_t length, uint32_t count),
                        void *context);
#endif
