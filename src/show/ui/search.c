#include "show/ui/search.h"

#include "base/path.h"
#include "show/report/common/short_name.h"
#include "store/problem.h"
#include "show/ui/cells.h"
#include "show/ui/names.h"
#include "show/ui/queries.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

const char *const search_group_words[search_GROUPS] = {"Functions", "Loops", "Source", "Instructions"};

void search_add(struct search_result *result, enum search_group group, char *address, char *title,
                char *detail)
{
    *(struct search_hit *)array_push(&result->hits[group]) =
        (struct search_hit){.address = address, .title = title, .detail = detail};
}

void ui_search_free(struct search_result *result)
{
    for (unsigned group = 0; group < search_GROUPS; group++) {
        for (size_t i = 0; i < result->hits[group].count; i++) {
            struct search_hit *hit = ARRAY_AT(struct search_hit, &result->hits[group], i);
            free(hit->address);
            free(hit->title);
            free(hit->detail);
            free(hit->whole);
        }
        array_free(&result->hits[group]);
    }
}

static bool ended(struct ui_request *request, sqlite3_stmt *statement, int state, struct error *error)
{
    sqlite3_finalize(statement);
    return state == SQLITE_DONE || state == SQLITE_ROW ||
           error_set(error, request->subject->path, "%s", store_problem(request->connection));
}

static char *place_of(const char *path, int64_t first, int64_t last)
{
    if (!path)
        return memory_format("%s", "");
    return first <= 0 ? memory_format("%s", path_name(path))
           : last <= first
               ? memory_format("%s:%lld", path_name(path), (long long)first)
               : memory_format("%s:%lld-%lld", path_name(path), (long long)first, (long long)last);
}

/* ---- functions ---- */

static bool find_functions(struct ui_request *request, const char *text, size_t most,
                           struct search_result *result, struct error *error)
{
    struct array hits = ui_names_find(request->subject->names, text);
    sqlite3_stmt *row = ui_ask(request, query_named(ui_queries, "find_functions"), error);
    int state = SQLITE_DONE;
    result->counts[search_FUNCTIONS] = hits.count;
    for (size_t i = 0; row && i < hits.count && i < most; i++) {
        uint32_t id = ARRAY_AT(struct ui_name_hit, &hits, i)->function;
        sqlite3_bind_int64(row, 1, id);
        if ((state = sqlite3_step(row)) == SQLITE_ROW) {
            char *whole = ui_name(request, ui_column(row, 0)),
                 *shown = name_shorten(whole, NAME_COLUMNS, true),
                 *place = place_of(ui_column(row, 1), sqlite3_column_int64(row, 2), 0);
            int64_t loops = sqlite3_column_int64(row, 3);
            char *count =
                loops ? memory_format("%lld %s", (long long)loops, loops == 1 ? "loop" : "loops") : NULL;
            search_add(result, search_FUNCTIONS,
                       memory_format("/%u/function/%u", request->subject->number, id), shown,
                       memory_format("%s%s%s", place, *place && count ? ", " : "", count ? count : ""));
            struct array *all = &result->hits[search_FUNCTIONS];
            ARRAY_AT(struct search_hit, all, all->count - 1)->whole = strcmp(whole, shown) ? whole : NULL;
            if (!strcmp(whole, shown))
                free(whole);
            free(count);
            free(place);
        }
        sqlite3_reset(row);
    }
    array_free(&hits);
    return row && ended(request, row, state, error);
}

/* ---- loops and lines ---- */

static void add_loop(struct ui_request *request, sqlite3_stmt *row, struct search_result *result)
{
    long long id = sqlite3_column_int64(row, 0);
    autofree char *name = ui_name(request, ui_column(row, 1)),
                  *shown = name_shorten(name, NAME_COLUMNS, true);
    search_add(result, search_LOOPS, memory_format("/%u/loop/%lld", request->subject->number, id),
               memory_format("loop %lld in %s", id, shown),
               place_of(ui_column(row, 2), sqlite3_column_int64(row, 3), sqlite3_column_int64(row, 4)));
}

