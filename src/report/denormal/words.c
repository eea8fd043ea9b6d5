/* SQL functions of these views: how places, names of functions and call stacks are written for people.

   A place is short: the path below the working directory, else the name of the file alone, or the whole path
   where the database has several files of that name.  Names of functions are demangled, unless the reader
   wants them unchanged; so are those of Fortran modules (__gabor_MOD_filter) and of the variants that the C
   library keeps of its functions (__expf_fma).  Names of arrays may have names of functions in them (block
   allocated in __gabor_MOD_filter), which are written the same way.  A call stack is one line, from the
   instruction to main; without --top it has only the frames closest to the instruction. */
#include "report/denormal/parts.h"

#include "base/strings.h"
#include "base/path.h"
#include "report/common/demangle.h"
#include "report/common/rows.h"
#include "store/problem.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_FRAMES = 8, FEW_FRAMES = 3 }; /* of a call stack in a line */

/* State of the functions; belongs to the connection. */
struct words {
    bool demangle;
    size_t frames;          /* of a call stack */
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
    return hash_bytes(name, strlen(name));
}

static int compare_hashes(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return (a > b) - (a < b);
}

static bool find_names(const struct denormal_view *view, struct words *words, struct error *error)
{
    struct array all = ARRAY_OF(uint64_t);
    int state = -1;
    sqlite3_stmt *statement =
        denormal_ask(view, "select path from files where path is not null", 0, -1, error);
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

static bool find_libraries(const struct denormal_view *view, struct words *words, struct error *error)
{
    int state = -1;
    sqlite3_stmt *statement = denormal_ask(
        view, "select id, path from programs where format = 'shared object' and path is not null order by id",
        0, -1, error);
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
    struct words *words = memory;
    for (size_t i = 0; i < words->libraries.count; i++)
        free(ARRAY_AT(struct library, &words->libraries, i)->name);
    array_free(&words->libraries);
    free(words->directory);
    array_free(&words->twice);
    free(words);
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

/* To be freed; NULL: the name is as in the source already. */
static char *plain_name(const char *name)
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
    char *plain = name && words->demangle ? plain_name(name) : NULL;
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
    char *plain = words->demangle ? plain_name(name) : NULL;
    char *text = memory_format("%s (%s)", plain ? plain : name, library->name);
    free(plain);
    sqlite3_result_text(context, text, -1, free);
}

static bool is_of_name(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '.';
}

/* Every word that may be the name of a function is written as one. */
static void sql_shown_data(sqlite3_context *context, int count, sqlite3_value **values)
{
    (void)count;
    const struct words *words = sqlite3_user_data(context);
    const char *at = (const char *)sqlite3_value_text(values[0]);
    if (!at || !words->demangle) {
        sqlite3_result_value(context, values[0]);
        return;
    }
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    while (*at) {
        size_t length = 0;
        while (is_of_name(at[length]))
            length++;
        char *word = length && *at == '_' ? memory_copy_text(at, length) : NULL;
        char *plain = word ? plain_name(word) : NULL;
        length += !length;
        if (plain)
            fputs(plain, out);
        else
            fwrite(at, 1, length, out);
        at += length;
        free(word);
        free(plain);
    }
    fclose(out);
    sqlite3_result_text(context, text, -1, free);
}

static void print_frames(sqlite3_stmt *statement, size_t most, FILE *out)
{
    for (size_t i = 0; sqlite3_step(statement) == SQLITE_ROW; i++) {
        const char *name = (const char *)sqlite3_column_text(statement, 0);
        const char *place = (const char *)sqlite3_column_text(statement, 1);
        if (i == most) {
            fputs(" ← …", out);
            return;
        }
        fprintf(out, "%s%s", i ? " ← " : "", name);
        if (place)
            fprintf(out, " (%s)", place);
        if (!strcmp(name, "main"))
            return; /* frames of the system's startup code are of no interest */
    }
}

static void sql_call_stack(sqlite3_context *context, int count, sqlite3_value **values)
{
    (void)count;
    const struct words *words = sqlite3_user_data(context);
    static const char sql[] = "select coalesce(shown_name(coalesce(r.name, n.name)), printf('0x%x', "
                              "r.address), '?'), place(p.path, r.line, r.line) from denormal_frames r left "
                              "join functions n on n.id = r.function left join files p on p.id = r.file "
                              "where r.stack = ?1 order by r.position limit ?2";
    sqlite3_stmt *statement = NULL;
    char *text = NULL;
    size_t size = 0;
    if (sqlite3_value_type(values[0]) == SQLITE_NULL ||
        sqlite3_prepare_v2(sqlite3_context_db_handle(context), sql, -1, &statement, NULL) != SQLITE_OK)
        return;
    sqlite3_bind_value(statement, 1, values[0]);
    sqlite3_bind_int64(statement, 2, (sqlite3_int64)words->frames + 1);
    FILE *out = open_memstream(&text, &size);
    print_frames(statement, words->frames, out);
    fclose(out);
    sqlite3_finalize(statement);
    sqlite3_result_text(context, text, -1, free);
}

bool denormal_begin(const struct denormal_view *view, struct error *error)
{
    struct words *words = memory_get(sizeof *words);
    char *directory = getcwd(NULL, 0);
    words->demangle = view->demangle;
    words->frames = view->is_brief ? FEW_FRAMES : MOST_FRAMES;
    words->directory = memory_format("%s/", directory ? directory : "");
    words->twice = ARRAY_OF(uint64_t);
    words->libraries = ARRAY_OF(struct library);
    free(directory);
    if (!find_names(view, words, error) || !find_libraries(view, words, error)) {
        free_words(words);
        return false;
    }
    /* The first function owns the words; it lives as long as the others. */
    if (sqlite3_create_function_v2(view->connection, "place", 3, SQLITE_UTF8 | SQLITE_DETERMINISTIC, words,
                                   sql_place, NULL, NULL, free_words) != SQLITE_OK ||
        sqlite3_create_function_v2(view->connection, "shown_name", 1, SQLITE_UTF8 | SQLITE_DETERMINISTIC,
                                   words, sql_shown_name, NULL, NULL, NULL) != SQLITE_OK ||
        sqlite3_create_function_v2(view->connection, "shown_function", 2, SQLITE_UTF8 | SQLITE_DETERMINISTIC,
                                   words, sql_shown_function, NULL, NULL, NULL) != SQLITE_OK ||
        sqlite3_create_function_v2(view->connection, "shown_data", 1, SQLITE_UTF8 | SQLITE_DETERMINISTIC,
                                   words, sql_shown_data, NULL, NULL, NULL) != SQLITE_OK ||
        sqlite3_create_function_v2(view->connection, "call_stack", 1, SQLITE_UTF8, words, sql_call_stack,
                                   NULL, NULL, NULL) != SQLITE_OK)
        return error_set(error, view->path, "cannot add SQL functions: %s", store_problem(view->connection));
    return true;
}
