/* Which lines an iteration touches.

   core/addresses.c writes each place as symbols and an offset. Going back one iteration gives the stride,
   where the symbols stay the same. Accesses with the same symbols and stride move together: a[i-1], a[i] and
   a[i+1] touch the same lines, one after the other, and are one stream. Compilers often keep a register
   for each of them, so symbols are followed back through the instructions that lead into the loop. Streams
   with other symbols after that are other arrays.

   The lines of accesses that move together repeat: after line/gcd(stride, line) iterations the same picture
   is so many lines farther on. So the accesses of one such period are laid over lines, lines that are a whole
   period apart count as one, and what is left is what the period touches. Where the base lies within a line
   is unknown: the average over all places that the alignment of the accesses allows.

   Accesses that move together may be so far apart (rows of a matrix) that a line is gone from the first
   cache when the next access comes to it. Then what comes after is a group of its own, whose lines come from
   the nearest cache that is twice as large as all data between the two (the layer condition of stencils).

   Vectors whose length the machine decides (SVE) move by a register that holds that length, so the code has
   no constant. Their accesses to neighbouring numbers are taken to go from one vector to the next.

   An access whose place does not move touches nothing new. One that moves in a way that the code does not
   show is taken to touch a new line each time. */
#include "code/cost/data/data.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_REFERENCES = 4096, MOST_STEPS = 4, USUAL_LINE = 64, PIECES = 64 };

struct walk {
    struct cost_place place;
    uint64_t bytes;
    int64_t stride;
    bool is_known; /* the stride */
    bool loads, stores, streams;
    unsigned lanes; /* places of a gather or scatter; 0: one access */
};

/* A line that accesses of a period touch. */
struct touch {
    int64_t line;
    uint64_t stored; /* its pieces that are written, as bits */
    bool loads, streams;
};

struct counting {
    const struct machine *machine;
    int64_t line;
    double traffic;     /* bytes that all streams together move on by in an iteration */
    struct walk *walks; /* ordered */
    size_t count;
    struct array touches; /* of struct touch */
};

