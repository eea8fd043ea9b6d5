/* Which line of one text is which of another: those of a shortest edit script (Myers, "An O(ND) difference
   algorithm", 1986). */
#ifndef CODE_DIFF_LINES_H
#define CODE_DIFF_LINES_H
#include <stddef.h>
#include <stdint.h>

struct line_map {
    uint32_t *to;   /* by line of the old text, from 1: its line in the new one; 0: gone or changed */
    uint32_t count; /* lines of the old text */
};

/* Texts that differ in more than most_edits lines are matched at their beginning and their end alone. */
struct line_map lines_match(const char *old, const char *new, unsigned most_edits);
void lines_free(struct line_map *map);
static inline uint32_t lines_find(const struct line_map *map, uint32_t line)
{
    return line && line <= map->count ? map->to[line] : 0;
}
#endif
