/* Maps of arrays become rows: two dimensions at a time, for each phase and for the whole run.

   A map of the file is a list of runs along the array's memory.  Slices (all but the first two dimensions)
   follow each other there, so they are made one after the other: of each phase's map the part that belongs to
   the slice is added to the picture of the phase and to that of the whole run, and pictures with something in
   them become rows. Nothing larger than two pictures is in memory, however large the array is.

   A picture has at most MOST_SIDE cells in each direction; elements of larger arrays share cells.  A run has
   pictures for its phases where there are several.  All of these together have a budget, because a program
   with thousands of phases would fill its database with them: where they do not fit, they are made smaller.
   An array of very many slices is one picture, with all its rows below each other. */
#include "run/denormal/trace.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { MOST_SIDE = 1024, LEAST_SIDE = 64, MOST_SLICES = 256, FAST = 1 };
/* A map beyond these limits is damaged; within them, byte offsets fit 64 bits. */
static const uint64_t MOST_CELLS = (uint64_t)1 << 33;
/* Bytes of all pictures before they are compressed: of phases, and of whole runs. */
static const uint64_t BUDGET_OF_PHASES = (uint64_t)1 << 30, BUDGET = (uint64_t)2 << 30;

/* Where the reading of a map is. */
struct reader {
    const struct trace_map_read *map;
    size_t at;
    uint64_t cell;   /* the next one */
    uint64_t counts; /* that follow before the next gap */
    bool is_over;
};

struct picture {
    uint32_t width, height, shrink;
    uint32_t *cells;
    uint32_t largest;
};

/* An array as a stack of slices. */
struct stack {
    uint64_t width, height, slices, element_bytes;
};

struct maps {
    struct model *model;
    const struct trace *trace;
    const uint32_t *rows;
    uint32_t first_phase;
    struct arena *kept;
    uint64_t spent, spent_on_phases, left_out;
    uint32_t phase_side; /* of pictures of phases */
};

static bool take_number(struct reader *reader, uint64_t *number)
{
    *number = 0;
    for (unsigned shift = 0; shift < 35; shift += 7) {
        if (reader->at == reader->map->runs.size)
            return false;
        uint8_t byte = reader->map->runs.data[reader->at++];
        *number |= (uint64_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80))
            return true;
    }
    return false;
}

/* Moves to the next cell with a count. */
static void find_next(struct reader *reader)
{
    while (!reader->is_over && !reader->counts) {
        uint64_t gap;
        if (!take_number(reader, &gap) || !take_number(reader, &reader->counts) ||
            reader->cell + gap > MOST_CELLS)
            reader->is_over = true;
        else
            reader->cell += gap;
    }
}

/* The element that a cell begins in. */
static uint64_t element_of(const struct reader *reader, const struct stack *stack)
{
    return reader->cell * reader->map->facts.cell_bytes / stack->element_bytes;
}

static uint64_t slice_of(const struct reader *reader, const struct stack *stack)
{
    return element_of(reader, stack) / (stack->width * stack->height);
}

static void count_cell(struct picture *picture, uint64_t x, uint64_t y, uint64_t count)
{
    uint32_t *cell = &picture->cells[y / picture->shrink * picture->width + x / picture->shrink];
    uint64_t sum = *cell + count;
    *cell = sum > UINT32_MAX ? UINT32_MAX : (uint32_t)sum;
    if (*cell > picture->largest)
        picture->largest = *cell;
}

/* Adds the part of a map in a slice to both pictures. */
static void draw_slice(struct reader *reader, const struct stack *stack, uint64_t slice,
                       struct picture *phase, struct picture *whole)
{
    for (find_next(reader); !reader->is_over && slice_of(reader, stack) == slice; find_next(reader)) {
        uint64_t element = element_of(reader, stack) % (stack->width * stack->height), count;
        if (!take_number(reader, &count)) {
            reader->is_over = true;
            return;
        }
        reader->counts--;
        reader->cell++;
        count_cell(phase, element % stack->width, element / stack->width, count);
        count_cell(whole, element % stack->width, element / stack->width, count);
    }
}

static void clear(struct picture *picture)
{
    if (picture->largest)
        memset(picture->cells, 0, (size_t)picture->width * picture->height * sizeof *picture->cells);
    picture->largest = 0;
}

/* Counts in the format of the column: least significant byte first. */
static struct span pack(struct maps *maps, const struct picture *picture)
{
    size_t count = (size_t)picture->width * picture->height, bytes = count * 4;
    uint8_t *plain = memory_get(bytes);
    for (size_t i = 0; i < count; i++)
        for (unsigned byte = 0; byte < 4; byte++)
            plain[4 * i + byte] = (uint8_t)(picture->cells[i] >> 8 * byte);
    uLongf size = compressBound((uLong)bytes);
    uint8_t *packed = memory_get(size);
    bool is_done = compress2(packed, &size, plain, (uLong)bytes, FAST) == Z_OK;
    free(plain);
    uint8_t *kept = is_done ? arena_get(maps->kept, size) : NULL;
    if (kept)
        memcpy(kept, packed, size);
    free(packed);
    return kept ? (struct span){kept, size} : (struct span){0};
}

