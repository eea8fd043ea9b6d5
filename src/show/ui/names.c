/* All names stand in one text, in lower case, each after a zero: a search is one pass over it. */
#include "show/ui/names.h"

#include "show/report/common/shown.h"
#include "show/ui/queries.h"
#include "store/store.h"

#include <ctype.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct known_name {
    uint64_t start; /* in the text */
    uint32_t function;
};

struct known_call {
    uint32_t callee, caller;
};

struct ui_names {
    char *database;
    bool demangle, is_ready;
    pthread_t thread;
    bool has_thread;
    pthread_mutex_t lock;
    pthread_cond_t ready;
    struct array text;      /* of char */
    struct array known;     /* of struct known_name, in the order of the text */
    struct array mnemonics; /* of struct ui_mnemonic */
    struct array calls;     /* of struct known_call, sorted */
};

static void add_name(struct ui_names *names, uint32_t function, const char *name)
{
    size_t length = strlen(name);
    *(struct known_name *)array_push(&names->known) = (struct known_name){names->text.count, function};
    char *copy = array_push_many(&names->text, length + 1);
    for (size_t i = 0; i < length; i++)
        copy[i] = (char)tolower((unsigned char)name[i]);
    copy[length] = 0;
}

static void read_functions(struct ui_names *names, sqlite3 *connection)
{
    sqlite3_stmt *statement = NULL;
    if (sqlite3_prepare_v2(connection, query_named(ui_queries, "function_names"), -1, &statement, NULL))
        return;
    while (sqlite3_step(statement) == SQLITE_ROW) {
        uint32_t function = (uint32_t)sqlite3_column_int64(statement, 0);
        const char *name = (const char *)sqlite3_column_text(statement, 1);
        autofree char *plain = names->demangle ? shown_plain_name(name) : NULL;
        if (plain)
            add_name(names, function, plain);
        add_name(names, function, name);
    }
    sqlite3_finalize(statement);
}

static void read_mnemonics(struct ui_names *names, sqlite3 *connection)
{
    sqlite3_stmt *statement = NULL;
    if (sqlite3_prepare_v2(connection, query_named(ui_queries, "mnemonics"), -1, &statement, NULL))
        return;
    while (sqlite3_step(statement) == SQLITE_ROW) {
        const char *name = (const char *)sqlite3_column_text(statement, 0);
        *(struct ui_mnemonic *)array_push(&names->mnemonics) =
            (struct ui_mnemonic){memory_copy_text(name, strlen(name)), sqlite3_column_int64(statement, 1)};
    }
    sqlite3_finalize(statement);
}

static int compare_calls(const void *left, const void *right)
{
    const struct known_call *a = left, *b = right;
    if (a->callee != b->callee)
        return a->callee < b->callee ? -1 : 1;
    return (a->caller > b->caller) - (a->caller < b->caller);
}

static void read_calls(struct ui_names *names, sqlite3 *connection)
{
    sqlite3_stmt *statement = NULL;
    if (sqlite3_prepare_v2(connection, query_named(ui_queries, "known_calls"), -1, &statement, NULL))
        return;
    while (sqlite3_step(statement) == SQLITE_ROW)
        *(struct known_call *)array_push(&names->calls) = (struct known_call){
            (uint32_t)sqlite3_column_int64(statement, 0), (uint32_t)sqlite3_column_int64(statement, 1)};
    sqlite3_finalize(statement);
    if (names->calls.count)
        qsort(names->calls.data, names->calls.count, names->calls.width, compare_calls);
}

static void *read_names(void *context)
{
    struct ui_names *names = context;
    struct error ignored = {0}; /* every page of such a file says what is wrong with it */
    struct store *store = store_open_file(names->database, &ignored);
    if (store) {
        read_functions(names, store_connection(store));
        read_mnemonics(names, store_connection(store));
        read_calls(names, store_connection(store));
    }
    store_close(store);
    pthread_mutex_lock(&names->lock);
    names->is_ready = true;
    pthread_cond_broadcast(&names->ready);
    pthread_mutex_unlock(&names->lock);
    return NULL;
}

struct ui_names *ui_names_begin(const char *database, bool demangle)
{
    struct ui_names *names = memory_get(sizeof *names);
    names->database = memory_copy_text(database, strlen(database));
    names->demangle = demangle;
    names->text = ARRAY_OF(char);
    names->known = ARRAY_OF(struct known_name);
    names->mnemonics = ARRAY_OF(struct ui_mnemonic);
    names->calls = ARRAY_OF(struct known_call);
    pthread_mutex_init(&names->lock, NULL);
    pthread_cond_init(&names->ready, NULL);
    names->has_thread = !pthread_create(&names->thread, NULL, read_names, names);
    if (!names->has_thread)
        read_names(names);
    return names;
}

