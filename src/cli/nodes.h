/* A listing gets nodes: what assay asm --probe and assay cc share. */
#ifndef CLI_NODES_H
#define CLI_NODES_H
#include "cli/session.h"
#include "run/probe/plan/choice.h"
#include "run/probe/nodes/nodes.h"

struct nodes_work {
    const char *path;  /* the listing */
    const char *shown; /* what it is called in the recording and in messages */
    const struct probe_choice *choice;
    bool may_miss; /* wishes that match nothing here are passed over: they may be for other files */
};

/* A listing with its model and a plan for it, from which nodes_insert makes the text. */
struct nodes_state {
    struct model model;
    struct probe_plan plan;
    struct nodes_listing listing;
};
/* Returns the exit code; nodes_end in any case. */
int nodes_begin(const struct session *session, const struct nodes_work *work, struct nodes_state *state,
                struct error *error);
void nodes_end(struct nodes_state *state);
/* The text of a file; data is to be freed. */
bool nodes_read_text(const char *path, struct span *text, struct error *error);

/* assay asm --probe and --without-probes. */
int nodes_asm(struct session *session, const struct invocation *invocation, struct error *error);
#endif
