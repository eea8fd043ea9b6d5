/* Merges the rows of all line programs and the ranges of all inlined calls into source lines.

   First the nested ranges of inlined calls are flattened: a sweep over their bounds, with a heap of the open
   calls, the deepest on top, gives disjoint ranges with the innermost call of each.  Then overlaps are
   removed from the rows, sorted by address (two units may claim an address if the linker folded equal
   functions: the row that starts first keeps it), the rows are split at the bounds of the ranges and where
   functions start, and equal neighbours are joined.

   Rows end where the next function starts though it may go on with the same line: the rows of a function are
   the same whether the inlined calls of its neighbours were read or not. */
#include "code/read/dwarf/reader.h"

#include <stdlib.h>

static int compare_ranges(const void *left, const void *right)
{
    const struct inlined_range *a = left, *b = right;
    if (a->address != b->address)
        return a->address < b->address ? -1 : 1;
    if (a->depth != b->depth)
        return a->depth < b->depth ? -1 : 1;
    return a->call < b->call ? -1 : a->call > b->call;
}

/* The deepest first; among equals, the one that was read first. */
static bool is_deeper(const struct inlined_range *a, const struct inlined_range *b)
{
    return a->depth != b->depth ? a->depth > b->depth : a->call < b->call;
}

static void heap_push(struct array *heap, const struct inlined_range *range)
{
    size_t at = heap->count;
    array_add(heap);
    const struct inlined_range **items = heap->data;
    while (at && is_deeper(range, items[(at - 1) / 2])) {
        items[at] = items[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    items[at] = range;
}

static void heap_pop(struct array *heap)
{
    const struct inlined_range **items = heap->data;
    const struct inlined_range *last = items[--heap->count];
    size_t at = 0, child;
    while ((child = 2 * at + 1) < heap->count) {
        if (child + 1 < heap->count && is_deeper(items[child + 1], items[child]))
            child++;
        if (!is_deeper(items[child], last))
            break;
        items[at] = items[child];
        at = child;
    }
    if (heap->count)
        items[at] = last;
}

static void add_stretch(struct array *stretches, uint64_t address, uint64_t end, uint32_t call)
{
    struct inlined_range *last = stretches->count ? array_at(stretches, stretches->count - 1) : NULL;
    if (address >= end)
        return;
    if (last && last->call == call && last->end == address)
        last->end = end;
    else
        *(struct inlined_range *)array_add(stretches) = (struct inlined_range){address, end, call, 0};
}

static struct array flatten(struct array *ranges)
{
    struct array stretches = ARRAY_OF(struct inlined_range);
    struct array heap = ARRAY_OF(const struct inlined_range *);
    if (ranges->count)
        qsort(ranges->data, ranges->count, ranges->width, compare_ranges);
    uint64_t at = 0;
    size_t next = 0;
    while (next < ranges->count || heap.count) {
        const struct inlined_range *top =
            heap.count ? *ARRAY_AT(const struct inlined_range *, &heap, 0) : NULL;
        const struct inlined_range *coming = next < ranges->count ? array_at(ranges, next) : NULL;
        if (top && top->end <= at) {
            heap_pop(&heap);
        } else if (coming && (!top || coming->address <= top->end)) {
            if (top)
                add_stretch(&stretches, at, coming->address, top->call);
            at = coming->address > at ? coming->address : at;
            heap_push(&heap, coming);
            next++;
        } else {
            add_stretch(&stretches, at, top->end, top->call);
            at = top->end;
            heap_pop(&heap);
        }
    }
    array_free(&heap);
    return stretches;
}

static int diff_rows(const void *left, const void *right)
{
    const struct source_line *a = left, *b = right;
    if (a->address != b->address)
        return a->address < b->address ? -1 : 1;
    if (a->unit != b->unit)
        return a->unit < b->unit ? -1 : 1;
    if (a->end != b->end)
        return a->end < b->end ? -1 : 1;
    if (a->file != b->file)
        return a->file < b->file ? -1 : 1;
    if (a->line != b->line)
        return a->line < b->line ? -1 : 1;
    return a->column < b->column ? -1 : a->column > b->column;
}

static bool are_sorted(const struct array *rows)
{
    for (size_t i = 1; i < rows->count; i++)
        if (diff_rows(array_at(rows, i - 1), array_at(rows, i)) > 0)
            return false;
    return true;
}

static int compare_addresses(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return a < b ? -1 : a > b;
}

/* Sorts where functions start.  A last one follows, behind all code. */
static const uint64_t *sorted_starts(struct debug_reader *reader)
{
    struct array *starts = &reader->function_starts;
    *(uint64_t *)array_push(starts) = UINT64_MAX;
    qsort(starts->data, starts->count, starts->width, compare_addresses);
    return starts->data;
}

static void append(struct debug_reader *reader, size_t first, const struct source_line *row, uint64_t address,
                   uint64_t end, uint32_t call, bool is_joined)
{
    struct array *lines = &reader->model->source_lines;
    struct source_line *last = lines->count > first ? array_at(lines, lines->count - 1) : NULL;
    if (is_joined && last && last->end == address && last->file == row->file && last->line == row->line &&
        last->column == row->column && last->unit == row->unit && last->inlined_call == call) {
        last->end = end;
        return;
    }
    struct source_line *added = model_add(lines);
    *added = *row;
    added->address = address;
    added->end = end;
    added->inlined_call = call;
}

void debug_finish_lines(struct debug_reader *reader)
{
    struct array *rows = &reader->rows;
    size_t first = reader->model->source_lines.count, at = 0;
    if (!are_sorted(rows))
        qsort(rows->data, rows->count, rows->width, diff_rows);
    struct array stretches = flatten(&reader->inlined_ranges);
    const uint64_t *start = sorted_starts(reader);
    uint64_t done = 0;
    for (size_t i = 0; i < rows->count; i++) {
        const struct source_line *row = array_at(rows, i);
        uint64_t address = row->address > done ? row->address : done;
        while (address < row->end) {
            while (at < stretches.count && ARRAY_AT(struct inlined_range, &stretches, at)->end <= address)
                at++;
            struct inlined_range *stretch = at < stretches.count ? array_at(&stretches, at) : NULL;
            uint64_t end = row->end;
            uint32_t call = 0;
            if (stretch && stretch->address <= address) {
                call = stretch->call;
                end = stretch->end < end ? stretch->end : end;
            } else if (stretch && stretch->address < end) {
                end = stretch->address;
            }
            while (*start < address)
                start++;
            bool is_start = *start == address;
            while (*start <= address)
                start++;
            end = *start < end ? *start : end;
            append(reader, first, row, address, end, call, !is_start);
            address = end;
        }
        done = row->end > done ? row->end : done;
    }
    array_free(&stretches);
}
