/* Executable ranges of a process's memory.

   Ranges are disjoint and sorted.  A new one replaces what it overlaps, so that code that was unloaded
   without a word gives way to what comes to its place.  A fork shares the maps of its parent until one of
   them changes. */
#ifndef RUN_SAMPLE_MAPS_H
#define RUN_SAMPLE_MAPS_H
#include "base/memory.h"

struct map_range {
    uint64_t start, end; /* in memory; end is not part of it */
    uint64_t offset;     /* of start in the file */
    uint32_t code;       /* place in code_files */
    bool has_bias;
    uint64_t bias; /* address in memory - address in the file */
};
struct maps;
struct maps *maps_make(void);
struct maps *maps_share(struct maps *maps);
/* NULL does nothing. */
void maps_leave(struct maps *maps);
/* Ranges that maps_put would copy because the maps are shared; and all that there are. */
size_t maps_shared_count(const struct maps *maps);
size_t maps_count(const struct maps *maps);
/* What the range overlaps is cut; code 0: nothing comes to its place.  *maps is another one afterwards if it
   was shared. */
void maps_put(struct maps **maps, const struct map_range *range);
/* NULL: none.  The next maps_put makes it invalid. */
struct map_range *maps_at(const struct maps *maps, uint64_t address);
#endif
