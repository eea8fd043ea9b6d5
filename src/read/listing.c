/* Listings of one instruction set become one program, and their text is kept. */
#include "read/listing.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { PIECE = 64 * 1024 };

enum isa listing_detect(struct span text)
{
    return listing_guess(text).isa;
}

bool listing_refuse(const char *path, const struct listing_guess *guess, struct error *error)
{
    if (guess->other)
        return error_set(
            error, path,
            "this looks like an assembly listing for %s; Assay reads those for x86-64, i386, AArch64 "
            "and IA-64 (--isa says which if this is wrong)",
            guess->other);
    if (guess->is_assembly)
        return error_set(
            error, path,
            "this looks like an assembly listing, but for none of the instruction sets that Assay "
            "reads; if it is for one of them, say which with --isa");
    return error_set(error, path, "this is a text file, not a program or an assembly listing");
}

/* The end of a piece: after the last line that ends in it, or after the first line if that is longer. */
static size_t piece_size(struct span text)
{
    if (text.size <= PIECE)
        return text.size;
    const uint8_t *newline = memrchr(text.data, '\n', PIECE);
    if (!newline)
        newline = memchr(text.data + PIECE, '\n', text.size - PIECE);
    return newline ? (size_t)(newline - text.data) + 1 : text.size;
}

static uint32_t count_lines(struct span text)
{
    uint32_t count = 0;
    const uint8_t *at = text.data, *end = text.data + text.size;
    while (at < end && (at = memchr(at, '\n', (size_t)(end - at)))) {
        count++;
        at++;
    }
    return count + (text.size && text.data[text.size - 1] != '\n');
}

/* zlib counts in unsigned int where it matters not: the text of a piece is cut to what the column size holds.
 */
static struct span compress_piece(struct model *model, struct span text)
{
    uLongf size = compressBound((uLong)text.size);
    uint8_t *space = memory_get(size);
    if (compress2(space, &size, text.data, (uLong)text.size, 6) != Z_OK)
        size = 0;
    uint8_t *kept = memory_get(size + 1);
    memcpy(kept, space, size);
    free(space);
    model_keep(model, kept, free);
    return (struct span){kept, size};
}

void listing_keep_text(struct model *model, uint32_t program, const struct listing_source *source)
{
    struct span left = source->original.data ? source->original : source->text;
    uint32_t line = 1;
    while (left.size) {
        size_t size = piece_size(left);
        struct span piece = {left.data, size < UINT32_MAX ? size : UINT32_MAX};
        struct span text = compress_piece(model, piece);
        struct listing_text *row = model_add(&model->listings);
        *row = (struct listing_text){.program = program,
                                     .file = source->file,
                                     .first_line = line,
                                     .line_count = count_lines(piece),
                                     .size = (uint32_t)piece.size,
                                     .text = text};
        line += row->line_count;
        left = (struct span){left.data + piece.size, left.size - piece.size};
    }
}

bool listing_read(struct model *model, enum isa isa, struct listing_source *sources, size_t count,
                  const struct read_options *options, struct error *error)
{
    bool done = isa == isa_IA64 ? ia64_listing_read(model, sources, count, error)
                                : assembled_listing_read(model, isa, sources, count, options, error);
    for (size_t i = 0; done && i < count; i++) {
        uint32_t program = model_last(&model->programs);
        listing_keep_text(model, program, &sources[i]);
        if (sources[i].missing_headers)
            model_note_problem(model, program, problem_kind_LISTING, NO_ADDRESS, sources[i].missing_headers,
                               "headers that were not found and are passed over");
    }
    return done;
}
