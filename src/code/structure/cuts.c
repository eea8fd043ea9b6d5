/* Cuts pieces where further functions start, and around padding.

   A piece whose size the file states is never cut, nor one that is not decoded.  Parts keep their entries of
   the piece; if a cut goes through an instruction, the parts beside it are decoded again. */
#include "code/structure/layout.h"

#include <stdlib.h>
#include <string.h>

/* Entries [index, …) of the piece become a piece of their own, which is returned. */
static struct piece split_at(const struct layout *layout, struct piece *piece, uint32_t index)
{
    struct piece tail = *piece;
    tail.start = layout_section_start(layout, piece) + layout_instructions(layout, piece)[index].offset;
    tail.first = piece->first + index;
    tail.count = piece->count - index;
    tail.symbol = 0;
    tail.is_function = false;
    piece->end = tail.start;
    piece->count = index;
    return tail;
}

/* The part [start, end) of a piece.  Its entries are those of the piece, unless it starts or ends inside one
   of them: then it is decoded anew, alone, so that all parts together cost as much as the piece. */
static struct piece take_part(struct layout *layout, const struct piece *piece, uint64_t start, uint64_t end,
                              bool *is_swept_again)
{
    struct piece part = *piece;
    uint32_t first = layout_index(layout, piece, start);
    uint32_t last = end == piece->end ? piece->count : layout_index(layout, piece, end);
    part.start = start;
    part.end = end;
    if (first != UINT32_MAX && last != UINT32_MAX) {
        part.first = piece->first + first;
        part.count = last - first;
    } else {
        part.is_searched = false;
        layout_sweep_again(layout, &part);
        *is_swept_again = true;
    }
    return part;
}

/* Cuts a piece at the addresses that lie in it, in order, and appends the parts.  Returns whether something
   was decoded anew. */
static bool cut_piece(struct layout *layout, const struct piece *piece, const struct found_start *starts,
                      size_t count, struct array *result)
{
    bool is_swept_again = false;
    if (starts[0].address > piece->start)
        *(struct piece *)array_add(result) =
            take_part(layout, piece, piece->start, starts[0].address, &is_swept_again);
    for (size_t i = 0; i < count; i++) {
        uint64_t end = i + 1 < count ? starts[i + 1].address : piece->end;
        struct piece part = take_part(layout, piece, starts[i].address, end, &is_swept_again);
        if (starts[i].address > piece->start) {
            part.symbol = 0;
            part.returns = true;
        }
        part.is_function = part.is_guessed = true;
        part.origin = part.symbol ? part.origin : starts[i].origin;
        *(struct piece *)array_add(result) = part;
    }
    return is_swept_again;
}

static int by_address(const void *a, const void *b)
{
    const struct found_start *x = a, *y = b;
    if (x->address != y->address)
        return x->address < y->address ? -1 : 1;
    return (int)x->origin - (int)y->origin;
}

static void sort_starts(struct array *starts)
{
    size_t kept = 0;
    if (starts->count)
        qsort(starts->data, starts->count, sizeof(struct found_start), by_address);
    for (size_t i = 0; i < starts->count; i++) {
        struct found_start start = *ARRAY_AT(struct found_start, starts, i);
        if (!kept || ARRAY_AT(struct found_start, starts, kept - 1)->address != start.address)
            *ARRAY_AT(struct found_start, starts, kept++) = start;
    }
    starts->count = kept;
}

