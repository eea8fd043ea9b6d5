/* Which instruction sets have an encoder of islets. */
#include "watch/islet.h"

const struct islet_encoder *islet_encoder(enum isa isa)
{
    (void)isa;
    return NULL;
}
