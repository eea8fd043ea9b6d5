/* Subjects of a recording among the rows of the listings that their nodes were put into. */
#ifndef RUN_PROBE_RECORDING_JOIN_H
#define RUN_PROBE_RECORDING_JOIN_H
#include "run/probe/plan/plan.h"
#include "runtime/probe/nodes_file.h"

struct nodes_texts {
    const char *listing, *function, *name; /* as the recording has them; NULL: none */
};

enum nodes_joined {
    NODES_JOINED,
    NODES_OTHER_LISTING, /* none of the model's listings has that name */
    NODES_OTHER_TEXT,    /* one has, but what was recorded is not there */
};
/* Rows of the subject: function, loop, instruction. */
enum nodes_joined nodes_join(struct model *model, const struct probe_node_subject *from,
                             const struct nodes_texts *texts, struct probe_subject *subject);
#endif
