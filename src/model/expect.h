/* What tables.def promises of every table, looked at after each room that filled some (base/expect.h): ids of
   REF columns name rows, SORTED columns do not fall, and rows of LINK tables are in the order of their keys.
   Searches by bisection, and all C code that follows an id, rely on that. */
#ifndef MODEL_EXPECT_H
#define MODEL_EXPECT_H
#include "base/expect.h"
#include "model/model.h"

#ifdef ASSAY_EXPECT
/* room: that has just ended, for the message. */
void model_expect(const struct model *model, const char *room);
#else
static inline void model_expect(const struct model *model, const char *room)
{
    (void)model;
    (void)room;
}
#endif
#endif
