/* Results computed from the rows alone: extra time of sites, and the story. */
#include "run/denormal/parts.h"

#include "model/expect.h"

void denormal_conclude(struct model *model)
{
    denormal_add_costs(model);
    denormal_add_chains(model);
    model_expect(model, "denormal");
}
