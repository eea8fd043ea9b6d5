/* Where a probe would make a store-exclusive fail. */
#ifndef RUN_PROBE_SITE_EXCLUSIVES_H
#define RUN_PROBE_SITE_EXCLUSIVES_H
#include "model/model.h"

struct probe_exclusives {
    const struct model *model;
    uint8_t *kinds;      /* by encoding */
    struct array ranges; /* of struct exclusive_range, sorted and disjoint: rows of code */
};

void probe_exclusives_init(struct probe_exclusives *exclusives, const struct model *model);
void probe_exclusives_free(struct probe_exclusives *exclusives);
/* Whether the place before an instruction lies between a load-exclusive and its store-exclusive. */
bool probe_exclusives_hold(const struct probe_exclusives *exclusives, uint32_t instruction);
#endif
