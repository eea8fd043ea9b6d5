/* Fortran sources, parsed by gfortran: the source gets labels (code/source/fortran_text.c), gfortran parses
   it and writes a dump, which code/source/fortran_dump.c reads.  Nothing is compiled.

   gfortran runs in a child process in a private folder, because it writes a file for each module of a source
   even when it only parses.  Sources with preprocessor lines go through gfortran's preprocessor first.  If a
   module's file is missing, the sources in the same folder are searched for the module and parsed before. */
#include "code/source/fortran.h"
#include "code/read/bytes.h"
#include "code/read/listing/dependencies.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    MOST_DUMP = 256 << 20,
    MOST_MODULES = 40, /* of other sources, for one source */
    MOST_NEIGHBOURS = 2000,
    MOST_NEIGHBOUR_BYTES = 4 << 20
};

struct fortran_job {
    struct source_words words; /* of gfortran: the options, then what to do */
    struct array modules;      /* of char *: sources to parse before, in order */
    const char *text;          /* written to name in the folder first; NULL: nothing */
    size_t size;
    const char *name;
};

static void add(struct source_words *words, const char *text)
{
    source_words_add(words, text, strlen(text));
}

static const char *suffix_of(const char *path)
{
    const char *dot = strrchr(path, '.');
    return dot ? dot : "";
}

static bool has_option(const struct source_words *words, const char *option)
{
    for (size_t i = 0; i < words->words.count; i++)
        if (!strcmp(source_word(words, i), option))
            return true;
    return false;
}

static bool is_fixed_form(const char *path, const struct source_words *options)
{
    static const char *const suffixes[] = {".f", ".for", ".ftn", ".fpp", ".f77"};
    if (has_option(options, "-ffixed-form") || has_option(options, "-ffree-form"))
        return has_option(options, "-ffixed-form");
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++)
        if (!strcasecmp(suffix_of(path), suffixes[i]))
            return true;
    return false;
}

static bool wants_preprocessor(const char *path, const struct source_words *options)
{
    if (has_option(options, "-cpp") || has_option(options, "-nocpp"))
        return has_option(options, "-cpp");
    return isupper((unsigned char)suffix_of(path)[1]) || !strcmp(suffix_of(path), ".fpp");
}

/* Columns of a line in fixed form that count; 0: all. */
static size_t fixed_width(const struct source_words *options)
{
    static const char start[] = "-ffixed-line-length-";
    size_t width = 72;
    for (size_t i = 0; i < options->words.count; i++)
        if (!strncmp(source_word(options, i), start, strlen(start)))
            width = (size_t)strtoul(source_word(options, i) + strlen(start), NULL, 10);
    return width;
}

/* The words of gfortran, the last of them a file; to be freed. */
static const char **gfortran_words(const struct source_words *words, const char *last)
{
    const char **list = memory_get((words->words.count + 3) * sizeof *list);
    size_t count = 0;
    list[count++] = "gfortran";
    for (size_t i = 0; i < words->words.count; i++)
        list[count++] = source_word(words, i);
    list[count++] = last;
    return list;
}

static _Noreturn void parse_module(const struct fortran_job *job, const char *module)
{
    struct source_words words = {0};
    int nothing = open("/dev/null", O_WRONLY);
    dup2(nothing, STDOUT_FILENO);
    for (size_t i = 0; i < job->words.words.count; i++) {
        const char *word = source_word(&job->words, i);
        if (strcmp(word, "-fdump-fortran-original") && strcmp(word, "-nocpp") &&
            strcmp(word, "-ffree-form") && strcmp(word, "-ffixed-form"))
            add(&words, word);
    }
    child_execute(gfortran_words(&words, module));
}

/* In the child, in its folder, before it becomes gfortran. */
static int prepare(void *context)
{
    const struct fortran_job *job = context;
    int file = job->text ? open(job->name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600) : -1;
    for (size_t done = 0; file >= 0 && done < job->size;) {
        ssize_t part = write(file, job->text + done, job->size - done);
        if (part <= 0)
            return 1;
        done += (size_t)part;
    }
    for (size_t i = 0; i < job->modules.count; i++) {
        pid_t child = fork();
        if (child == 0)
            parse_module(job, *ARRAY_AT(char *, &job->modules, i));
        if (child > 0)
            waitpid(child, NULL, 0);
    }
    return 0;
}

static bool explain(const char *path, const struct child_answer *answer, struct error *error)
{
    if (answer->end == child_end_MISSING)
        return error_set(error, path,
                         "reading Fortran needs gfortran, which is not installed: apt install gfortran");
    if (answer->end == child_end_SLOW)
        return error_set(error, path, "gfortran took more than %d seconds for this source and was stopped",
                         SOURCE_SECONDS);
    if (answer->end == child_end_LARGE)
        return error_set(error, path, "gfortran's description of this source has more than %d MB",
                         MOST_DUMP >> 20);
    if (answer->end == child_end_CRASHED)
        return error_set(error, path, "gfortran failed on this source; its loops have no MA bound");
    return true;
}