static void add_row(struct maps *maps, const struct picture *picture, const struct trace_map *facts,
                    uint32_t phase, uint64_t slice)
{
    uint64_t bytes = (uint64_t)picture->width * picture->height * 4;
    if (!picture->largest)
        return;
    uint64_t *spent = phase ? &maps->spent_on_phases : &maps->spent;
    if (*spent + bytes > (phase ? BUDGET_OF_PHASES : BUDGET)) {
        maps->left_out++;
        return;
    }
    *spent += bytes;
    struct span counts = pack(maps, picture);
    struct denormal_map *row = model_add(&maps->model->denormal_maps);
    *row = (struct denormal_map){.array = maps->rows[trace_array_of(maps->trace, facts->number)],
                                 .phase = phase,
                                 .kind = (uint8_t)facts->kind,
                                 .source = maps->rows[trace_array_of(maps->trace, facts->source)],
                                 .slice = (uint32_t)slice,
                                 .width = picture->width,
                                 .height = picture->height,
                                 .shrink = picture->shrink,
                                 .largest = picture->largest,
                                 .counts = counts};
}

static struct picture size_picture(const struct stack *stack, uint32_t cell_bytes, uint32_t most_side)
{
    uint64_t longer = stack->width > stack->height ? stack->width : stack->height;
    uint64_t shrink = (longer + most_side - 1) / most_side;
    if (cell_bytes / stack->element_bytes > shrink) /* the tracer's cells are coarser */
        shrink = cell_bytes / stack->element_bytes;
    return (struct picture){.width = (uint32_t)((stack->width + shrink - 1) / shrink),
                            .height = (uint32_t)((stack->height + shrink - 1) / shrink),
                            .shrink = (uint32_t)shrink};
}

static struct picture new_picture(const struct stack *stack, uint32_t cell_bytes, uint32_t most_side)
{
    struct picture picture = size_picture(stack, cell_bytes, most_side);
    picture.cells = memory_get((size_t)picture.width * picture.height * sizeof *picture.cells);
    return picture;
}

/* false: nothing that could be drawn. */
static bool lay_out(const struct trace_shape *shape, struct stack *stack)
{
    static const uint64_t LARGEST = (uint64_t)1 << 40;
    *stack = (struct stack){shape->dimensions[0], shape->rank > 1 ? shape->dimensions[1] : 1, 1,
                            shape->element_bytes};
    for (uint32_t i = 2; i < shape->rank; i++)
        if (__builtin_mul_overflow(stack->slices, shape->dimensions[i], &stack->slices))
            return false;
    if (stack->slices > MOST_SLICES) {
        if (__builtin_mul_overflow(stack->slices, stack->height, &stack->height))
            return false;
        stack->slices = 1;
    }
    return stack->width && stack->height && stack->slices && stack->width <= UINT32_MAX &&
           stack->height <= UINT32_MAX && stack->width <= LARGEST / stack->height;
}

/* The next slice that a map has something in, or UINT64_MAX. */
static uint64_t next_slice(struct reader *readers, size_t count, const struct stack *stack)
{
    uint64_t slice = UINT64_MAX;
    for (size_t i = 0; i < count; i++) {
        find_next(&readers[i]);
        if (!readers[i].is_over && slice_of(&readers[i], stack) < slice)
            slice = slice_of(&readers[i], stack);
    }
    return slice;
}

/* All maps of one array, kind and source, in order of phases. */
struct group {
    size_t first, count; /* among the places below */
    struct stack stack;
    bool is_drawn;
};

static void add_group(struct maps *maps, const struct group *group, const struct trace_map_read *reads)
{
    const struct trace_map *facts = &reads[0].facts;
    const struct stack *stack = &group->stack;
    if (maps->spent > BUDGET || !group->is_drawn) {
        maps->left_out++;
        return;
    }
    struct reader *readers = memory_get(group->count * sizeof *readers);
    struct picture phase = new_picture(stack, facts->cell_bytes, maps->phase_side),
                   whole = new_picture(stack, facts->cell_bytes, MOST_SIDE);
    for (size_t i = 0; i < group->count; i++)
        readers[i].map = &reads[i];
    bool has_phases = maps->trace->phases.count > 1;
    for (;;) {
        uint64_t slice = next_slice(readers, group->count, stack);
        if (slice >= stack->slices) /* nothing, or memory behind the array in an earlier allocation */
            break;
        clear(&whole);
        for (size_t i = 0; i < group->count;) {
            clear(&phase);
            uint32_t at_hand = readers[i].map->phase;
            for (; i < group->count && readers[i].map->phase == at_hand; i++)
                draw_slice(&readers[i], stack, slice, &phase, &whole);
            if (has_phases)
                add_row(maps, &phase, facts, maps->first_phase + at_hand, slice);
        }
        add_row(maps, &whole, facts, 0, slice);
    }
    free(phase.cells);
    free(whole.cells);
    free(readers);
}

