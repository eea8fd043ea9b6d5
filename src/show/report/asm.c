/* A listing goes block by block in the order of addresses.  A line of source opens each stretch of
   instructions that comes from it; the first block of a loop says so; a PC-relative address is followed by
   the name of its target.  Instructions of an assembly listing are shown as the listing has them, with its
   line numbers; those that a macro or an alignment made, as they are decoded. */
#include "show/report/asm.h"

#include "model/demangle.h"
#include "show/report/listing_text.h"
#include "show/report/common/places.h"
#include "show/report/common/rows.h"
#include "show/report/common/text.h"
#include "store/problem.h"
#include "show/report/queries.h"

#include <stdlib.h>
#include <string.h>

enum { BYTES_SHOWN = 8, LONGEST_SOURCE = 200 };

struct listing {
    const struct report_style *style;
    const struct asm_options *options;
    FILE *out;
    struct places places;
    struct listing_lines lines;
    sqlite3_stmt *instructions, *source, *function, *loop, *line;
    int64_t last_function, last_source;
    char *last_place; /* the source line printed last */
};

static const char *const block_queries[] = {
    [asm_FUNCTION] = "asm_function_blocks",
    [asm_LOOP] = "asm_loop_blocks",
    [asm_BLOCK] = "asm_block_blocks",
    [asm_SECTION] = "asm_section_blocks",
};

static bool prepare(sqlite3 *connection, const char *name, sqlite3_stmt **statement, struct error *error)
{
    if (sqlite3_prepare_v2(connection, query_named(report_queries, name), -1, statement, NULL) != SQLITE_OK)
        return error_set(error, NULL, "%s", store_problem(connection));
    return true;
}

/* Binds one id and steps to its row. */
static bool look_up(sqlite3_stmt *statement, int64_t id, struct error *error)
{
    sqlite3_reset(statement);
    sqlite3_bind_int64(statement, 1, id);
    return report_step(statement, error) == 1;
}

static const char *column_text(sqlite3_stmt *statement, int column)
{
    return (const char *)sqlite3_column_text(statement, column);
}

static void print_safe(FILE *out, const char *text, size_t length)
{
    autofree char *safe = text_safe(text, length);
    fputs(safe, out);
}

static void print_name(struct listing *listing, const char *name)
{
    autofree char *plain = listing->style->demangle ? demangle_name(name) : NULL;
    print_safe(listing->out, plain ? plain : name, strlen(plain ? plain : name));
}

static void print_place(struct listing *listing, sqlite3_stmt *statement, int path_column)
{
    const char *path = column_text(statement, path_column);
    if (!path)
        return;
    path = places_path(&listing->places, path);
    print_safe(listing->out, path, strlen(path));
    if (sqlite3_column_type(statement, path_column + 1) != SQLITE_NULL)
        fprintf(listing->out, ":%lld", (long long)sqlite3_column_int64(statement, path_column + 1));
}

static void print_function(struct listing *listing, int64_t function, struct error *error)
{
    if (function == listing->last_function)
        return;
    if (listing->last_function != -1)
        putc('\n', listing->out);
    listing->last_function = function;
    listing->last_source = 0;
    free(listing->last_place);
    listing->last_place = NULL;
    if (!function || !look_up(listing->function, function, error)) {
        fprintf(listing->out, "%s(between functions)%s\n", report_ink(listing->style, ink_NAME),
                report_ink(listing->style, ink_PLAIN));
        return;
    }
    fputs(report_ink(listing->style, ink_NAME), listing->out);
    print_name(listing, column_text(listing->function, 0) ? column_text(listing->function, 0) : "?");
    fprintf(listing->out, "%s  function %lld, 0x%llx, %lld bytes  ", report_ink(listing->style, ink_PLAIN),
            (long long)function, (unsigned long long)sqlite3_column_int64(listing->function, 1),
            (long long)sqlite3_column_int64(listing->function, 2));
    print_place(listing, listing->function, 3);
    putc('\n', listing->out);
}