/* The number of errors, and the text of the first.  The place of an error comes lines before it, as
   file:line:column:, and the text may quote that file. */
static uint32_t count_errors(const struct array *messages, const char *own, struct trust *trust, char *first,
                             size_t size)
{
    uint32_t count = 0;
    const char *at = messages->data, *end = at + messages->count, *place = own;
    while (at < end) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        size_t length = (size_t)((stop ? stop : end) - at);
        bool is_fatal = length > 13 && !memcmp(at, "Fatal Error: ", 13);
        if (is_fatal || (length > 7 && !memcmp(at, "Error: ", 7))) {
            size_t skip = is_fatal ? 13 : 7;
            if (!count++ && dependencies_may_show(place, own, trust))
                snprintf(first, size, "%.*s", (int)(length - skip), at + skip);
            else if (count == 1)
                snprintf(first, size, "in a file that it includes");
        } else if (length && !isspace((unsigned char)*at) && at[length - 1] == ':') {
            place = at;
        }
        at = stop ? stop + 1 : end;
    }
    return count;
}

/* The module that gfortran could not find: Cannot open module file 'name.mod' … */
static char *missing_module(const struct array *messages)
{
    static const char start[] = "Cannot open module file '";
    if (!messages->count)
        return NULL;
    const char *end = (const char *)messages->data + messages->count;
    const char *at = memmem(messages->data, messages->count, start, strlen(start));
    const char *stop = at ? memmem(at, (size_t)(end - at), ".mod'", 5) : NULL;
    at = at ? at + strlen(start) : NULL;
    return stop && stop > at ? memory_copy_text(at, (size_t)(stop - at)) : NULL;
}

/* Whether a source has a line that starts the module. */
static bool defines_module(struct span text, const char *name)
{
    const char *at = (const char *)text.data, *end = at + text.size;
    size_t name_length = strlen(name);
    while (at < end) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        stop = stop ? stop : end;
        while (at < stop && isspace((unsigned char)*at))
            at++;
        if (stop - at > 7 && !strncasecmp(at, "module", 6) && isblank((unsigned char)at[6])) {
            at += 6;
            while (at < stop && isspace((unsigned char)*at))
                at++;
            if ((size_t)(stop - at) >= name_length && !strncasecmp(at, name, name_length) &&
                ((size_t)(stop - at) == name_length || isspace((unsigned char)at[name_length]) ||
                 at[name_length] == '!'))
                return true;
        }
        at = stop + (stop < end);
    }
    return false;
}

static bool is_fortran_name(const char *name)
{
    static const char *const suffixes[] = {".f",   ".for", ".ftn", ".fpp", ".f77",
                                           ".f90", ".f95", ".f03", ".f08"};
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++)
        if (!strcasecmp(suffix_of(name), suffixes[i]))
            return true;
    return false;
}

/* The source beside this one that defines a module, to be freed; NULL where there is none. */
static char *find_module(const char *path, const char *name)
{
    const char *slash = strrchr(path, '/');
    char *place = slash ? memory_copy_text(path, (size_t)(slash - path) + 1) : memory_format("./"),
         *found = NULL;
    DIR *folder = opendir(place);
    struct dirent *entry;
    for (int i = 0; folder && !found && i < MOST_NEIGHBOURS && (entry = readdir(folder)); i++) {
        char *other = memory_format("%s%s", place, entry->d_name);
        struct stat facts;
        struct span text;
        struct error ignored = {0};
        if (is_fortran_name(entry->d_name) && !stat(other, &facts) && S_ISREG(facts.st_mode) &&
            facts.st_size <= MOST_NEIGHBOUR_BYTES && bytes_read(other, NULL, &text, &ignored)) {
            if (defines_module(text, name))
                found = realpath(other, NULL);
            bytes_free(text);
        }
        free(other);
    }
    if (folder)
        closedir(folder);
    free(place);
    return found;
}

/* Puts a source before those that are parsed already; false where it is among them. */
static bool add_module(struct array *modules, char *path)
{
    for (size_t i = 0; i < modules->count; i++)
        if (!strcmp(*ARRAY_AT(char *, modules, i), path)) {
            free(path);
            return false;
        }
    array_add(modules);
    memmove((char **)modules->data + 1, modules->data, (modules->count - 1) * sizeof(char *));
    *ARRAY_AT(char *, modules, 0) = path;
    return true;
}