/* Numbers that stand for the same array belong together. */
struct place {
    uint32_t array, kind, source, phase;
    size_t index;
};

static int by_place(const void *left, const void *right)
{
    const struct place *a = left, *b = right;
    if (a->array != b->array)
        return a->array < b->array ? -1 : 1;
    if (a->kind != b->kind)
        return a->kind < b->kind ? -1 : 1;
    if (a->source != b->source)
        return a->source < b->source ? -1 : 1;
    if (a->phase != b->phase)
        return a->phase < b->phase ? -1 : 1;
    return (a->index > b->index) - (a->index < b->index);
}

static bool is_same_group(const struct place *a, const struct place *b)
{
    return a->array == b->array && a->kind == b->kind && a->source == b->source;
}

static void release_arena(void *memory)
{
    arena_free(memory);
    free(memory);
}

static struct array places_of(const struct trace *trace, const uint32_t *rows)
{
    struct array places = ARRAY_OF(struct place);
    for (size_t i = 0; i < trace->maps.count; i++) {
        const struct trace_map_read *map = ARRAY_AT(struct trace_map_read, &trace->maps, i);
        struct place place = {.array = rows[trace_array_of(trace, map->facts.number)],
                              .kind = map->facts.kind,
                              .source = rows[trace_array_of(trace, map->facts.source)],
                              .phase = map->phase,
                              .index = i};
        bool has_source = map->facts.kind == TRACE_MAP_ORIGIN;
        if (place.array && has_source == (place.source != 0))
            *(struct place *)array_push(&places) = place;
    }
    if (places.count)
        qsort(places.data, places.count, places.width, by_place);
    return places;
}

static const struct trace_map_read *map_at(const struct trace *trace, const struct array *places, size_t i)
{
    return ARRAY_AT(struct trace_map_read, &trace->maps, ARRAY_AT(struct place, places, i)->index);
}

static struct array groups_of(const struct trace *trace, const struct array *places)
{
    struct array groups = ARRAY_OF(struct group);
    for (size_t i = 0; i < places->count;) {
        const struct place *first = ARRAY_AT(struct place, places, i);
        const struct trace_map *facts = &map_at(trace, places, i)->facts;
        struct trace_shape shape =
            trace_shape_of(trace, trace_array_of(trace, facts->number), facts->cell_bytes);
        struct group group = {.first = i};
        group.is_drawn = lay_out(&shape, &group.stack);
        while (i < places->count && is_same_group(first, ARRAY_AT(struct place, places, i)))
            i++;
        group.count = i - group.first;
        *(struct group *)array_push(&groups) = group;
    }
    return groups;
}

/* The largest side with which pictures of all phases fit their budget. */
static uint32_t choose_side(const struct trace *trace, const struct array *places, const struct array *groups)
{
    uint32_t side = MOST_SIDE;
    for (; side > LEAST_SIDE; side /= 2) {
        uint64_t bytes = 0;
        for (size_t i = 0; i < groups->count && bytes <= BUDGET_OF_PHASES; i++) {
            const struct group *group = ARRAY_AT(struct group, groups, i);
            if (!group->is_drawn)
                continue;
            struct picture picture =
                size_picture(&group->stack, map_at(trace, places, group->first)->facts.cell_bytes, side);
            bytes += (uint64_t)picture.width * picture.height * 4 * group->stack.slices * group->count;
        }
        if (bytes <= BUDGET_OF_PHASES)
            break;
    }
    return side;
}

void trace_add_maps(struct model *model, const struct trace *trace, const uint32_t *rows,
                    uint32_t first_phase, uint64_t *left_out)
{
    struct array places = places_of(trace, rows), groups = groups_of(trace, &places);
    struct array reads = ARRAY_OF(struct trace_map_read);
    struct maps maps = {.model = model, .trace = trace, .rows = rows, .first_phase = first_phase};
    maps.kept = memory_get(sizeof *maps.kept);
    model_keep(model, maps.kept, release_arena);
    maps.phase_side = choose_side(trace, &places, &groups);
    for (size_t i = 0; i < groups.count; i++) {
        const struct group *group = ARRAY_AT(struct group, &groups, i);
        reads.count = 0;
        for (size_t k = 0; k < group->count; k++)
            *(struct trace_map_read *)array_push(&reads) = *map_at(trace, &places, group->first + k);
        add_group(&maps, group, reads.data);
    }
    array_free(&places);
    array_free(&groups);
    array_free(&reads);
    *left_out = maps.left_out;
}