static void print_loop(struct listing *listing, int64_t block, int64_t loop, struct error *error)
{
    if (!loop || !look_up(listing->loop, loop, error) || sqlite3_column_int64(listing->loop, 0) != block)
        return;
    fprintf(listing->out, "%s  loop %lld, depth %lld%s%s  ", report_ink(listing->style, ink_LOOP),
            (long long)loop, (long long)sqlite3_column_int64(listing->loop, 1),
            sqlite3_column_int(listing->loop, 2) ? ", innermost" : "",
            sqlite3_column_int(listing->loop, 3) ? ", irreducible" : "");
    print_place(listing, listing->loop, 4);
    if (sqlite3_column_int64(listing->loop, 6) > sqlite3_column_int64(listing->loop, 5))
        fprintf(listing->out, "-%lld", (long long)sqlite3_column_int64(listing->loop, 6));
    fprintf(listing->out, "%s\n", report_ink(listing->style, ink_PLAIN));
}

/* "solve.c:12 (inlined norm)  for (…)", to be freed; NULL where the source is unknown. */
static char *source_place(struct listing *listing, int64_t source, struct error *error)
{
    if (!look_up(listing->source, source, error) || !column_text(listing->source, 0))
        return NULL;
    const char *path = column_text(listing->source, 0), *inlined = column_text(listing->source, 2);
    int64_t line = sqlite3_column_int64(listing->source, 1);
    autofree char *plain = inlined && listing->style->demangle ? demangle_name(inlined) : NULL;
    return memory_format("%s:%lld%s%s%s", places_path(&listing->places, path), (long long)line,
                         inlined ? " (inlined " : "", inlined ? plain ? plain : inlined : "",
                         inlined ? ")" : "");
}

static void print_source(struct listing *listing, int64_t source, struct error *error)
{
    if (!source || source == listing->last_source || listing->options->without_source)
        return;
    listing->last_source = source;
    char *place = source_place(listing, source, error);
    if (!place || (listing->last_place && !strcmp(place, listing->last_place))) {
        free(place);
        return;
    }
    free(listing->last_place);
    listing->last_place = place;
    fprintf(listing->out, "%s  ", report_ink(listing->style, ink_SOURCE));
    print_safe(listing->out, place, strlen(place));
    size_t length = 0;
    const char *text = places_source(&listing->places, column_text(listing->source, 0),
                                     sqlite3_column_int64(listing->source, 1), &length);
    if (text && length) {
        fputs("  ", listing->out);
        print_safe(listing->out, text, length < LONGEST_SOURCE ? length : LONGEST_SOURCE);
    }
    fprintf(listing->out, "%s\n", report_ink(listing->style, ink_PLAIN));
}

static void print_bytes(struct listing *listing, const uint8_t *bytes, size_t size)
{
    if (listing->options->without_bytes)
        return;
    fputs(report_ink(listing->style, ink_DIM), listing->out);
    size_t used = 0;
    for (size_t i = 0; i < size; i++)
        used += (size_t)fprintf(listing->out, "%02x ", bytes[i]);
    for (; used < BYTES_SHOWN * 3; used++)
        putc(' ', listing->out);
    fputs(report_ink(listing->style, ink_PLAIN), listing->out);
}

/* text with its @ replaced by the address and the name of its target, or by the symbol where the linker
 * decides. */
static void print_instruction(struct listing *listing, int64_t program, uint64_t address, const char *text,
                              sqlite3_stmt *row)
{
    bool has_target = sqlite3_column_type(row, 3) != SQLITE_NULL;
    uint64_t target = (uint64_t)sqlite3_column_int64(row, 3);
    uint64_t end = address + (uint64_t)sqlite3_column_int64(row, 1);
    const char *at = strchr(text, '@');
    autofree char *symbol = at && !has_target ? places_symbol(&listing->places, program, address, end) : NULL;
    if (!at || (!has_target && !symbol)) {
        print_safe(listing->out, text, strlen(text));
    } else {
        print_safe(listing->out, text, (size_t)(at - text));
        if (symbol)
            print_safe(listing->out, symbol, strlen(symbol));
        else
            fprintf(listing->out, "0x%llx", (unsigned long long)target);
        print_safe(listing->out, at + 1, strlen(at + 1));
    }
    autofree char *name = has_target ? places_name(&listing->places, program, target) : NULL;
    if (name) {
        fprintf(listing->out, " %s<", report_ink(listing->style, ink_NAME));
        print_safe(listing->out, name, strlen(name));
        fprintf(listing->out, ">%s", report_ink(listing->style, ink_PLAIN));
    }
    putc('\n', listing->out);
}

