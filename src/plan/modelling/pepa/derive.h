/* What a state of a system can do: its moves, with rates. */
#ifndef PLAN_MODELLING_PEPA_DERIVE_H
#define PLAN_MODELLING_PEPA_DERIVE_H
#include "plan/modelling/pepa/pepa.h"

struct pepa_change { /* added to a slot */
    uint32_t slot;
    int32_t by;
};
struct pepa_move {
    pepa_label label;
    double rate; /* negative: passive, with this weight */
    uint32_t first_change, change_count;
    uint32_t next; /* in the list of its node; pepa_NONE ends it */
};
struct pepa_deriving {
    const struct pepa_structure *structure;
    struct array moves, changes;
    uint32_t *heads, *tails; /* of each node: its list of moves */
    struct pepa_share *shares;
    uint32_t *share_of; /* of each action: its share at the node that is looked at, plus 1 */
};
void pepa_deriving_begin(struct pepa_deriving *deriving, const struct pepa_structure *structure);
void pepa_deriving_end(struct pepa_deriving *deriving);
/* The moves of a state: a list of deriving->moves that begins with *first. */
bool pepa_derive(struct pepa_deriving *deriving, const int32_t *slots, uint32_t *first, struct error *error);
#define PEPA_MOVE(deriving, index) ARRAY_AT(struct pepa_move, &(deriving)->moves, index)
#endif