bool layout_cut(struct layout *layout, struct array *starts)
{
    struct array result = ARRAY_OF(struct piece);
    bool is_swept_again = false;
    size_t at = 0;
    if (!starts->count)
        return false;
    sort_starts(starts);
    array_reserve(&result, layout->pieces.count + starts->count);
    for (size_t i = 0; i < layout->pieces.count; i++) {
        struct piece piece = *layout_piece(layout, i);
        const struct found_start *first = ARRAY_AT(struct found_start, starts, at);
        while (at < starts->count && first->address < piece.start)
            first++, at++;
        size_t count = 0;
        while (at + count < starts->count && first[count].address < piece.end)
            count++;
        if (!count || piece.is_size_known || !piece.is_swept) {
            for (size_t k = 0; k < count; k++)
                *(uint64_t *)array_add(&layout->entries) = first[k].address;
            *(struct piece *)array_add(&result) = piece;
        } else {
            is_swept_again |= cut_piece(layout, &piece, first, count, &result);
        }
        at += count;
    }
    layout_set_pieces(layout, result);
    return is_swept_again;
}

bool layout_is_padding(const struct layout *layout, const struct piece *piece, uint32_t index)
{
    const struct sweep_instruction *entry = &layout_instructions(layout, piece)[index];
    const struct section *section = model_section(layout->model, piece->section);
    uint64_t size = layout_entry_end(layout, piece, index) - section->address - entry->offset, zeros = 0;
    while (zeros < size && !section->contents.data[entry->offset + zeros])
        zeros++;
    if (zeros == size)
        return true;
    if (!entry->encoding)
        return false;
    const struct encoding *encoding = model_encoding(layout->model, entry->encoding);
    if (encoding->class != class_NOP)
        return encoding->operation == operation_FILL;
    return encoding->operation != operation_MARK; /* functions begin so */
}

static bool is_plain_code(const struct layout *layout, const struct piece *piece)
{
    const struct sweep_instruction *entries = layout_instructions(layout, piece);
    for (uint32_t i = 0; i < piece->count; i++)
        if (!entries[i].encoding)
            return false;
    return piece->count > 0;
}

/* Removes padding from both ends of the code between functions, and from the end of functions of unknown
   size. */
static void trim_piece(struct layout *layout, struct piece piece, struct array *result)
{
    uint32_t lead = 0, end = piece.count;
    if (!piece.is_function)
        while (lead < piece.count && layout_is_padding(layout, &piece, lead))
            lead++;
    while (end > lead + (piece.is_function ? 1 : 0) && layout_is_padding(layout, &piece, end - 1))
        end--;
    if (!piece.is_function && lead < end && lead) {
        struct piece body = split_at(layout, &piece, lead);
        *(struct piece *)array_add(result) = piece;
        piece = body;
        end -= lead;
        lead = 0;
    }
    struct piece padding = {0};
    if (lead < end && end < piece.count)
        padding = split_at(layout, &piece, end);
    if (!piece.is_function && lead < end && is_plain_code(layout, &piece)) {
        piece.is_function = piece.is_guessed = true;
        piece.origin = origin_GAP;
    }
    *(struct piece *)array_add(result) = piece;
    if (padding.count)
        *(struct piece *)array_add(result) = padding;
}

static bool is_trimmed(const struct piece *piece)
{
    return piece->is_swept && !(piece->is_function && piece->is_size_known);
}

/* Whether trimming would change nothing: the code between two functions is all padding. */
static bool is_all_padding(const struct layout *layout, const struct piece *piece)
{
    for (uint32_t i = 0; i < piece->count; i++)
        if (!layout_is_padding(layout, piece, i))
            return false;
    return !piece->is_function;
}

void layout_trim_padding(struct layout *layout)
{
    struct array result = ARRAY_OF(struct piece);
    size_t first = 0;
    while (first < layout->pieces.count &&
           (!is_trimmed(layout_piece(layout, first)) || is_all_padding(layout, layout_piece(layout, first))))
        first++;
    if (first == layout->pieces.count)
        return;
    array_reserve(&result, layout->pieces.count * 2);
    for (size_t i = 0; i < layout->pieces.count; i++) {
        const struct piece *piece = layout_piece(layout, i);
        if (is_trimmed(piece))
            trim_piece(layout, *piece, &result);
        else
            *(struct piece *)array_add(&result) = *piece;
    }
    layout_set_pieces(layout, result);
}
