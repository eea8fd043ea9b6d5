/* Sources of the program, and the comments in them. */
#include "base/output.h"
#include "base/regular_file.h"
#include "code/check/check.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { LARGEST_SOURCE = 16 << 20 };

/* The real path of a source, to be freed; NULL: there is no such file. */
static char *real_path(const char *path, const char *root)
{
    char *real = realpath(path, NULL);
    if (real || *path == '/')
        return real;
    char *below = memory_format("%s/%s", root, path);
    real = realpath(below, NULL);
    free(below);
    return real;
}

/* The place of a source, + 1: several names may lead to one file. */
static uint32_t take_source(struct check *check, char *real)
{
    for (size_t i = 0; i < check->sources.count; i++)
        if (!strcmp(ARRAY_AT(struct check_source, &check->sources, i)->path, real)) {
            free(real);
            return (uint32_t)i + 1;
        }
    ((struct check_source *)array_add(&check->sources))->path = real;
    return (uint32_t)check->sources.count;
}

static void add_comments(struct check *check, uint32_t place)
{
    struct check_source *source = ARRAY_AT(struct check_source, &check->sources, place);
    source_text_read(&source->read, source_kind_of(source->path), source->text, strlen(source->text));
    for (uint32_t i = 0; i < source->read.comments.count; i++) {
        const struct source_comment *comment = ARRAY_AT(struct source_comment, &source->read.comments, i);
        struct assertion_place start = {source->path, comment->line, comment->column};
        struct assertions assertions;
        struct error error = {0};
        if (!assertions_parse(&assertions, comment->text, comment->length, &start, &error)) {
            *(char **)array_push(&check->problems) = memory_format("%s", error.text);
            continue;
        }
        struct check_demand *demand =
            check_add_demand(check, check_COMMENT, source->path, comment->line, comment->column);
        demand->assertions = assertions;
        demand->source = place;
        demand->comment = i;
    }
}

static bool is_newer(const char *path, const struct stat *program)
{
    struct stat source;
    return !stat(path, &source) && (source.st_mtim.tv_sec > program->st_mtim.tv_sec ||
                                    (source.st_mtim.tv_sec == program->st_mtim.tv_sec &&
                                     source.st_mtim.tv_nsec > program->st_mtim.tv_nsec));
}

static void read_source(struct check *check, uint32_t place, const struct stat *program)
{
    struct check_source *source = ARRAY_AT(struct check_source, &check->sources, place);
    struct error error = {0};
    char *text = trust_allows(check->trust, source->path)
                     ? regular_file_text(source->path, LARGEST_SOURCE, "a source", &error)
                     : NULL;
    if (!text) {
        *(char **)array_push(&check->missing) = memory_format("%s", source->path);
        return;
    }
    check->read_count++;
    if (!source_text_mentions(text, strlen(text))) {
        free(text);
        return;
    }
    source->text = text;
    output_spare(source->path);
    if (program && is_newer(source->path, program))
        *(char **)array_push(&check->newer) = memory_format("%s", source->path);
    add_comments(check, place);
}

/* Sources of compilers and systems, which nobody has beside a program that was linked with their code. */
static bool is_foreign(const char *path)
{
    return !strncmp(path, "/usr/", 5) || !strncmp(path, "/build/", 7);
}

void check_read_sources(struct check *check, const struct model *model, struct trust *trust, const char *path,
                        const char *root)
{
    uint8_t *is_compiled = memory_get(model->files.count + 1);
    struct stat built;
    bool has_time = !stat(path, &built);
    check->model = model;
    check->trust = trust;
    check->source_of = memory_get((model->files.count + 1) * sizeof *check->source_of);
    for (uint32_t id = 1; id < model->source_lines.count; id++)
        is_compiled[model_source_line(model, id)->file] = 1;
    for (uint32_t id = 1; id < model->inlined_calls.count; id++)
        is_compiled[model_inlined_call(model, id)->call_file] = 1;
    for (uint32_t id = 1; id < model->files.count; id++) {
        const char *name = model_text(model, model_file(model, id)->path);
        if (!is_compiled[id] || !name || *name == '<')
            continue;
        char *real = real_path(name, root);
        size_t before = check->sources.count;
        if (!real) {
            if (!is_foreign(name))
                *(char **)array_push(&check->missing) = memory_format("%s", name);
            continue;
        }
        check->source_of[id] = take_source(check, real);
        if (check->sources.count > before)
            read_source(check, (uint32_t)before, has_time ? &built : NULL);
    }
    free(is_compiled);
}
