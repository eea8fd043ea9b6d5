/* One compilation of one variant: the words of the extract, and after them what the judge wants besides:
   the smallest debug information that has lines, columns and inlined calls (it does not change code), each
   function in a section of its own, no warnings.

   Each compiler runs in a private folder of its own, because gfortran writes files of modules. */
#include "base/child.h"
#include "change/optimise/judge/judge_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct child_limits limits = {
    .memory = 4ull << 30, .file_size = 64ull << 20, .output = 1 << 16, .seconds = 30};

static void make_words(struct array *words, const struct array *command, const struct judge_job *job)
{
    static const char *const wanted[] = {"-w", "-g1", "-fno-lto", "-ffunction-sections", "-pipe"};
    for (size_t i = 0; i < command->count && *ARRAY_AT(const char *, command, i); i++)
        *(const char **)array_push(words) = *ARRAY_AT(const char *, command, i);
    for (size_t i = 0; job->others && job->others[i]; i++)
        *(const char **)array_push(words) = job->others[i];
    for (unsigned i = 0; i < sizeof wanted / sizeof *wanted; i++)
        *(const char **)array_push(words) = wanted[i];
    *(const char **)array_push(words) = NULL;
}

/* The first error among the compiler's messages, without the place; to be freed. */
static char *first_error(const struct child_answer *answer)
{
    const char *text = answer->messages.data;
    const char *error = strcasestr(text, "error: ");
    const char *line = error ? error + strlen("error: ") : text;
    size_t length = strcspn(line, "\n");
    if (answer->end == child_end_SLOW)
        return memory_format("the compiler took longer than %u s", limits.seconds);
    if (answer->end == child_end_CRASHED)
        return memory_format("signal %d ended the compiler", answer->status);
    return length ? memory_copy_text(line, length < 300 ? length : 300)
                  : memory_format("the compiler failed with status %d", answer->status);
}

static bool write_text(const char *path, const char *text, struct error *error)
{
    FILE *file = fopen(path, "we");
    bool is_written = file && fputs(text, file) >= 0;
    if (file && fclose(file))
        is_written = false;
    return is_written || error_set_errno(error, path, "cannot be written");
}

bool judge_compile(const struct judge_job *job, char **problem, struct error *error)
{
    struct variant none = {.values = memory_get(job->choices->list.count + 1)};
    struct array words = ARRAY_OF(const char *);
    struct array command = extract_command(job->extract, job->choices, job->variant ? job->variant : &none,
                                           job->text_path, job->object);
    struct child_answer answer;
    bool is_run = false;
    *problem = NULL;
    make_words(&words, &command, job);
    struct child_job child = {.words = words.data, .place = child_place_PRIVATE, .limits = limits};
    if (write_text(job->text_path, job->text, error) && child_run(&child, &answer, error)) {
        is_run = answer.end != child_end_MISSING ||
                 error_set(error, job->extract->compilation->compiler, "is not there");
        if (answer.end != child_end_DONE)
            *problem = first_error(&answer);
        else if (access(job->object, R_OK))
            *problem = memory_format("the compiler reported no error and wrote no object file");
        child_answer_free(&answer);
    }
    unlink(job->text_path);
    array_free(&words);
    extract_command_free(&command);
    free(none.values);
    return is_run;
}
