/* What denormals cost on this machine. */
#include "denormal/parts.h"

void denormal_measure(struct model *model)
{
    (void)model;
}
