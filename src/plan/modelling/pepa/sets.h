/* The two ends of a passage: "FROM -> TO". */
#ifndef PLAN_MODELLING_PEPA_SETS_H
#define PLAN_MODELLING_PEPA_SETS_H
#include "plan/modelling/pepa/pepa.h"

enum pepa_end_kind { end_INITIAL, end_ACTION, end_STATES };

struct pepa_end {
    enum pepa_end_kind kind;
    uint32_t action;
    uint8_t *is_in; /* of each state */
    uint32_t count; /* states that are in */
};
bool pepa_ends_read(const struct pepa_space *space, const char *words, struct pepa_end ends[2],
                    struct error *error);
void pepa_ends_free(struct pepa_end ends[2]);
#endif
