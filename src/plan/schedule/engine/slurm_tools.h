/* Slurm's tools as calls: sinfo, squeue, sbatch, scancel, each with a limit on its time. */
#ifndef PLAN_SCHEDULE_ENGINE_SLURM_TOOLS_H
#define PLAN_SCHEDULE_ENGINE_SLURM_TOOLS_H
#include "plan/schedule/engine/slurm_text.h"

/* Each tool that is needed is installed. */
bool slurm_has_tools(struct error *error);
/* Nodes of the partition that jobs go to: $SBATCH_PARTITION, or else the default one.  Of slurm_node. */
bool slurm_ask_nodes(struct array *nodes, struct error *error);
/* Jobs of this user whose names begin with the session, those that ended a few minutes ago, too.  Of
   slurm_job, which live as long as *text, to be freed. */
bool slurm_ask_jobs(const char *session, struct array *jobs, char **text, struct error *error);

struct slurm_request {
    const struct engine_job *job;
    const char *script, *log; /* absolute */
    uint32_t threads;         /* of Slurm's processors for each of ours */
    double seconds;           /* time limit; NaN: none is asked for; infinity: none is wanted */
};
/* false: it is not known whether the job was made, unless the error says why Slurm refused it. */
bool slurm_submit(const struct slurm_request *request, char *number, size_t size, struct error *error);
/* All jobs of this user with this name; none is fine. */
bool slurm_cancel(const char *name, bool only_queued, struct error *error);
#endif
