/* Lines are compared by hashes.  What both texts begin and end with is taken away first.  For the rest,
   furthest[d] has the furthest place that d edits lead to on each diagonal; the way back through these gives
   the pairs. */
#include "code/diff/lines.h"

#include "base/memory.h"
#include "base/strings.h"

#include <stdlib.h>
#include <string.h>

static struct array hash_lines(const char *text)
{
    struct array hashes = ARRAY_OF(uint64_t);
    while (*text) {
        size_t length = strcspn(text, "\n");
        *(uint64_t *)array_push(&hashes) = strings_hash(text, length);
        text += length + (text[length] == '\n');
    }
    return hashes;
}

static bool is_deeper(const char *line, const char *than)
{
    return strspn(line, " \t") > strspn(than, " \t");
}

/* The starts of all lines; to be freed. */
static const char **find_starts(const char *text, size_t count)
{
    const char **starts = memory_get((count + 1) * sizeof *starts);
    for (size_t i = 0; i < count; i++) {
        starts[i] = text;
        text += strcspn(text, "\n");
        text += *text == '\n';
    }
    return starts;
}

static void move_to_bodies(struct line_map *map, const char *text, const uint64_t *old, const uint64_t *new)
{
    const char **starts = find_starts(text, map->count);
    for (uint32_t line = map->count; line-- > 1;) {
        uint32_t here = map->to[line], behind = map->to[line + 1];
        if (here && behind > here + 1 && new[behind - 2] == old[line - 1] &&
            is_deeper(starts[line], starts[line - 1]))
            map->to[line] = behind - 1;
    }
    free(starts);
}

struct edit {
    const uint64_t *old, *new; /* without the common beginning and end */
    int32_t old_count, new_count;
    int32_t **furthest; /* by number of edits, then by diagonal (old - new) + edits */
};

/* The place on a diagonal, in the old text, after `edits` edits and the equal lines after them. */
static int32_t step(const struct edit *edit, int32_t edits, int32_t diagonal)
{
    int32_t at = 0;
    if (edits) {
        const int32_t *before = edit->furthest[edits - 1];
        int32_t place = diagonal + edits - 1;
        bool is_insertion =
            diagonal == -edits || (diagonal != edits && before[place - 1] < before[place + 1]);
        at = is_insertion ? before[place + 1] : before[place - 1] + 1;
    }
    while (at < edit->old_count && at - diagonal < edit->new_count && at - diagonal >= 0 &&
           edit->old[at] == edit->new[at - diagonal])
        at++;
    return at;
}

/* The number of edits, or -1: more than most. */
static int32_t search(struct edit *edit, unsigned most)
{
    for (int32_t edits = 0; edits <= (int32_t)most; edits++) {
        edit->furthest[edits] = memory_get((2 * (size_t)edits + 1) * sizeof **edit->furthest);
        for (int32_t diagonal = -edits; diagonal <= edits; diagonal += 2) {
            int32_t at = step(edit, edits, diagonal);
            edit->furthest[edits][diagonal + edits] = at;
            if (at >= edit->old_count && at - diagonal >= edit->new_count)
                return edits;
        }
    }
    return -1;
}

/* Pairs, from the end of both texts back to their beginning. */
static void go_back(const struct edit *edit, int32_t edits, uint32_t *to, uint32_t shift)
{
    int32_t at = edit->old_count, diagonal = edit->old_count - edit->new_count;
    for (; edits >= 0; edits--) {
        int32_t from = 0, next = 0;
        if (edits) {
            const int32_t *before = edit->furthest[edits - 1];
            int32_t place = diagonal + edits - 1;
            bool is_insertion =
                diagonal == -edits || (diagonal != edits && before[place - 1] < before[place + 1]);
            next = is_insertion ? diagonal + 1 : diagonal - 1;
            from = is_insertion ? before[place + 1] : before[place - 1] + 1;
        }
        for (; at > from; at--)
            to[at - 1] = (uint32_t)(at - diagonal) + shift;
        at = from - (edits && next < diagonal);
        diagonal = next;
    }
}

struct line_map lines_match(const char *old, const char *new, unsigned most_edits)
{
    struct array left = hash_lines(old), right = hash_lines(new);
    const uint64_t *a = left.data, *b = right.data;
    size_t shorter = left.count < right.count ? left.count : right.count, first = 0, last = 0;
    struct line_map map = {memory_get((left.count + 2) * sizeof *map.to), (uint32_t)left.count};
    for (; first < shorter && a[first] == b[first]; first++)
        map.to[first + 1] = (uint32_t)first + 1;
    for (; last < shorter - first && a[left.count - 1 - last] == b[right.count - 1 - last]; last++)
        map.to[left.count - last] = (uint32_t)(right.count - last);
    struct edit edit = {.old = a ? a + first : NULL,
                        .new = b ? b + first : NULL,
                        .old_count = (int32_t)(left.count - first - last),
                        .new_count = (int32_t)(right.count - first - last),
                        .furthest = memory_get((most_edits + 1) * sizeof *edit.furthest)};
    int32_t edits = search(&edit, most_edits);
    if (edits >= 0)
        go_back(&edit, edits, map.to + first + 1, (uint32_t)first);
    move_to_bodies(&map, old, a, b);
    for (unsigned i = 0; i <= most_edits; i++)
        free(edit.furthest[i]);
    free(edit.furthest);
    array_free(&left);
    array_free(&right);
    return map;
}

void lines_free(struct line_map *map)
{
    free(map->to);
    *map = (struct line_map){0};
}
