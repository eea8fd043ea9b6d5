/* Where a probe would make a store-exclusive fail. */
#ifndef WATCH_EXCLUSIVES_H
#define WATCH_EXCLUSIVES_H
#include "model/model.h"

struct watch_exclusives {
    const struct model *model;
    uint8_t *kinds;      /* by encoding */
    struct array ranges; /* of struct exclusive_range, sorted and disjoint: rows of code */
};

void watch_exclusives_init(struct watch_exclusives *exclusives, const struct model *model);
void watch_exclusives_free(struct watch_exclusives *exclusives);
/* Whether the place before an instruction lies between a load-exclusive and its store-exclusive. */
bool watch_exclusives_hold(const struct watch_exclusives *exclusives, uint32_t instruction);
#endif
