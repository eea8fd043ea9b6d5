/* What the scheduler knows while it runs: a picture of the rows that matter, made again from the rows
   whenever another process changed them or a write failed. Whatever it decides is written first and true in
   the picture only then, so that rows alone are the state: a scheduler may be killed at any moment. */
#ifndef PLAN_SCHEDULE_STATE_H
#define PLAN_SCHEDULE_STATE_H
#include "ledger/ledger.h"
#include "plan/predict/predict.h"
#include "plan/predict/scaling.h"
#include "plan/schedule/engine.h"
#include "plan/schedule/pack/pack.h"
#include "plan/schedule/schedule.h"

enum task_state { task_WAITING, task_RUNNING, task_GONE };

struct task {
    int64_t id, probe_of; /* probe_of 0: it is work */
    uint32_t workflow;
    const char *name, *command, *hosts, *predictor, *inputs, *estimate_from;
    uint32_t least, most;
    bool spans, is_identity, is_cancelled;
    double memory, deadline, seconds, lower, upper, simulated, factor;
    enum task_state state;
    int64_t tries, most_tries;
    uint32_t first_need, need_count; /* in state.needs: those that are not done */
    struct scaling scaling;
    double ready;              /* when the last of its needs was done; when it may be tried again */
    uint32_t attempt;          /* 1 and more: number of the one that runs, plus one */
    bool is_checked, is_unfit; /* no host that there is can hold it; told: a decision says so */
    bool was_told_unfit;
    struct predict_query *query; /* NULL: not asked yet, or it has no predictor */
    bool is_early;               /* asked before all that it needs was done */
    bool is_probing; /* its probes are tasks; was_told_probes: or a decision says why there are none */
    bool was_told_probes;
    bool is_asked, was_told_late, was_told_waiting, was_told_jump;
};

struct task_need {
    uint32_t task;
    double bytes;
};

struct known_workflow {
    int64_t id;
    const char *name, *folder;
    uint32_t user;
    double submitted, deadline;
    bool is_speculative, is_cancelled;
};

struct workflow_user {
    int64_t id;
    const char *name;
    double share;
    uint32_t waiting; /* tasks */
};

struct place {
    uint32_t host, first, count;
};

enum attempt_state { attempt_STARTING, attempt_QUEUED, attempt_RUNNING };

struct attempt {
    int64_t id;
    uint32_t task, processors;
    const char *tag;
    enum attempt_state state;
    double asked, started, expected; /* started NaN: not yet */
    double fetch;                    /* seconds until its files are there, before it starts */
    struct array places;             /* of place */
    bool is_ours;                    /* this process asked the engine to start it */
    bool is_over;
    double asked_to_cancel; /* NaN: not */
};

struct forecasting;
struct host {
    int64_t id;
    char *name, *machine; /* machine: name of its machine file; NULL: not known */
    uint32_t processors, taken;
    double memory, speed;
    double load;                /* as the engine or the directory tells it; NaN: not known */
    double share, share_at;     /* of its speed that others are expected to leave: 1 and less; since when */
    double settled, settled_at; /* processors that were given away, a mean of some minutes; until when */
    struct forecasting *others; /* processes of others that want its processors; NULL: no look yet */
    enum engine_host_state state;
    double bytes_per_second, latency; /* as in engine.h */
    bool reaches_common;
    bool is_gone;
    uint32_t first; /* number of its first processor */
};

/* What no longer fits the rows of the ledger, and who sees to it. */
enum stale {
    stale_PICTURE = 1, /* rows changed that this picture of them does not have: state_load */
    stale_PLAN = 2,    /* what the plan rests on: it is followed further, or made anew */
    stale_NUMBERS = 4, /* what numbers of tasks and processors in the plan mean: it must be made anew */
    stale_BLOCKS = 8   /* others may have cancelled what tasks wait for */
};

struct state {
    struct ledger *ledger;
    const struct engine_kind *kind;
    struct engine *engine;
    const struct schedule_options *options;
    struct arena texts;
    struct array tasks, needs, workflows, users, attempts; /* in order of their ids */
    struct array hosts;                                    /* of host; stays when rows are read again */
    uint32_t processor_count;
    uint32_t *holders;         /* by processor: attempt plus one that has it; UINT32_MAX: others; 0: free */
    struct array descriptions; /* of struct known_description */
    struct array told;         /* of struct told_line: not committed yet */
    double mean;               /* of the tasks so far; NaN: none */
    double mean_count;         /* how many these are */
    double hosts_asked, plan_written; /* by the real clock */
    double load_asked, published;     /* the same; published: what the directory is told */
    double weight, weighed; /* of a process of others beside a task, on this computer; when that was tried */
    struct forecasting *waits; /* of jobs in the engine's queue */
    double wait;               /* forecast for the next one; 0: hardly any */
    uint64_t tag_seed;
    bool has_sizes;   /* of files that the engine moves */
    bool is_away;     /* the engine did not answer the last time: nothing is started */
    bool is_silent;   /* the engine could not be asked the last time */
    unsigned stale;   /* enum stale: what has to be looked at again */
    unsigned refused; /* starts that the engine refused, one after the other */
};

bool schedule_open_state(struct state *state, const struct schedule_options *options, struct ledger *ledger,
                         struct error *error);
