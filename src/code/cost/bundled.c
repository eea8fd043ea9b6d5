#include "code/cost/bundled.h"

#include <math.h>
#include <stdlib.h>

struct bundled *bundled_begin(const struct model *model, const struct machine *machine)
{
    if (!machine->bundles)
        return NULL;
    struct bundled *bundled = memory_get(sizeof *bundled);
    body_begin(&bundled->bodies, model, machine);
    schedule_begin(&bundled->scheduler, model, machine);
    bundles_prepare(&bundled->program, machine, false);
    return bundled;
}

void bundled_end(struct bundled *bundled)
{
    if (!bundled)
        return;
    body_end(&bundled->bodies);
    schedule_end(&bundled->scheduler);
    free(bundled);
}

void bundled_take(struct bundled *bundled, uint32_t loop, const struct path_block *blocks, size_t count)
{
    body_take_path(&bundled->bodies, blocks, count);
    bundled->rotating = body_list_items(&bundled->bodies, loop);
    bundled->has_anew = false;
}

bool bundled_predict(struct bundled *bundled, struct cost_prediction *prediction)
{
    const struct array *items = &bundled->bodies.items;
    *prediction = (struct cost_prediction){.cycles = NAN,
                                           .next_cycles = NAN,
                                           .unaligned_cycles = NAN,
                                           .repeated_cycles = NAN,
                                           .easy_cycles = NAN,
                                           .hard_cycles = NAN,
                                           .scattered_cycles = NAN};
    if (bundled->bodies.is_cut || !items->count)
        return false;
    struct schedule schedule =
        schedule_in_order(&bundled->scheduler, items->data, items->count, bundled->rotating);
    prediction->cycles = prediction->bounds[core_part_PAIRING].cycles = schedule.cycles;
    prediction->limit = core_part_PAIRING;
    prediction->known_count = (unsigned)items->count;
    return isfinite(schedule.cycles);
}

bool bundled_anew(struct bundled *bundled, const uint8_t *changes, size_t count, struct anew *anew)
{
    const struct array *items = &bundled->bodies.items;
    if (bundled->bodies.is_cut || !count || items->count != count)
        return false;
    if (changes || !bundled->has_anew)
        *anew =
            anew_find(&bundled->scheduler, &bundled->program, items->data, count, bundled->rotating, changes);
    else
        *anew = bundled->anew;
    if (!changes)
        bundled->anew = *anew;
    bundled->has_anew |= !changes;
    return isfinite(anew->in_order) && isfinite(anew->fewest);
}
