/* Listings of one instruction set become one program, and their text is kept. */
#include "code/read/listing/listing.h"

#include "base/path.h"

#include "base/workers.h"
#include "code/read/bytes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

enum { PIECE = 1 << 20, LONGEST_PIECE = 16 << 20, PACKING_LEVEL = 3 };

bool listing_is_named(const char *path)
{
    static const char *const suffixes[] = {".s", ".S", ".sx", ".asm"};
    const char *dot = strrchr(path_name(path), '.');
    for (size_t i = 0; dot && i < sizeof suffixes / sizeof *suffixes; i++)
        if (!strcmp(dot, suffixes[i]))
            return true;
    return false;
}

/* "x86-64, i386 or aarch64": the ones that some line votes for, or all if none does. */
static void list_candidates(const struct listing_guess *guess, char *text, size_t size)
{
    static const struct {
        enum isa isa;
        const char *word;
    } known[] = {{isa_X86_64, "x86-64"},
                 {isa_I386, "i386"},
                 {isa_K1OM, "k1om"},
                 {isa_AARCH64, "aarch64"},
                 {isa_IA64, "ia64"}};
    enum { KNOWN = sizeof known / sizeof *known };
    size_t told[KNOWN], count = 0, used = 0;
    for (size_t i = 0; i < KNOWN; i++)
        if (guess->may_be[known[i].isa])
            told[count++] = i;
    for (size_t i = 0; !count && i < KNOWN; i++)
        told[i] = i;
    count = count ? count : KNOWN;
    for (size_t i = 0; i < count && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%s",
                                 !i              ? ""
                                 : i + 1 < count ? ", "
                                                 : " or ",
                                 known[told[i]].word);
}

bool listing_refuse(const char *path, const struct listing_guess *guess, struct error *error)
{
    if (guess->other)
        return error_set(error, path,
                         "this looks like an assembly listing for %s; Assay reads listings for x86-64, i386, "
                         "Knights Corner, AArch64 and IA-64 (if this is wrong, choose one with --isa)",
                         guess->other);
    if (guess->is_assembly) {
        char candidates[64];
        list_candidates(guess, candidates, sizeof candidates);
        return error_set(error, path,
                         "this is an assembly listing, but the text does not show its instruction set; "
                         "choose one with --isa: it could be %s",
                         candidates);
    }
    return error_set(error, path, "this is a text file, not a program or an assembly listing");
}

/* The end of a piece: after the last line that ends in it, or after the first line if that is longer.  A line
   that is too long for one piece in a database is cut, and the part does not count as a line. */
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

/* The text goes into the table listings, compressed. */
static void listing_keep_text(struct model *model, uint32_t program, const struct listing_source *source)
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
    bool done = isa == isa_IA64 ? ia64_listing_read(model, sources, count, error)
                                : assembled_listing_read(model, isa, sources, count, options, error);
    for (size_t i = 0; done && i < count; i++) {
        uint32_t program = model_last(&model->programs);
        listing_keep_text(model, program, &sources[i]);
        if (sources[i].missing_headers)
            model_note_problem(model, program, problem_kind_LISTING, NO_ADDRESS, sources[i].missing_headers,
                               "headers that were not found (skipped)");
    }
    return done && pack_pieces(model, first, options->threads, error);
}
