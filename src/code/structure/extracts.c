/* Cuts extracts out of large pieces of unknown size, of a program that is read in part.

   Some programs have megabytes of code without symbols and unwind tables: one piece, in which only decoding
   shows functions.  Where an address of such a piece is needed, the code around it is made a piece of its
   own, and the rest stays undecoded.  A function that reaches over the end of an extract is cut there. */
#include "code/structure/layout.h"

#include <stdlib.h>

static int by_start(const void *a, const void *b)
{
    const struct extract *x = a, *y = b;
    return x->start < y->start ? -1 : x->start > y->start;
}

bool layout_is_large(const struct piece *piece)
{
    return !piece->is_size_known && !piece->is_swept && piece->end - piece->start > LARGE_PIECE;
}

static void add_piece(struct array *pieces, const struct piece *whole, uint64_t start, uint64_t end)
{
    if (start >= end)
        return;
    struct piece *piece = array_add(pieces);
    *piece = *whole;
    piece->start = start;
    piece->end = end;
    if (start > whole->start) {
        piece->symbol = 0;
        piece->is_function = false;
    }
}

void layout_cut_extracts(struct layout *layout, struct array *extracts)
{
    struct array pieces = ARRAY_OF(struct piece);
    size_t at = 0;
    if (!extracts->count)
        return;
    qsort(extracts->data, extracts->count, sizeof(struct extract), by_start);
    array_reserve(&pieces, layout->pieces.count + 2 * extracts->count);
    for (size_t i = 0; i < layout->pieces.count; i++) {
        const struct piece *piece = layout_piece(layout, i);
        uint64_t done = piece->start;
        for (; at < extracts->count && ARRAY_AT(struct extract, extracts, at)->start < piece->end; at++) {
            struct extract extract = *ARRAY_AT(struct extract, extracts, at);
            if (extract.end > piece->end)
                extract.end = piece->end;
            if (!layout_is_large(piece) || extract.end <= done)
                continue;
            if (extract.start > done)
                add_piece(&pieces, piece, done, extract.start);
            add_piece(&pieces, piece, extract.start > done ? extract.start : done, extract.end);
            done = extract.end;
        }
        add_piece(&pieces, piece, done, piece->end);
    }
    layout_set_pieces(layout, pieces);
}