static bool find_loop(struct ui_request *request, const char *text, struct search_result *result,
                      struct error *error)
{
    char *end;
    text += !strncasecmp(text, "loop", 4) ? 4 : 0;
    text += strspn(text, " #");
    long long id = isdigit((unsigned char)*text) ? strtoll(text, &end, 10) : 0;
    if (!id || *end)
        return true;
    sqlite3_stmt *row = ui_ask(request, query_named(ui_queries, "loop_numbered"), error);
    if (!row)
        return false;
    sqlite3_bind_int64(row, 1, id);
    int state = sqlite3_step(row);
    if (state == SQLITE_ROW) {
        add_loop(request, row, result);
        result->counts[search_LOOPS]++;
    }
    return ended(request, row, state, error);
}

static bool find_loops_at(struct ui_request *request, int64_t file, int64_t line, size_t most,
                          struct search_result *result, struct error *error)
{
    sqlite3_stmt *row = ui_ask(request, query_named(ui_queries, "loops_at"), error);
    int state;
    if (!row)
        return false;
    sqlite3_bind_int64(row, 1, file);
    sqlite3_bind_int64(row, 2, line);
    while ((state = sqlite3_step(row)) == SQLITE_ROW)
        if (result->counts[search_LOOPS]++ < most)
            add_loop(request, row, result);
    return ended(request, row, state, error);
}

/* % and _ of LIKE as they are. */
static char *like_text(const char *text, size_t length)
{
    char *pattern = memory_get(2 * length + 3);
    size_t at = 0;
    pattern[at++] = '%';
    for (size_t i = 0; i < length; i++) {
        if (strchr("%_\\", text[i]))
            pattern[at++] = '\\';
        pattern[at++] = text[i];
    }
    pattern[at] = '%';
    return pattern;
}

static bool find_lines(struct ui_request *request, const char *text, size_t most,
                       struct search_result *result, struct error *error)
{
    const char *colon = strrchr(text, ':');
    char *end = NULL;
    int64_t line = colon && isdigit((unsigned char)colon[1]) ? strtoll(colon + 1, &end, 10) : 0;
    if (!line || !end || *end)
        line = 0;
    size_t length = line ? (size_t)(colon - text) : strlen(text);
    sqlite3_stmt *row = ui_ask(request, query_named(ui_queries, "find_lines"), error);
    int state;
    bool done = true;
    if (!row)
        return false;
    char *pattern = like_text(text, length);
    sqlite3_bind_text(row, 1, pattern, -1, free);
    sqlite3_bind_text(row, 2, text, (int)length, SQLITE_TRANSIENT);
    while ((state = sqlite3_step(row)) == SQLITE_ROW) {
        if (result->counts[search_LINES]++ >= most)
            continue;
        long long file = sqlite3_column_int64(row, 0);
        char *place = place_of(ui_column(row, 1), line, 0);
        char *address = line ? memory_format("/%u/source/%lld?line=%lld#line-%lld", request->subject->number,
                                             file, (long long)line, (long long)line)
                             : memory_format("/%u/source/%lld", request->subject->number, file);
        search_add(result, search_LINES, address, place, memory_format("%s", ui_column(row, 1)));
        if (line)
            done = done && find_loops_at(request, file, line, most, result, error);
    }
    return ended(request, row, state, error) && done;
}

bool ui_search(struct ui_request *request, const char *text, size_t most, bool is_quick,
               struct search_result *result, struct error *error)
{
    uint64_t address;
    *result = (struct search_result){0};
    for (unsigned group = 0; group < search_GROUPS; group++)
        result->hits[group] = ARRAY_OF(struct search_hit);
    autofree char *wanted = memory_copy_text(text + strspn(text, " \t"), strlen(text + strspn(text, " \t")));
    for (size_t length = strlen(wanted); length && isspace((unsigned char)wanted[length - 1]);)
        wanted[--length] = 0;
    bool done = true;
    if (*wanted)
        done =
            search_instructions(request, wanted, most, is_quick, result, error) &&
            find_loop(request, wanted, result, error) &&
            (search_is_address(wanted, &address) || (find_functions(request, wanted, most, result, error) &&
                                                     find_lines(request, wanted, most, result, error)));
    return done;
}
