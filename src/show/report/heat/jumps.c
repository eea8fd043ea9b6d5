/* Arrows for jumps from one row to another, in lanes beside the instructions: the shortest jumps nearest to them. */
#include "show/report/heat/parts.h"

#include <stdlib.h>
#include <string.h>

enum { LONGEST = 1000 }; /* rows; nobody follows a longer arrow */

struct jump {
    uint32_t from, to; /* rows */
};

static uint32_t length(const struct jump *jump)
{
    return jump->from < jump->to ? jump->to - jump->from : jump->from - jump->to;
}

static int by_length(const void *left, const void *right)
{
    const struct jump *a = left, *b = right;
    if (length(a) != length(b))
        return length(a) < length(b) ? -1 : 1;
    if (a->from != b->from)
        return a->from < b->from ? -1 : 1;
    return (a->to > b->to) - (a->to < b->to);
}

static uint64_t address_of_row(const struct heat *heat, const struct array *rows, size_t row)
{
    uint32_t place = ARRAY_AT(struct heat_row, rows, row)->place;
    uint32_t instruction = ARRAY_AT(struct heat_instruction, &heat->instructions, place)->instruction;
    return model_address(heat->model, instruction);
}

/* The row of an address; SIZE_MAX where it is none, or among what was left out. */
static size_t row_at(const struct heat *heat, const struct array *rows, uint64_t address)
{
    struct bisection search = {0, rows->count};
    while (bisect(&search))
        bisect_past(&search, address_of_row(heat, rows, search.middle) < address);
    bool is_there = search.first < rows->count && !ARRAY_AT(struct heat_row, rows, search.first)->skipped &&
                    address_of_row(heat, rows, search.first) == address;
    return is_there ? search.first : SIZE_MAX;
}

static struct array find_jumps(const struct heat *heat, const struct array *rows)
{
    const struct model *model = heat->model;
    struct array jumps = ARRAY_OF(struct jump);
    for (size_t i = 0; i < rows->count; i++) {
        const struct heat_row *row = ARRAY_AT(struct heat_row, rows, i);
        uint32_t id = ARRAY_AT(struct heat_instruction, &heat->instructions, row->place)->instruction;
        const struct instruction *instruction = model_instruction(model, id);
        uint8_t flow = model_encoding(model, instruction->encoding)->flow;
        if (row->skipped || (flow != flow_JUMP && flow != flow_BRANCH) || instruction->target == NO_ADDRESS)
            continue;
        size_t to = row_at(heat, rows, instruction->target);
        if (to != SIZE_MAX && to != i)
            *(struct jump *)array_push(&jumps) = (struct jump){(uint32_t)i, (uint32_t)to};
    }
    if (jumps.count)
        qsort(jumps.data, jumps.count, jumps.width, by_length);
    return jumps;
}

/* A lane is free if no other arrow of it touches these rows. */
static bool is_free(const uint8_t *busy, uint32_t first, uint32_t last, unsigned lane)
{
    for (uint32_t row = first; row <= last; row++)
        if (busy[row] >> lane & 1)
            return false;
    return true;
}

/* Lanes are counted from the instructions here; cells from the outermost one. */
static void draw(struct heat_jumps *jumps, const struct jump *jump, unsigned lane)
{
    uint32_t first = jump->from < jump->to ? jump->from : jump->to, last = first + length(jump);
    unsigned column = HEAT_LANES - 1 - lane;
    for (uint32_t row = first; row <= last; row++)
        jumps->cells[row * HEAT_LANES + column] |=
            (uint8_t)((row > first ? HEAT_UP : 0) | (row < last ? HEAT_DOWN : 0));
    uint32_t ends[] = {first, last};
    for (unsigned i = 0; i < 2; i++) {
        uint8_t *cells = &jumps->cells[ends[i] * HEAT_LANES];
        cells[column] |= HEAT_RIGHT;
        for (unsigned k = column + 1; k < HEAT_LANES; k++)
            cells[k] |= HEAT_LEFT | HEAT_RIGHT;
    }
    jumps->ends[jump->from] |= HEAT_STARTS;
    jumps->ends[jump->to] |= HEAT_LEADS_HERE;
    jumps->lanes = lane + 1 > jumps->lanes ? lane + 1 : jumps->lanes;
}

void heat_jumps_find(struct heat_jumps *jumps, const struct heat *heat, const struct array *rows)
{
    struct array all = find_jumps(heat, rows);
    autofree uint8_t *busy = memory_get(rows->count + 1);
    *jumps = (struct heat_jumps){.cells = memory_get((rows->count + 1) * HEAT_LANES),
                                 .ends = memory_get(rows->count + 1)};
    for (size_t i = 0; i < all.count; i++) {
        const struct jump *jump = ARRAY_AT(struct jump, &all, i);
        uint32_t first = jump->from < jump->to ? jump->from : jump->to, last = first + length(jump);
        unsigned lane = 0;
        while (lane < HEAT_LANES && length(jump) <= LONGEST && !is_free(busy, first, last, lane))
            lane++;
        if (lane == HEAT_LANES || length(jump) > LONGEST) {
            jumps->left_out++;
            continue;
        }
        for (uint32_t row = first; row <= last; row++)
            busy[row] |= (uint8_t)(1u << lane);
        draw(jumps, jump, lane);
    }
    array_free(&all);
}

void heat_jumps_free(struct heat_jumps *jumps)
{
    free(jumps->cells);
    free(jumps->ends);
}
