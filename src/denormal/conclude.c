/* Extra time of sites, and the story. */
#include "denormal/parts.h"

void denormal_conclude(struct model *model)
{
    (void)model;
}
