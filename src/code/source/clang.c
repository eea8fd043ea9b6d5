/* C and C++ sources, parsed by libclang in a child process.

   The parser gets the options of the compilation.  Missing headers do not stop it: what depends on them has
   unknown types, and loops with such errors are counted, so that a bound that may be too low is reported.
   Options about the machine (-march=…) decide which macros are defined; they are dropped when the parser does
   not know them, as for a program of another machine, and so are standards newer than it.

   The child answers with one record about the file and one for each loop. */
#include "base/path.h"
#include "code/source/count.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CLANG_NO_PARSE = 3, CLANG_MAGIC = 0x41435353 };

struct answer_head {
    uint32_t magic, loops, errors, loop_errors, templates;
    char first_error[300];
};

struct clang_job {
    const struct libclang *clang;
    const char *path, *unit;
    const struct source_compilation *compilation;
};

static void add(struct source_words *words, const char *text)
{
    source_words_add(words, text, strlen(text));
}

static bool first_match(const char *pattern, struct source_words *words, const char *option)
{
    glob_t found;
    if (glob(pattern, 0, NULL, &found))
        return false;
    char *folder = memory_format("%s", found.gl_pathv[found.gl_pathc - 1]);
    *strrchr(folder, '/') = 0;
    add(words, option);
    add(words, folder);
    free(folder);
    globfree(&found);
    return true;
}

/* stddef.h and similar headers belong to the compiler.  If libclang was installed without them, those of LLVM
   or GCC serve. */
static void add_own_headers(const struct libclang *clang, struct source_words *words)
{
    glob_t found;
    const char *slash = strrchr(clang->path, '/');
    char *beside = memory_format("%.*s/clang/*/include/stddef.h", slash ? (int)(slash - clang->path) : 1,
                                 slash ? clang->path : ".");
    bool is_complete = !glob(beside, 0, NULL, &found);
    if (is_complete)
        globfree(&found);
    free(beside);
    if (is_complete || first_match("/usr/lib/llvm-*/lib/clang/*/include/stddef.h", words, "-idirafter"))
        return;
    first_match("/usr/lib/gcc/*-linux-gnu/*/include/stddef.h", words, "-idirafter");
}

static void *parse(const struct clang_job *job, void *index, enum kept_options kept_options)
{
    const char *file = job->unit ? job->unit : job->path;
    struct source_words words = {0};
    add(&words, "-w");
    add(&words, "-ferror-limit=1000");
    add(&words, "-fbracket-depth=1024");
    bool is_cplusplus = source_is_cplusplus(file, job->compilation);
    add(&words, "-x");
    add(&words, is_cplusplus ? "c++" : "c");
    struct source_words kept = {0};
    source_keep_clang_options(job->compilation, kept_options, &kept);
    for (size_t i = 0; i < kept.words.count; i++)
        add(&words, source_word(&kept, i));
    add_own_headers(job->clang, &words);
    void *unit = NULL;
    int problem = job->clang->parse(index, file, words.words.data, (int)words.words.count, NULL, 0,
                                    parse_KEEP_GOING, &unit);
    source_words_free(&kept);
    source_words_free(&words);
    return problem ? NULL : unit;
}

/* The error for an unknown option has no place. */
static bool refuses_options(const struct libclang *clang, void *unit)
{
    for (unsigned i = 0, count = clang->diagnostic_count(unit); i < count; i++) {
        void *diagnostic = clang->diagnostic(unit, i), *file = NULL;
        unsigned line;
        clang->expansion(clang->diagnostic_location(diagnostic), &file, &line, NULL, NULL);
        if (clang->severity(diagnostic) >= severity_ERROR && !file)
            return true;
    }
    return false;
}

/* Lines of the file that lie in loops, as stretches in order. */
static size_t loop_stretches(const struct array *loops, struct found_loop *stretches)
{
    size_t count = 0;
    for (size_t i = 0; i < loops->count; i++) {
        const struct found_loop *loop = ARRAY_AT(struct found_loop, loops, i);
        if (!loop->parent)
            stretches[count++] = *loop;
    }
    return count;
}

static int compare_first_lines(const void *left, const void *right)
{
    uint32_t a = ((const struct found_loop *)left)->first_line,
             b = ((const struct found_loop *)right)->first_line;
    return a < b ? -1 : a > b;
}

static bool is_in_stretch(const struct found_loop *stretches, size_t count, uint32_t line)
{
    struct bisection search = {0, count};
    while (bisect(&search))
        bisect_past(&search, stretches[search.middle].first_line <= line);
    return search.first && stretches[search.first - 1].last_line >= line;
}

/* A message may quote its file, which an attacker may have chosen. */
static bool may_show(const struct counting *counting, struct trust *trust, void *file)
{
    const struct libclang *clang = counting->clang;
    if (!file || (counting->wanted && clang->equal_files(file, counting->wanted)))
        return true;
    struct clang_string name = clang->file_name(file);
    const char *text = clang->text(name);
    bool may = text && trust_allows(trust, text);
    clang->free_string(name);
    return may;
}

static void take_first_error(const struct counting *counting, struct trust *trust, void *diagnostic,
                             void *file, unsigned line, struct answer_head *head)
{
    const struct libclang *clang = counting->clang;
    if (!may_show(counting, trust, file)) {
        snprintf(head->first_error, sizeof head->first_error, "in a file that it includes");
        return;
    }
    struct clang_string text = clang->diagnostic_text(diagnostic);
    snprintf(head->first_error, sizeof head->first_error, "line %u: %s", line, clang->text(text));
    clang->free_string(text);
}