/* The instruction as the listing spells it; false where it has no statement of its own. */
static bool print_statement(struct listing *listing, int64_t program, int64_t instruction,
                            struct error *error)
{
    if (!look_up(listing->line, instruction, error))
        return false;
    int64_t line = sqlite3_column_int64(listing->line, 1);
    fprintf(listing->out, "%s%5lld  %s", report_ink(listing->style, ink_DIM), (long long)line,
            report_ink(listing->style, ink_PLAIN));
    size_t length = 0;
    const char *text =
        sqlite3_column_int(listing->line, 3)
            ? NULL
            : listing_lines_statement(&listing->lines, program, sqlite3_column_int64(listing->line, 0), line,
                                      sqlite3_column_int64(listing->line, 2), &length, error);
    if (!text || *text == '.')
        return false;
    autofree char *blanks = memory_copy_text(text, length < LONGEST_SOURCE ? length : LONGEST_SOURCE);
    for (char *at = blanks; *at; at++)
        *at = *at == '\t' ? ' ' : *at;
    print_safe(listing->out, blanks, strlen(blanks));
    putc('\n', listing->out);
    return true;
}

static bool print_block(struct listing *listing, sqlite3_stmt *block, int64_t id, struct error *error)
{
    uint64_t address = (uint64_t)sqlite3_column_int64(block, 0);
    const uint8_t *bytes = sqlite3_column_blob(block, 5);
    size_t size = (size_t)sqlite3_column_bytes(block, 5);
    int64_t program = sqlite3_column_int64(block, 6);
    print_function(listing, sqlite3_column_int64(block, 2), error);
    print_loop(listing, id, sqlite3_column_int64(block, 8), error);
    if (sqlite3_column_int64(block, 2))
        fprintf(listing->out, "%s  B%lld%s\n", report_ink(listing->style, ink_BOLD),
                (long long)sqlite3_column_int64(block, 7), report_ink(listing->style, ink_PLAIN));
    sqlite3_reset(listing->instructions);
    sqlite3_bind_int64(listing->instructions, 1, id);
    sqlite3_bind_int64(listing->instructions, 2, sqlite3_column_int64(block, 3));
    sqlite3_bind_int64(listing->instructions, 3, sqlite3_column_int64(block, 4));
    int state;
    while ((state = report_step(listing->instructions, error)) == 1 && !ferror(listing->out)) {
        uint64_t offset = (uint64_t)sqlite3_column_int64(listing->instructions, 0);
        size_t length = (size_t)sqlite3_column_int64(listing->instructions, 1);
        const char *text = column_text(listing->instructions, 2);
        print_source(listing, sqlite3_column_int64(listing->instructions, 4), error);
        fprintf(listing->out, "    0x%llx: ", (unsigned long long)(address + offset));
        if (bytes && offset < size)
            print_bytes(listing, bytes + offset, length < size - offset ? length : size - offset);
        if (!print_statement(listing, program, sqlite3_column_int64(listing->instructions, 5), error))
            print_instruction(listing, program, address + offset, text ? text : "?", listing->instructions);
    }
    return state >= 0 && !error->set;
}

static bool print_gap(struct listing *listing, sqlite3_stmt *gap)
{
    uint64_t address = (uint64_t)sqlite3_column_int64(gap, 0);
    const uint8_t *bytes = sqlite3_column_blob(gap, 5);
    size_t size = (size_t)sqlite3_column_bytes(gap, 5);
    fprintf(listing->out, "  data, %zu bytes outside instructions\n", size);
    for (size_t i = 0; bytes && i < size; i += BYTES_SHOWN) {
        fprintf(listing->out, "    0x%llx: ", (unsigned long long)(address + i));
        size_t left = size - i < BYTES_SHOWN ? size - i : BYTES_SHOWN;
        for (size_t k = 0; k < left; k++)
            fprintf(listing->out, "%02x ", bytes[i + k]);
        putc('\n', listing->out);
    }
    return true;
}

/* Calls print for the row of every block and gap of a selection, by address. */
typedef bool piece_function(void *context, sqlite3_stmt *row, int64_t id, bool is_gap, struct error *error);

