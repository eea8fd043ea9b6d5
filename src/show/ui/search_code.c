/* Instructions by address, by mnemonic and by text.

   A database has no index from what an instruction is to where it is, and the code of a large program has ten
   million rows.  So mnemonics are counted from the table of encodings, and places are looked for in pieces of
   the code until there are enough or the time of a click is over. */
#include "show/ui/search.h"

#include "base/clock.h"
#include "show/report/common/short_name.h"
#include "store/problem.h"
#include "show/ui/cells.h"
#include "show/ui/names.h"
#include "show/ui/pages/function.h"
#include "show/ui/queries.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { PIECE = 100000, MOST_MILLISECONDS = 40, MOST_PLACES = 20 };

bool search_is_address(const char *text, uint64_t *address)
{
    char *end;
    if (strncasecmp(text, "0x", 2) || !isxdigit((unsigned char)text[2]))
        return false;
    *address = strtoull(text, &end, 16);
    return !*end;
}

static bool ended(struct ui_request *request, sqlite3_stmt *statement, int state, struct error *error)
{
    sqlite3_finalize(statement);
    return state == SQLITE_DONE || state == SQLITE_ROW ||
           error_set(error, request->subject->path, "%s", store_problem(request->connection));
}

/* The page of a function that lists its number-th instruction, at its row. */
static char *function_address(unsigned subject, long long function, long long number)
{
    long long first = number / FUNCTION_ROWS * FUNCTION_ROWS;
    return first ? memory_format("/%u/function/%lld?from=%lld#l0-i%lld", subject, function, first,
                                 number - first)
                 : memory_format("/%u/function/%lld#l0-i%lld", subject, function, number);
}

static void add_place(struct ui_request *request, sqlite3_stmt *row, struct search_result *result)
{
    unsigned number = request->subject->number;
    long long function = sqlite3_column_int64(row, 0), loop = sqlite3_column_int64(row, 4);
    unsigned long long address = (unsigned long long)sqlite3_column_int64(row, 2);
    autofree char *name = function ? ui_name(request, ui_column(row, 1)) : memory_format("no function");
    autofree char *shown = name_shorten(name, NAME_COLUMNS, true);
    autofree char *inside = loop ? memory_format(", loop %lld", loop) : memory_format("%s", "");
    if (function)
        search_add(result, search_INSTRUCTIONS,
                   function_address(number, function, sqlite3_column_int64(row, 5)),
                   memory_format("%s", ui_column(row, 3) ? ui_column(row, 3) : "unknown instruction"),
                   memory_format("0x%llx in %s%s", address, shown, inside));
}

static bool add_instruction(struct ui_request *request, int64_t id, struct search_result *result,
                            struct error *error)
{
    sqlite3_stmt *row = ui_ask(request, query_named(ui_queries, "place_of_instruction"), error);
    if (!row)
        return false;
    sqlite3_bind_int64(row, 1, id);
    int state = sqlite3_step(row);
    if (state == SQLITE_ROW)
        add_place(request, row, result);
    return ended(request, row, state, error);
}

static bool find_address(struct ui_request *request, uint64_t address, struct search_result *result,
                         struct error *error)
{
    sqlite3_stmt *row = ui_ask(request, query_named(ui_queries, "find_address"), error);
    if (!row)
        return false;
    sqlite3_bind_int64(row, 1, (int64_t)address);
    int state = sqlite3_step(row);
    int64_t found = state == SQLITE_ROW ? sqlite3_column_int64(row, 0) : 0;
    bool done = ended(request, row, state, error);
    if (found) {
        result->counts[search_INSTRUCTIONS] = 1;
        done = done && add_instruction(request, found, result, error);
    }
    return done;
}

static double milliseconds(void)
{
    return clock_monotonic_seconds() * 1e3;
}

/* The first places of instructions that a query selects by a text. */
static bool find_places(struct ui_request *request, const char *query, const char *text,
                        struct search_result *result, struct error *error)
{
    sqlite3_stmt *row = ui_ask(request, query, error);
    int64_t last = ui_recall_number(request, query_named(ui_queries, "last_instruction"));
    double begin = milliseconds();
    size_t found = 0;
    bool done = row;
    for (int64_t first = 1; done && first <= last && found < MOST_PLACES; first += PIECE) {
        if (first > 1 && milliseconds() - begin > MOST_MILLISECONDS) {
            result->is_cut = true;
            break;
        }
        sqlite3_bind_text(row, 1, text, -1, SQLITE_STATIC);
        sqlite3_bind_int64(row, 2, first);
        sqlite3_bind_int64(row, 3, first + PIECE);
        sqlite3_bind_int64(row, 4, (int64_t)(MOST_PLACES - found));
        int state;
        while (done && (state = sqlite3_step(row)) == SQLITE_ROW) {
            done = add_instruction(request, sqlite3_column_int64(row, 0), result, error);
            found++;
        }
        sqlite3_reset(row);
    }
    sqlite3_finalize(row);
    return done;
}

static bool find_mnemonics(struct ui_request *request, const char *text, size_t most, bool is_quick,
                           struct search_result *result, struct error *error)
{
    const struct array *all = ui_names_mnemonics(request->subject->names);
    const struct ui_mnemonic *exact = NULL;
    size_t length = strlen(text);
    for (size_t i = 0; i < all->count; i++) {
        const struct ui_mnemonic *it = ARRAY_AT(struct ui_mnemonic, all, i);
        if (strncasecmp(it->name, text, length))
            continue;
        exact = it->name[length] ? exact : it;
        if (result->counts[search_INSTRUCTIONS]++ < most) {
            FILE *out;
            char *address = NULL;
            size_t size;
            if (!(out = open_memstream(&address, &size)))
                return error_set(error, NULL, "no memory");
            fprintf(out, "/%u/search?q=", request->subject->number);
            ui_print_encoded(out, it->name);
            fclose(out);
            search_add(result, search_INSTRUCTIONS, address, memory_format("%s", it->name),
                       memory_format("%lld in the program", (long long)it->uses));
        }
    }
    if (!exact || is_quick)
        return true;
    return find_places(request, query_named(ui_queries, "instructions_named"), exact->name, result, error);
}

bool search_instructions(struct ui_request *request, const char *text, size_t most, bool is_quick,
                         struct search_result *result, struct error *error)
{
    uint64_t address;
    if (search_is_address(text, &address))
        return find_address(request, address, result, error);
    if (!strpbrk(text, " ,["))
        return find_mnemonics(request, text, most, is_quick, result, error);
    autofree char *pattern = memory_format("%s*", text);
    bool done = is_quick ||
                find_places(request, query_named(ui_queries, "instructions_like"), pattern, result, error);
    if (!is_quick)
        result->counts[search_INSTRUCTIONS] = result->hits[search_INSTRUCTIONS].count;
    return done;
}