/* Runs gfortran, again after each module that it misses and that a source beside this one has. */
static bool run(struct fortran_job *job, const char *path, struct child_answer *answer, struct error *error)
{
    const char **words = gfortran_words(&job->words, job->name);
    struct child_job child = {.work = prepare,
                              .context = job,
                              .words = words,
                              .place = child_place_PRIVATE,
                              .limits = source_limits(MOST_DUMP)};
    bool done = false;
    for (int i = 0; i <= MOST_MODULES; i++) {
        done = child_run(&child, answer, error);
        if (!done)
            break;
        char *name = i < MOST_MODULES ? missing_module(&answer->messages) : NULL;
        char *module = name ? find_module(path, name) : NULL;
        free(name);
        if (!module || !add_module(&job->modules, module))
            break;
        child_answer_free(answer);
    }
    free(words);
    if (done && explain(path, answer, error))
        return true;
    child_answer_free(answer);
    return false;
}

static void free_job(struct fortran_job *job)
{
    for (size_t i = 0; i < job->modules.count; i++)
        free(*ARRAY_AT(char *, &job->modules, i));
    array_free(&job->modules);
    source_words_free(&job->words);
}

/* The options of the compilation, and the folder of the source, where it looks for included files. */
static void start_job(struct fortran_job *job, const char *path, const struct source_words *options)
{
    *job = (struct fortran_job){.modules = ARRAY_OF(char *)};
    char *folder = source_join_path("/", path);
    *strrchr(folder, '/') = 0;
    add(&job->words, "-I");
    add(&job->words, *folder ? folder : "/");
    free(folder);
    bool has_standard = false;
    for (size_t i = 0; i < options->words.count; i++) {
        const char *word = source_word(options, i);
        has_standard |= !strncmp(word, "-std=", 5);
        if (strcmp(word, "-cpp") && strcmp(word, "-nocpp"))
            add(&job->words, word);
    }
    if (!has_standard)
        add(&job->words, "-std=legacy");
    add(&job->words, "-w");
}

/* Empty if it fails: then the text itself is read. */
static bool preprocess(const char *path, const struct source_words *options, struct trust *trust,
                       struct child_answer *answer, struct error *error)
{
    struct fortran_job job;
    struct memory_file rule;
    if (!memory_file_make(&rule, NULL, 0, error))
        return false;
    start_job(&job, path, options);
    add(&job.words, "-cpp");
    add(&job.words, "-E");
    add(&job.words, "-MD");
    add(&job.words, "-MF");
    add(&job.words, rule.path);
    job.name = path;
    bool done = run(&job, path, answer, error);
    free_job(&job);
    if (done && answer->end != child_end_DONE)
        answer->output.count = 0;
    else if (done)
        done = dependencies_allow(&rule, path, trust, path, error);
    memory_file_close(&rule);
    return done;
}

static bool read_labelled(const char *path, const struct source_words *options, struct trust *trust,
                          const struct fortran_text *text, bool is_fixed, struct found_source *found,
                          struct error *error)
{
    struct fortran_job job;
    start_job(&job, path, options);
    add(&job.words, "-fsyntax-only");
    add(&job.words, "-fdump-fortran-original");
    add(&job.words, "-nocpp");
    add(&job.words, is_fixed ? "-ffixed-form" : "-ffree-form");
    add(&job.words, "-ffree-line-length-none");
    job.text = text->text.data;
    job.size = text->text.count;
    job.name = is_fixed ? "assay.f" : "assay.f90";
    struct child_answer answer;
    bool done = run(&job, path, &answer, error);
    free_job(&job);
    if (!done)
        return false;
    found->errors =
        count_errors(&answer.messages, path, trust, found->first_error, sizeof found->first_error);
    if (!answer.output.count && found->errors)
        done = error_set(error, path, "gfortran cannot parse this source: %s", found->first_error);
    struct fortran_dump dump = {.found = found, .text = text};
    if (done && answer.output.count)
        fortran_read_dump(&dump, answer.output.data, answer.output.count);
    /* gfortran drops statements with errors, so their loops are unknown. */
    found->loop_errors = found->loops.count ? found->errors : 0;
    child_answer_free(&answer);
    return done;
}

bool source_read_fortran(const char *path, struct span text, const struct source_compilation *compilation,
                         struct found_source *found, struct error *error)
{
    struct source_words options = {0};
    source_keep_fortran_options(compilation, &options);
    char *whole = realpath(path, NULL);
    const char *file = whole ? whole : path;
    bool is_fixed = is_fixed_form(path, &options), is_preprocessed = wants_preprocessor(path, &options);
    struct child_answer answer = {.output = ARRAY_OF(char), .messages = ARRAY_OF(char)};
    bool done = !is_preprocessed || preprocess(file, &options, compilation->trust, &answer, error);
    if (done) {
        struct fortran_text labelled;
        struct span source = is_preprocessed && answer.output.count
                                 ? (struct span){answer.output.data, answer.output.count}
                                 : text;
        fortran_label(&labelled, source, is_fixed, fixed_width(&options));
        done = read_labelled(file, &options, compilation->trust, &labelled, is_fixed, found, error);
        fortran_text_free(&labelled);
    }
    child_answer_free(&answer);
    source_words_free(&options);
    free(whole);
    return done;
}