static int64_t divisor(int64_t a, int64_t b)
{
    while (b) {
        int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a < 0 ? -a : a;
}

static int64_t floor_divide(int64_t a, int64_t b)
{
    return a / b - (a % b < 0);
}

static int64_t size_of(int64_t stride)
{
    return stride < 0 ? -stride : stride;
}

/* Distances that programs have; sums of them stay within 64 bits. */
static bool is_near(int64_t distance)
{
    const int64_t far = INT64_C(1) << 40;
    return -far < distance && distance < far;
}

/* Registers may take turns, so that a place has its symbols again after some iterations. */
bool data_stride(const struct cost_addresses *addresses, const struct cost_place *place, int64_t *stride)
{
    struct cost_place before = *place;
    for (int step = 1; step <= MOST_STEPS; step++) {
        int64_t moved;
        if (!cost_earlier_place(addresses, &before))
            return false;
        if (cost_is_apart(place, &before, &moved)) {
            *stride = moved / step;
            return moved % step == 0 && is_near(*stride);
        }
    }
    return false;
}

static int order(int64_t left, int64_t right)
{
    return (left > right) - (left < right);
}

/* What moves together side by side, by offset. */
static int compare_walks(const void *left, const void *right)
{
    const struct walk *a = left, *b = right;
    const int64_t keys[][2] = {{a->is_known, b->is_known},       {a->stride, b->stride},
                               {a->place.base, b->place.base},   {a->place.index, b->place.index},
                               {a->place.scale, b->place.scale}, {a->place.offset, b->place.offset}};
    int result = 0;
    for (size_t i = 0; i < sizeof keys / sizeof *keys && !result; i++)
        result = order(keys[i][0], keys[i][1]);
    return result;
}

static bool is_together(const struct walk *one, const struct walk *other)
{
    int64_t apart;
    return one->is_known == other->is_known && one->stride == other->stride &&
           cost_is_apart(&one->place, &other->place, &apart);
}

static int compare_touches(const void *left, const void *right)
{
    return order(((const struct touch *)left)->line, ((const struct touch *)right)->line);
}

/* Bits of the pieces of a line that bytes from `first` to before `end` cover, both within it. */
static uint64_t pieces_of(int64_t first, int64_t end, int64_t line)
{
    int64_t from = first * PIECES / line, to = (end * PIECES + line - 1) / line;
    uint64_t below_end = to >= PIECES ? UINT64_MAX : (UINT64_C(1) << to) - 1;
    return below_end & ~((UINT64_C(1) << from) - 1);
}

/* An access at an address: the lines that it lies on, those a period apart as one; period 0: none are. */
static void touch_lines(struct counting *counting, const struct walk *walk, int64_t address, int64_t period)
{
    int64_t line = counting->line, end = address + (int64_t)walk->bytes;
    for (int64_t number = floor_divide(address, line); number * line < end; number++) {
        int64_t from = address > number * line ? address - number * line : 0;
        int64_t to = end < (number + 1) * line ? end - number * line : line;
        struct touch *touch = array_push(&counting->touches);
        *touch = (struct touch){.line = period ? ((number % period) + period) % period : number,
                                .stored = walk->stores ? pieces_of(from, to, line) : 0,
                                .loads = walk->loads,
                                .streams = walk->streams};
    }
}

/* Adds the lines that were touched, each once. */
static void add_touches(struct counting *counting, double weight, struct line_counts *counts)
{
    struct touch *touches = counting->touches.data;
    size_t count = counting->touches.count;
    if (count)
        qsort(touches, count, sizeof *touches, compare_touches);
    for (size_t first = 0, end; first < count; first = end) {
        struct touch all = touches[first];
        for (end = first + 1; end < count && touches[end].line == all.line; end++) {
            all.stored |= touches[end].stored;
            all.loads |= touches[end].loads;
            all.streams |= touches[end].streams;
        }
        double *kind = all.streams                             ? &counts->streamed
                       : !all.stored                           ? &counts->loaded
                       : all.loads || all.stored != UINT64_MAX ? &counts->updated
                                                               : &counts->stored;
        *kind += weight;
    }
}

/* Lines of accesses that move together. */
static void count_group(struct counting *counting, const struct walk *walks, size_t count,
                        struct line_counts *counts)
{
    int64_t line = counting->line, stride = walks->is_known ? size_of(walks->stride) : line;
    int64_t common = divisor(stride, line), period = walks->is_known ? stride / common : 0;
    int64_t steps = line / common, aligned = common;
    for (size_t i = 0; i < count; i++)
        aligned =
            divisor(aligned, divisor((int64_t)walks[i].bytes, walks[i].place.offset - walks[0].place.offset));
    double weight = (double)aligned / (double)(common * steps);
    for (int64_t base = 0; base < common; base += aligned) {
        counting->touches.count = 0;
        for (int64_t step = 0; step < steps; step++)
            for (size_t i = 0; i < count; i++)
                touch_lines(counting, &walks[i],
                            base + walks[i].place.offset - walks[0].place.offset + step * stride, period);
        add_touches(counting, weight, counts);
    }
}

/* The cache that still has a line when an access so many bytes after comes to it; the number of caches:
   none. */
static unsigned cache_behind(const struct counting *counting, int64_t bytes, int64_t stride)
{
    double between = 2 * counting->traffic * (double)bytes / (double)size_of(stride);
    unsigned place = 0;
    while (place < counting->machine->cache_count && (double)counting->machine->caches[place].bytes < between)
        place++;
    return place;
}

/* Whether accesses that move together come to the same lines, one after the other. */
static bool follows(const struct counting *counting, int64_t apart, int64_t stride)
{
    int64_t size = size_of(stride), rest = apart % size;
    return apart >= size && (size <= counting->line || rest < counting->line || size - rest < counting->line);
}

/* Divides what moves together at gaps that the first cache does not bridge. The part in front touches lines
   first; the others come to them again. */
static void count_together(struct counting *counting, const struct walk *walks, size_t count,
                           struct cost_lines *lines)
{
    bool is_upwards = walks->stride > 0;
    size_t first = is_upwards ? count : 0; /* of the part in front, as a border */
    unsigned place = counting->machine->cache_count;
    for (size_t done = 0; done < count;) {
        size_t taken = 1;
        unsigned next = 0;
        for (; done + taken < count; taken++) {
            const struct walk *one = is_upwards ? &walks[first - taken] : &walks[first + taken - 1];
            const struct walk *other = is_upwards ? one - 1 : one + 1;
            int64_t apart = is_upwards ? one->place.offset - other->place.offset
                                       : other->place.offset - one->place.offset;
            next = follows(counting, apart, walks->stride) ? cache_behind(counting, apart, walks->stride) : 0;
            if (next)
                break;
        }
        const struct walk *part = is_upwards ? &walks[first - taken] : &walks[first];
        count_group(counting, part, taken,
                    place < counting->machine->cache_count ? &lines->again[place] : &lines->first);
        first = is_upwards ? first - taken : first + taken;
        done += taken;
        place = next;
    }
}

static double all_of(const struct line_counts *counts)
{
    return counts->loaded + counts->updated + counts->stored + counts->streamed;
}

static void count_unknown(struct counting *counting, const struct walk *walks, size_t count,
                          struct cost_lines *lines)
{
    struct line_counts counts = {0};
    count_group(counting, walks, count, &counts);
    for (size_t i = 0; i < count; i++)
        if (walks[i].lanes > 1)
            *(walks[i].stores ? &counts.updated : &counts.loaded) += walks[i].lanes - 1;
    lines->unknown += all_of(&counts);
    lines->first.loaded += counts.loaded;
    lines->first.updated += counts.updated;
    lines->first.stored += counts.stored;
    lines->first.streamed += counts.streamed;
}

/* Bytes that the caches take up in an iteration. */
static double traffic_of(const struct walk *walks, size_t count, int64_t line)
{
    double most = (double)(count * (size_t)line);
    return walks->is_known && (double)size_of(walks->stride) < most ? (double)size_of(walks->stride) : most;
}

static size_t together_count(const struct counting *counting, size_t first)
{
    size_t end = first + 1;
    while (end < counting->count && is_together(&counting->walks[first], &counting->walks[end]))
        end++;
    return end - first;
}

static void count_walks(struct counting *counting, struct cost_lines *lines)
{
    for (size_t first = 0, count; first < counting->count; first += count) {
        count = together_count(counting, first);
        counting->traffic += traffic_of(&counting->walks[first], count, counting->line);
    }
    for (size_t first = 0, count; first < counting->count; first += count) {
        const struct walk *walks = &counting->walks[first];
        count = together_count(counting, first);
        if (!walks->is_known) {
            count_unknown(counting, walks, count, lines);
            continue;
        }
        lines->stream_count++;
        if (size_of(walks->stride) > size_of(lines->stride))
            lines->stride = walks->stride;
        count_together(counting, walks, count, lines);
    }
}

/* An access of a vector whose length the machine decides. */
static void scale(struct walk *walk, unsigned vector_bits)
{
    enum { LEAST_BITS = 128 };
    unsigned times = vector_bits > LEAST_BITS ? vector_bits / LEAST_BITS : 1;
    walk->bytes *= times;
    walk->lanes *= times;
    if (walk->is_known || walk->lanes)
        return;
    walk->stride = (int64_t)walk->bytes;
    walk->is_known = true;
}

/* The accesses that come to new places. */
static void list_walks(const struct cost_block *block, struct cost_scratch *scratch,
                       struct counting *counting)
{
    const struct cost_addresses *addresses = &scratch->addresses;
    cost_follow(&scratch->entry, block->entry, block->entry_count);
    const struct array *references = &addresses->references;
    for (size_t i = 0; i < references->count; i++) {
        const struct cost_reference *reference = ARRAY_AT(struct cost_reference, references, i);
        const struct machine_cost *cost = block->items[reference->item].cost;
        struct walk walk = {.place = reference->place,
                            .bytes = reference->bytes,
                            .loads = reference->loads,
                            .stores = reference->stores,
                            .streams = reference->stores && cost->is_non_temporal,
                            .lanes = reference->lanes};
        if (!walk.place.is_known || !walk.bytes)
            continue;
        walk.is_known = !walk.lanes && data_stride(addresses, &walk.place, &walk.stride);
        if (cost->is_scalable)
            scale(&walk, block->machine->core.vector_bits);
        walk.stride = walk.is_known ? walk.stride : 0;
        if (walk.is_known)
            cost_enter_place(&scratch->entry, &walk.place);
        if (!is_near(walk.place.offset))
            walk.place.offset = 0;
        if (walk.stride || !walk.is_known)
            counting->walks[counting->count++] = walk;
    }
}

bool cost_count_lines(const struct cost_block *block, struct cost_scratch *scratch, struct cost_lines *lines)
{
    *lines = (struct cost_lines){0};
    cost_find_dependences(block, scratch);
    const struct cost_addresses *addresses = &scratch->addresses;
    if (addresses->references.count > MOST_REFERENCES)
        return false;
    unsigned line = block->machine->cache_count ? block->machine->caches[0].line : 0;
    struct counting counting = {
        .machine = block->machine, .line = line ? line : USUAL_LINE, .touches = ARRAY_OF(struct touch)};
    counting.walks = memory_get((addresses->references.count + 1) * sizeof *counting.walks);
    list_walks(block, scratch, &counting);
    if (counting.count)
        qsort(counting.walks, counting.count, sizeof *counting.walks, compare_walks);
    count_walks(&counting, lines);
    array_free(&counting.touches);
    free(counting.walks);
    return true;
}