static void count_errors(const struct counting *counting, struct trust *trust, const struct array *loops,
                         struct answer_head *head)
{
    const struct libclang *clang = counting->clang;
    struct found_loop *stretches = memory_get((loops->count + 1) * sizeof *stretches);
    size_t stretch_count = loop_stretches(loops, stretches);
    qsort(stretches, stretch_count, sizeof *stretches, compare_first_lines);
    for (unsigned i = 0, count = clang->diagnostic_count(counting->unit); i < count; i++) {
        void *diagnostic = clang->diagnostic(counting->unit, i), *file = NULL;
        if (clang->severity(diagnostic) < severity_ERROR)
            continue;
        unsigned line = 0;
        clang->expansion(clang->diagnostic_location(diagnostic), &file, &line, NULL, NULL);
        if (!head->errors++)
            take_first_error(counting, trust, diagnostic, file, line, head);
        if (file && counting->wanted && clang->equal_files(file, counting->wanted))
            head->loop_errors += is_in_stretch(stretches, stretch_count, line);
    }
    free(stretches);
}

void *source_clang_unit(const struct libclang *clang, const char *path, const char *unit_path,
                        const struct source_compilation *compilation)
{
    struct clang_job job = {clang, path, unit_path, compilation};
    void *index = clang->create_index(0, 0), *unit = parse(&job, index, kept_MACHINE);
    if (!unit || refuses_options(clang, unit))
        unit = parse(&job, index, kept_LANGUAGE);
    if (!unit || refuses_options(clang, unit))
        unit = parse(&job, index, kept_PATHS);
    return unit;
}

static int count_in_child(void *context)
{
    const struct clang_job *job = context;
    const struct libclang *clang = job->clang;
    void *unit = source_clang_unit(clang, job->path, job->unit, job->compilation);
    if (!unit)
        return CLANG_NO_PARSE;
    struct counting counting = {
        .clang = clang,
        .unit = unit,
        .is_cplusplus = source_is_cplusplus(job->unit ? job->unit : job->path, job->compilation),
        .wanted = clang->file(unit, job->path),
        .work = ARRAY_OF(struct work),
        .children = ARRAY_OF(struct clang_cursor),
        .loops = ARRAY_OF(struct counted_loop),
        .instances = ARRAY_OF(struct clang_cursor),
        .seen.cursors = ARRAY_OF(struct clang_cursor),
        .aliases.cursors = ARRAY_OF(struct clang_cursor),
    };
    if (counting.wanted)
        counting.text = clang->contents(unit, counting.wanted, &counting.text_size);
    counting_visit(&counting);
    struct array loops = ARRAY_OF(struct found_loop);
    struct answer_head head = {.magic = CLANG_MAGIC};
    counting_finish(&counting, &loops, &head.templates);
    count_errors(&counting, job->compilation->trust, &loops, &head);
    head.loops = (uint32_t)loops.count;
    return child_write(&head, sizeof head) && child_write(loops.data, loops.count * sizeof(struct found_loop))
               ? 0
               : 1;
}

static bool take_answer(const struct child_answer *answer, struct found_source *found)
{
    struct answer_head head;
    if (answer->output.count < sizeof head)
        return false;
    memcpy(&head, answer->output.data, sizeof head);
    size_t size = answer->output.count - sizeof head;
    if (head.magic != CLANG_MAGIC || head.loops > MOST_SOURCE_LOOPS ||
        size != head.loops * sizeof(struct found_loop))
        return false;
    if (head.loops)
        memcpy(array_add_many(&found->loops, head.loops), (char *)answer->output.data + sizeof head, size);
    for (uint32_t i = 0; i < head.loops; i++)
        if (ARRAY_AT(struct found_loop, &found->loops, i)->parent > i)
            return false;
    found->errors = head.errors;
    found->loop_errors = head.loop_errors;
    found->templates = head.loop_errors ? 0 : head.templates;
    head.first_error[sizeof head.first_error - 1] = 0;
    memcpy(found->first_error, head.first_error, sizeof found->first_error);
    return true;
}

bool source_read_clang(const char *path, const char *unit, const struct source_compilation *compilation,
                       struct found_source *found, struct error *error)
{
    if (!libclang_load())
        return error_set(error, path,
                         "reading C and C++ needs libclang, which is not installed: apt install libclang1");
    /* A name that starts with - would be an option. */
    char *whole = path_absolute(path), *whole_unit = unit ? path_absolute(unit) : NULL;
    struct clang_job job = {libclang_load(), whole, whole_unit, compilation};
    struct child_job child = {
        .work = count_in_child,
        .context = &job,
        .limits = source_limits(sizeof(struct answer_head) + MOST_SOURCE_LOOPS * sizeof(struct found_loop))};
    struct child_answer answer;
    bool has_run = child_run(&child, &answer, error);
    free(whole);
    free(whole_unit);
    if (!has_run)
        return false;
    bool done = answer.end == child_end_DONE && take_answer(&answer, found);
    if (!done && answer.end == child_end_SLOW)
        error_set(error, path, "libclang took more than %d seconds for this source and was stopped",
                  SOURCE_SECONDS);
    else if (!done && answer.end == child_end_FAILED && answer.status == CLANG_NO_PARSE)
        error_set(error, path, "libclang cannot parse this source; does the compiler accept it?");
    else if (!done)
        error_set(error, path, "libclang failed on this source; its loops have no MA bound");
    child_answer_free(&answer);
    return done;
}