static bool each_piece(sqlite3 *connection, const struct asm_selection *selection, piece_function *print,
                       void *context, struct error *error)
{
    sqlite3_stmt *pieces = NULL, *block = NULL, *gap = NULL;
    bool done = prepare(connection, block_queries[selection->part], &pieces, error) &&
                prepare(connection, "asm_block", &block, error) &&
                prepare(connection, "asm_gap", &gap, error);
    if (done)
        sqlite3_bind_int64(pieces, 1, selection->id);
    int state = 0;
    while (done && (state = report_step(pieces, error)) == 1) {
        int64_t id = sqlite3_column_int64(pieces, 0);
        bool is_gap = sqlite3_column_int(pieces, 1) != 0;
        sqlite3_stmt *row = is_gap ? gap : block;
        done = look_up(row, id, error) && print(context, row, id, is_gap, error);
    }
    sqlite3_finalize(pieces);
    sqlite3_finalize(block);
    sqlite3_finalize(gap);
    return done && state >= 0;
}

static bool list_piece(void *context, sqlite3_stmt *row, int64_t id, bool is_gap, struct error *error)
{
    struct listing *listing = context;
    if (ferror(listing->out))
        return error_set_errno(error, NULL, "cannot write the listing");
    return is_gap ? print_gap(listing, row) : print_block(listing, row, id, error);
}

bool report_asm(sqlite3 *connection, const struct asm_selection *selections, size_t count,
                const struct asm_options *options, const struct report_style *style, FILE *out,
                struct error *error)
{
    struct listing listing = {.style = style, .options = options, .out = out, .last_function = -1};
    bool done = places_load(&listing.places, connection, style->demangle, options->trust, error) &&
                prepare(connection, "asm_instruction", &listing.instructions, error) &&
                prepare(connection, "asm_source", &listing.source, error) &&
                prepare(connection, "asm_function", &listing.function, error) &&
                prepare(connection, "asm_loop", &listing.loop, error) &&
                prepare(connection, "asm_line", &listing.line, error) &&
                listing_lines_open(&listing.lines, connection, error);
    for (size_t i = 0; done && i < count; i++)
        done = each_piece(connection, &selections[i], list_piece, &listing, error);
    sqlite3_finalize(listing.instructions);
    sqlite3_finalize(listing.source);
    sqlite3_finalize(listing.function);
    sqlite3_finalize(listing.loop);
    sqlite3_finalize(listing.line);
    listing_lines_close(&listing.lines);
    places_free(&listing.places);
    free(listing.last_place);
    return done;
}

struct raw {
    FILE *out;
    uint64_t next; /* address that the next piece must have */
    bool is_section;
};

static bool write_piece(void *context, sqlite3_stmt *row, int64_t id, bool is_gap, struct error *error)
{
    (void)id;
    (void)is_gap;
    struct raw *raw = context;
    uint64_t address = (uint64_t)sqlite3_column_int64(row, 0);
    size_t size = (size_t)sqlite3_column_int64(row, 1);
    const void *bytes = sqlite3_column_blob(row, 5);
    if ((size_t)sqlite3_column_bytes(row, 5) != size)
        return error_set(error, NULL, "the database does not hold the bytes at 0x%llx",
                         (unsigned long long)address);
    if (raw->is_section && address != raw->next)
        return error_set(error, NULL, "the bytes at 0x%llx are in %s of the section",
                         (unsigned long long)raw->next, address < raw->next ? "two pieces" : "no piece");
    raw->next = address + size;
    if (size && fwrite(bytes, 1, size, raw->out) != size)
        return error_set_errno(error, NULL, "cannot write the bytes");
    return true;
}

bool report_raw(sqlite3 *connection, const struct asm_selection *selection, FILE *out, struct error *error)
{
    struct raw raw = {.out = out, .is_section = selection->part == asm_SECTION};
    uint64_t end = 0;
    if (raw.is_section) {
        sqlite3_stmt *section = NULL;
        bool found =
            prepare(connection, "asm_section", &section, error) && look_up(section, selection->id, error);
        raw.next = found ? (uint64_t)sqlite3_column_int64(section, 0) : 0;
        end = found ? raw.next + (uint64_t)sqlite3_column_int64(section, 1) : 0;
        sqlite3_finalize(section);
        if (!found)
            return error_set(error, NULL, "there is no such section");
    }
    if (!each_piece(connection, selection, write_piece, &raw, error))
        return false;
    if (raw.is_section && raw.next != end)
        return error_set(error, NULL,
                         "the database does not hold the bytes from 0x%llx to the end of the section",
                         (unsigned long long)raw.next);
    return true;
}
