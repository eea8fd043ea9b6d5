#include "cli/diff_git.h"

#include "cli/say.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MOST_NAMED = 5 };

static void say_last_lines(const struct trees *trees)
{
    const char *line = trees->last_lines.data;
    while (line && *line) {
        size_t length = strcspn(line, "\n");
        say("  %.*s", (int)length, line);
        line += length + (line[length] == '\n');
    }
}

/* Programs that both builds made, below the root: of char *, of the list of the new one. */
static struct array common_programs(const struct trees *trees)
{
    struct array common = ARRAY_OF(char *);
    const struct array *old = &trees->made[trees_OLD], *new = &trees->made[trees_NEW];
    for (size_t i = 0, k = 0; i < old->count && k < new->count;) {
        int order = strcmp(*ARRAY_AT(char *, old, i), *ARRAY_AT(char *, new, k));
        if (!order)
            *(char **)array_push(&common) = *ARRAY_AT(char *, new, k);
        i += order <= 0;
        k += order >= 0;
    }
    return common;
}

/* "a, b and 3 more"; to be freed. */
static char *names_of(const struct array *programs)
{
    char *text = memory_format("%s", "");
    for (size_t i = 0; i < programs->count && i < MOST_NAMED; i++) {
        char *longer = memory_format("%s%s%s", text, i ? ", " : "", *ARRAY_AT(char *, programs, i));
        free(text);
        text = longer;
    }
    if (programs->count <= MOST_NAMED)
        return text;
    char *whole = memory_format("%s and %zu more", text, programs->count - MOST_NAMED);
    free(text);
    return whole;
}

/* Below the root; to be freed.  NULL: there is none, or there are several. */
static char *find_program(const struct trees *trees, const char *operand, struct error *error)
{
    if (operand && *operand == '/') {
        error_set(error, operand, "with --git the program is a path in the tree, not an absolute one");
        return NULL;
    }
    if (operand)
        return memory_format("%s%s", trees->inside, operand);
    struct array programs = common_programs(trees);
    char *found = programs.count == 1 ? memory_format("%s", *ARRAY_AT(char *, &programs, 0)) : NULL;
    autofree char *names = names_of(&programs);
    if (!programs.count)
        error_set(error, NULL,
                  "the command made no program in both trees; name a file before --, such as an object");
    else if (!found)
        error_set(error, NULL, "the command made %zu programs: %s; name one of them before --",
                  programs.count, names);
    array_free(&programs);
    return found;
}

static bool take_paths(struct diff_git *git, const char *program, struct error *error)
{
    for (int which = 0; which < trees_COUNT; which++) {
        struct stat status;
        git->paths[which] = memory_format("%s/%s", git->trees.roots[which], program);
        git->titles[which] = memory_format("%s of %s", program, git->trees.names[which]);
        if (stat(git->paths[which], &status) || !S_ISREG(status.st_mode))
            return error_set(error, program, "the build of %s did not make it", git->trees.names[which]);
    }
    return true;
}

bool diff_git_build(struct diff_git *git, const struct invocation *invocation, struct error *error)
{
    *git = (struct diff_git){.trees.guard.pipe = -1};
    struct array words = ARRAY_OF(const char *);
    size_t before = invocation->before;
    for (size_t i = before; i < invocation->operands.count; i++)
        *(const char **)array_push(&words) = options_operand(invocation, i);
    *(const char **)array_push(&words) = NULL;
    bool done = words.count > 1 && before <= 1;
    if (!done)
        error_set(error, NULL,
                  "--git takes a command after --, such as assay diff --git HEAD~1 prog -- make, and at most "
                  "one program before it");
    done = done && trees_begin(&git->trees, options_value(invocation, OPTION_GIT), error);
    for (int which = 0; done && which < trees_COUNT; which++)
        done = trees_build(&git->trees, which, (const char *const *)words.data, error);
    array_free(&words);
    if (!done) {
        say_last_lines(&git->trees);
        return false;
    }
    autofree char *program = find_program(&git->trees, before ? options_operand(invocation, 0) : NULL, error);
    done = program && take_paths(git, program, error);
    return done;
}

void diff_git_end(struct diff_git *git)
{
    for (int which = 0; which < trees_COUNT; which++) {
        free(git->paths[which]);
        free(git->titles[which]);
    }
    trees_end(&git->trees);
}