void ui_names_free(struct ui_names *names)
{
    if (!names)
        return;
    if (names->has_thread)
        pthread_join(names->thread, NULL);
    for (size_t i = 0; i < names->mnemonics.count; i++)
        free(ARRAY_AT(struct ui_mnemonic, &names->mnemonics, i)->name);
    array_free(&names->mnemonics);
    array_free(&names->calls);
    array_free(&names->known);
    array_free(&names->text);
    pthread_cond_destroy(&names->ready);
    pthread_mutex_destroy(&names->lock);
    free(names->database);
    free(names);
}

static void wait_for(struct ui_names *names)
{
    pthread_mutex_lock(&names->lock);
    while (!names->is_ready)
        pthread_cond_wait(&names->ready, &names->lock);
    pthread_mutex_unlock(&names->lock);
}

const struct array *ui_names_mnemonics(struct ui_names *names)
{
    wait_for(names);
    return &names->mnemonics;
}

static int compare_callers(const void *left, const void *right)
{
    const struct ui_caller *a = left, *b = right;
    if (a->calls != b->calls)
        return a->calls > b->calls ? -1 : 1;
    return (a->caller > b->caller) - (a->caller < b->caller);
}

struct array ui_names_callers(struct ui_names *names, uint32_t function)
{
    struct array callers = ARRAY_OF(struct ui_caller);
    wait_for(names);
    for (size_t i = array_first_not_below(&names->calls, 0, offsetof(struct known_call, callee), function);
         i < names->calls.count && ARRAY_AT(struct known_call, &names->calls, i)->callee == function; i++) {
        uint32_t caller = ARRAY_AT(struct known_call, &names->calls, i)->caller;
        struct ui_caller *last =
            callers.count ? ARRAY_AT(struct ui_caller, &callers, callers.count - 1) : NULL;
        if (last && last->caller == caller)
            last->calls++;
        else
            *(struct ui_caller *)array_push(&callers) = (struct ui_caller){caller, 1};
    }
    if (callers.count)
        qsort(callers.data, callers.count, callers.width, compare_callers);
    return callers;
}

/* Where the identifier in front of the parameters starts and ends: `solve` of `math::matrix<int>::solve(int)`
   is what people call the function. */
static enum name_fit fit_of(const char *name, const char *hit, size_t length)
{
    size_t base = strcspn(name, "(");
    bool ends = !hit[length] || hit[length] == '(' || hit[length] == '<';
    if (hit == name)
        return ends || length == base ? name_WHOLE : name_AT_START;
    if (hit[-1] == ':' && hit < name + base)
        return ends ? name_WHOLE : name_AT_START;
    return isalnum((unsigned char)hit[-1]) ? name_INSIDE : name_AT_WORD;
}

static const struct known_name *name_at(const struct ui_names *names, size_t at)
{
    return array_last_at(&names->known, offsetof(struct known_name, start), at);
}

static int compare_hits(const void *left, const void *right)
{
    const struct ui_name_hit *a = left, *b = right;
    if (a->fit != b->fit)
        return a->fit > b->fit ? -1 : 1;
    if (a->length != b->length)
        return a->length < b->length ? -1 : 1;
    return (a->function > b->function) - (a->function < b->function);
}

static void take_hit(struct array *hits, struct ui_name_hit hit)
{
    struct ui_name_hit *last = hits->count ? ARRAY_AT(struct ui_name_hit, hits, hits->count - 1) : NULL;
    if (!last || last->function != hit.function)
        *(struct ui_name_hit *)array_push(hits) = hit;
    else if (compare_hits(&hit, last) < 0)
        *last = hit;
}

struct array ui_names_find(struct ui_names *names, const char *text)
{
    struct array hits = ARRAY_OF(struct ui_name_hit);
    size_t length = strlen(text);
    autofree char *wanted = memory_copy_text(text, length);
    for (size_t i = 0; i < length; i++)
        wanted[i] = (char)tolower((unsigned char)wanted[i]);
    wait_for(names);
    const char *all = names->text.data, *end = all + names->text.count, *at = all, *hit;
    while (length && at < end && (hit = memmem(at, (size_t)(end - at), wanted, length))) {
        const struct known_name *known = name_at(names, (size_t)(hit - all));
        const char *name = all + known->start;
        size_t name_length = strlen(name);
        enum name_fit fit = 0;
        for (const char *next = hit; next && fit < name_WHOLE; next = strstr(next + 1, wanted)) {
            enum name_fit one = fit_of(name, next, length);
            fit = one > fit ? one : fit;
        }
        take_hit(&hits, (struct ui_name_hit){known->function, (uint32_t)name_length, fit});
        at = name + name_length + 1;
    }
    if (hits.count)
        qsort(hits.data, hits.count, hits.width, compare_hits);
    return hits;
}