void schedule_close_state(struct state *state);
double state_now(struct state *state);
bool state_load(struct state *state, struct error *error);
void state_free(struct state *state);
static inline struct task *task_at(const struct state *state, size_t index)
{
    return ARRAY_AT(struct task, &state->tasks, index);
}
static inline struct attempt *attempt_at(const struct state *state, size_t index)
{
    return ARRAY_AT(struct attempt, &state->attempts, index);
}
static inline struct host *host_at(const struct state *state, size_t index)
{
    return ARRAY_AT(struct host, &state->hosts, index);
}
static inline struct known_workflow *workflow_of(const struct state *state, const struct task *task)
{
    return ARRAY_AT(struct known_workflow, &state->workflows, task->workflow);
}
/* UINT32_MAX: it is not among those that are not done. */
uint32_t task_of_id(const struct state *state, int64_t id);
/* Whether all that it needs is done. */
bool task_is_ready(const struct state *state, const struct task *task);
/* Marks which attempt has which processor. */
void state_hold(struct state *state);

/* decide.c: a row of decisions, and a line for the user when it is committed.  Numbers below 0: none. */
bool decide(struct state *state, struct error *error, const char *kind, int64_t task, int64_t attempt,
            int64_t host, const char *format, ...) __attribute__((format(printf, 7, 8)));
void decide_begin(struct state *state);
bool state_commit(struct state *state, struct error *error);
void state_undo(struct state *state);
/* "workflow/task", to be freed; "3 min 20 s", in a buffer of the caller. */
char *task_title(const struct state *state, const struct task *task);
const char *state_duration(double seconds, char text[40]);

/* state.c: seconds of a clock that only goes forward, also where the engine's time is simulated. */
/* hosts.c */
bool hosts_look(struct state *state, struct error *error);
/* surroundings.c */
bool surroundings_begin(struct state *state, struct error *error);
void surroundings_free(struct state *state);
/* Within a transaction: tells the directory what the engine knows; completes what the engine told (of
   engine_host) by what the directory knows. */
bool surroundings_publish(struct state *state, struct error *error);
bool surroundings_complete(struct state *state, struct array *told, struct error *error);
bool surroundings_look(struct state *state, struct error *error); /* loads, forecast */
void surroundings_note_wait(struct state *state, double seconds);
/* The machine file that most processors are described by; NULL: none is known. */
const char *surroundings_machine(const struct state *state);
/* estimates.c: how long a task takes on so many processors of speed 1; never 0, never NaN. */
double task_seconds(const struct state *state, const struct task *task, uint32_t processors);
bool estimates_look(struct state *state, double budget, struct error *error);
bool estimates_learn(struct state *state, uint32_t task, const struct attempt *attempt,
                     const struct engine_status *status, struct error *error);
/* All tasks of this predictor that wait. */
void estimates_ask_again(struct state *state, const char *predictor);
void estimates_begin(struct state *state);
void estimates_free(struct state *state);
/* probes.c */
bool probes_add(struct state *state, uint32_t task, struct error *error);
bool probes_drop(struct state *state, uint32_t task, struct error *error);
bool probes_note(struct state *state, uint32_t probe, const struct attempt *attempt,
                 const struct engine_status *status, struct error *error);
/* problem.c: for the packer; `numbers` of tasks of the problem, by task of the state. */
struct problem {
    struct pack_problem pack;
    struct array needs;      /* of pack_need */
    struct array tasks;      /* of uint32_t: task of the state, by number in the problem */
    struct array processors; /* of uint32_t: processor of the state, by number in the problem */
    struct arena arena;
};
void problem_make(struct state *state, struct problem *problem);
void problem_free(struct problem *problem);
/* locality.c */
bool locality_begin(struct state *state, struct error *error);
void locality_add(struct state *state, struct problem *problem, struct pack_task *tasks,
                  const uint32_t *numbers);
/* Why no host can hold a task; NULL: one can.  To be freed. */
char *task_unfit_reason(const struct state *state, const struct task *task);
/* Whether hosts could hold it that are there, but not up: they may come back. */
bool task_waits_for_hosts(const struct state *state, const struct task *task);
/* Seconds after which a running attempt counts as longer than expected: estimates are not exact to a tenth.
 */
double attempt_patience(const struct attempt *attempt);
double attempt_end(struct state *state, const struct attempt *attempt, double now);
/* starting.c */
/* A plan that is not new is followed: what it puts next on processors that are free. */
bool starting_look(struct state *state, const struct problem *problem, const struct pack_schedule *plan,
                   bool is_followed, struct error *error);
bool starting_again(struct state *state, struct attempt *attempt, struct error *error);
/* ending.c */
bool ending_look(struct state *state, struct error *error);
bool ending_cancel(struct state *state, struct error *error);
/* watching.c: overruns and deadlines. */
bool watching_look(struct state *state, struct error *error);
bool watching_plan(struct state *state, const struct problem *problem, const struct pack_schedule *plan,
                   struct error *error);
/* likely.c: ends of the tasks of a plan if things go well, by their place in it, to be freed. Three of
   four times a task ends later than that. */
double *likely_ends(struct state *state, const struct problem *problem, const struct pack_schedule *plan);
/* Nothing is known about its time but what others took. */
bool task_is_unknown(const struct task *task);
/* plan.c */
bool plan_write(struct state *state, const struct problem *problem, const struct pack_schedule *plan,
                struct error *error);
#endif
