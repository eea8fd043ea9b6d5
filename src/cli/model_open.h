/* What the words of assay model that evaluate a model begin with: the model, its network, its machine. */
#ifndef CLI_MODEL_OPEN_H
#define CLI_MODEL_OPEN_H
#include "cli/session.h"
#include "plan/modelling/evaluate.h"
#include "plan/modelling/language/language.h"
#include "plan/modelling/network.h"

struct machine;

struct model_work {
    struct session session;
    struct trust trust;
    struct language_model *model;
    struct network network;
    bool has_network;
    struct machine *machine; /* of loops and clocks; NULL: not asked for */
    bool is_host;
};

/* Reads and prepares the model of the second operand, with --set, --network and --machine; false: the error
   says why.  model_close in any case. */
bool model_open(struct model_work *work, const struct invocation *invocation, struct error *error);
int model_close(struct model_work *work, int code, struct error *error);
/* Evaluates and prints in a process of its own (cli/foreign.h), which may write to a file (or NULL) and
   leaves numbers behind; but a network with a platform needs SimGrid, which is another program, so that is
   done here. */
bool model_apart(struct model_work *work, bool (*evaluate)(void *context, struct error *error), void *context,
                 FILE *file, void *result, size_t result_size, struct error *error);
/* By formulas, or with --events by events: also of a network that has a platform, if that may be read. */
bool model_evaluate(struct model_work *work, int32_t ranks, struct evaluation *evaluation,
                    struct error *error);
/* model_loops.c: the cycles of loops of programs that the model names. */
bool model_find_loops(struct model_work *work, struct error *error);
#endif
