/* Listings of one instruction set become one program, and their text is kept. */
#include "read/listing.h"

#include "base/workers.h"
#include "read/bytes.h"

#include <stdlib.h>
#include <string.h>
#include <zstd.h>

enum { PIECE = 1 << 20, LONGEST_PIECE = 16 << 20, PACKING_LEVEL = 3 };

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

/* The end of a piece: after the last line that ends in it, or after the first line if that is longer.  A line
   can be longer than a database should hold in one piece: then it is cut, and the part counts as no line. */
static size_t piece_size(struct span text)
{
    if (text.size <= PIECE)
        return text.size;
    const uint8_t *newline = memrchr(text.data, '\n', PIECE);
    size_t most = text.size < LONGEST_PIECE ? text.size : LONGEST_PIECE;
    if (!newline)
        newline = memchr(text.data + PIECE, '\n', most - PIECE);
    return newline ? (size_t)(newline - text.data) + 1 : most;
}

void listing_keep_text(struct model *model, uint32_t program, const struct listing_source *source)
{
    struct span left = source->original.data ? source->original : source->text;
    uint32_t line = 1;
    while (left.size) {
        struct span piece = {left.data, piece_size(left)};
        bool is_last = piece.size == left.size;
        struct listing_text *row = model_add(&model->listings);
        *row = (struct listing_text){.program = program,
                                     .file = source->file,
                                     .first_line = line,
                                     .line_count = (uint32_t)bytes_count_lines(piece),
                                     .size = (uint32_t)piece.size,
                                     .text = piece};
        row->line_count += is_last && piece.data[piece.size - 1] != '\n';
        line += row->line_count;
        left = (struct span){left.data + piece.size, left.size - piece.size};
    }
}

struct packing {
    struct model *model;
    uint32_t first; /* row of listings */
    bool has_failed;
};

static void pack_piece(void *context, size_t item, unsigned worker)
{
    struct packing *packing = context;
    struct listing_text *row = model_listing_text(packing->model, packing->first + (uint32_t)item);
    size_t room = ZSTD_compressBound(row->text.size);
    (void)worker;
    uint8_t *space = memory_get(room);
    size_t size = ZSTD_compress(space, room, row->text.data, row->text.size, PACKING_LEVEL);
    if (ZSTD_isError(size))
        __atomic_store_n(&packing->has_failed, true, __ATOMIC_RELAXED);
    row->text = (struct span){space, ZSTD_isError(size) ? 0 : size};
}

/* The pieces of all files, several at a time.  The model keeps them. */
static bool pack_pieces(struct model *model, uint32_t first, unsigned threads, struct error *error)
{
    struct packing packing = {.model = model, .first = first};
    workers_run(threads, model->listings.count - first, pack_piece, &packing);
    for (uint32_t id = first; id < model->listings.count; id++)
        model_keep(model, (void *)model_listing_text(model, id)->text.data, free);
    return !packing.has_failed || error_set(error, NULL, "the text of a listing could not be compressed");
}

bool listing_read(struct model *model, enum isa isa, struct listing_source *sources, size_t count,
                  const struct read_options *options, struct error *error)
{
    uint32_t first = (uint32_t)model->listings.count;
    if (isa == isa_K1OM)
        return error_set(
            error, sources->path,
            "there is no assembler for Knights Corner here; give the object file of this listing");
    bool done = isa == isa_IA64 ? ia64_listing_read(model, sources, count, error)
                                : assembled_listing_read(model, isa, sources, count, options, error);
    for (size_t i = 0; done && i < count; i++) {
        uint32_t program = model_last(&model->programs);
        listing_keep_text(model, program, &sources[i]);
        if (sources[i].missing_headers)
            model_note_problem(model, program, problem_kind_LISTING, NO_ADDRESS, sources[i].missing_headers,
                               "headers that were not found and are passed over");
    }
    return done && pack_pieces(model, first, options->threads, error);
}
