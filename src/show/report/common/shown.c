/* A place is short: the path below the working directory, else the name of the file alone, or the whole path
   where the database has several files of that name.  Names of functions are demangled, unless the reader
   wants them unchanged; so are those of Fortran modules (__gabor_MOD_filter) and of the variants that the C
   library keeps of its functions (__expf_fma). */
#include "show/report/common/shown.h"

#include "base/memory.h"
#include "base/path.h"
#include "base/strings.h"
#include "model/demangle.h"
#include "show/report/common/queries.h"
#include "show/report/common/rows.h"
#include "store/problem.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* State of the functions; belongs to the connection. */
struct words {
    bool demangle;
    char *directory;        /* with a slash at its end */
    struct array twice;     /* of uint64_t, sorted: hashes of file names that several paths have */
    struct array libraries; /* of struct library: programs that are shared */
};
struct library {
    int64_t program;
    char *name;
};

static uint64_t hash_name(const char *path)
{
    const char *name = path_name(path);
    return strings_hash(name, strlen(name));
}

static int compare_hashes(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return (a > b) - (a < b);
}

static bool find_names(const struct asked *asked, struct words *words, struct error *error)
{
    struct array all = ARRAY_OF(uint64_t);
    int state = -1;
    sqlite3_stmt *statement = report_ask(asked, query_named(common_queries, "file_paths"), 0, -1, error);
    while (statement && (state = report_step(statement, error)) == 1)
        *(uint64_t *)array_add(&all) = hash_name((const char *)sqlite3_column_text(statement, 0));
    sqlite3_finalize(statement);
    if (all.count)
        qsort(all.data, all.count, all.width, compare_hashes);
    for (size_t i = 1; i < all.count; i++)
        if (*ARRAY_AT(uint64_t, &all, i) == *ARRAY_AT(uint64_t, &all, i - 1))
            *(uint64_t *)array_add(&words->twice) = *ARRAY_AT(uint64_t, &all, i);
    array_free(&all);
    return state == 0;
}

static bool find_libraries(const struct asked *asked, struct words *words, struct error *error)
{
    int state = -1;
    sqlite3_stmt *statement = report_ask(asked, query_named(common_queries, "shared_objects"), 0, -1, error);
    while (statement && (state = report_step(statement, error)) == 1) {
        struct library *library = array_add(&words->libraries);
        library->program = sqlite3_column_int64(statement, 0);
        library->name = memory_format("%s", path_name((const char *)sqlite3_column_text(statement, 1)));
    }
    sqlite3_finalize(statement);
    return state == 0;
}

static int compare_libraries(const void *left, const void *right)
{
    int64_t a = ((const struct library *)left)->program, b = ((const struct library *)right)->program;
    return (a > b) - (a < b);
}

static void free_words(void *memory)
{
    autofree struct words *words = memory;
    for (size_t i = 0; i < words->libraries.count; i++)
        free(ARRAY_AT(struct library, &words->libraries, i)->name);
    array_free(&words->libraries);
    free(words->directory);
    array_free(&words->twice);
}

static void sql_place(sqlite3_context *context, int count, sqlite3_value **values)
{
    (void)count;
    const struct words *words = sqlite3_user_data(context);
    const char *path = (const char *)sqlite3_value_text(values[0]);
    if (!path)
        return;
    uint64_t hash = hash_name(path);
    size_t length = strlen(words->directory);
    if (length > 1 && !strncmp(path, words->directory, length))
        path += length;
    else if (!words->twice.count ||
             !bsearch(&hash, words->twice.data, words->twice.count, sizeof hash, compare_hashes))
        path = path_name(path);
    sqlite3_int64 first = sqlite3_value_int64(values[1]), last = sqlite3_value_int64(values[2]);
    char *text = first <= 0      ? memory_format("%s", path)
                 : last <= first ? memory_format("%s:%lld", path, first)
                                 : memory_format("%s:%lld-%lld", path, first, last);
    sqlite3_result_text(context, text, -1, free);
}

char *shown_plain_name(const char *name)
{
    static const char *const variants[] = {"_fma", "_fma4", "_avx2", "_sse2", "_sse41"};
    size_t length = strlen(name);
    if (strncmp(name, "__", 2))
        return demangle_name(name);
    for (size_t i = 0; i < sizeof variants / sizeof *variants; i++) {
        size_t end = strlen(variants[i]);
        if (length > end + 2 && !strcmp(name + length - end, variants[i]))
            return memory_copy_text(name + 2, length - end - 2);
    }
    return demangle_name(name);
}

static void sql_shown_name(sqlite3_context *context, int count, sqlite3_value **values)
{
    (void)count;
    const struct words *words = sqlite3_user_data(context);
    const char *name = (const char *)sqlite3_value_text(values[0]);
    char *plain = name && words->demangle ? shown_plain_name(name) : NULL;
    if (plain)
        sqlite3_result_text(context, plain, -1, free);
    else
        sqlite3_result_value(context, values[0]);
}

/* The name with the library that the function is in, where it is in one. */
static void sql_shown_function(sqlite3_context *context, int count, sqlite3_value **values)
{
    const struct words *words = sqlite3_user_data(context);
    const char *name = (const char *)sqlite3_value_text(values[0]);
    struct library wanted = {.program = sqlite3_value_int64(values[1])}, *library = NULL;
    if (name && words->libraries.count)
        library =
            bsearch(&wanted, words->libraries.data, words->libraries.count, sizeof wanted, compare_libraries);
    if (!library) {
        sql_shown_name(context, count, values);
        return;
    }
    autofree char *plain = words->demangle ? shown_plain_name(name) : NULL;
    char *text = memory_format("%s (%s)", plain ? plain : name, library->name);
    sqlite3_result_text(context, text, -1, free);
}

bool shown_register(const struct asked *asked, bool demangle, struct error *error)
{
    struct words *words = memory_get(sizeof *words);
    autofree char *directory = getcwd(NULL, 0);
    words->demangle = demangle;
    words->directory = memory_format("%s/", directory ? directory : "");
    words->twice = ARRAY_OF(uint64_t);
    words->libraries = ARRAY_OF(struct library);
    if (!find_names(asked, words, error) || !find_libraries(asked, words, error)) {
        free_words(words);
        return false;
    }
    /* The first function owns the words; it lives as long as the others. */
    if (sqlite3_create_function_v2(asked->connection, "place", 3, SQLITE_UTF8 | SQLITE_DETERMINISTIC, words,
                                   sql_place, NULL, NULL, free_words) != SQLITE_OK ||
        sqlite3_create_function_v2(asked->connection, "shown_name", 1, SQLITE_UTF8 | SQLITE_DETERMINISTIC,
                                   words, sql_shown_name, NULL, NULL, NULL) != SQLITE_OK ||
        sqlite3_create_function_v2(asked->connection, "shown_function", 2, SQLITE_UTF8 | SQLITE_DETERMINISTIC,
                                   words, sql_shown_function, NULL, NULL, NULL) != SQLITE_OK)
        return error_set(error, asked->path, "cannot add SQL functions: %s",
                         store_problem(asked->connection));
    return true;
}
