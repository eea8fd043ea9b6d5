#include "code/read/listing/dependencies.h"

#include "code/read/bytes.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct rule {
    const char *at, *end;
};

enum step { step_FILE, step_END, step_ODD };

static bool is_at(const struct rule *rule, const char *text)
{
    size_t length = strlen(text);
    return (size_t)(rule->end - rule->at) >= length && !memcmp(rule->at, text, length);
}

/* Children run in the root directory (base/child.h), so relative names start there. */
static char *whole_name(const char *name, size_t length)
{
    return memory_format("%s%.*s", *name == '/' ? "" : "/", (int)length, name);
}

/* The next file of the rule, to be freed.  Spaces in names are escaped but newlines are not, so a name with a
   newline could pass for two others: that is suspicious. */
static enum step next_file(struct rule *rule, char **file)
{
    while (is_at(rule, " ") || is_at(rule, "\\\n"))
        rule->at += *rule->at == ' ' ? 1 : 2;
    if (is_at(rule, "\n"))
        return rule->at + 1 == rule->end ? step_END : step_ODD;
    char *name = *file = memory_get((size_t)(rule->end - rule->at) + 1);
    for (; rule->at < rule->end && *rule->at != ' ' && *rule->at != '\n'; rule->at++) {
        if (is_at(rule, "\\\n"))
            return step_ODD;
        if (is_at(rule, "\\ ") || is_at(rule, "\\#") || is_at(rule, "$$"))
            rule->at++;
        *name++ = *rule->at;
    }
    return rule->at < rule->end ? step_FILE : step_ODD;
}

static bool all_are_allowed(struct rule rule, const char *input, struct trust *trust, const char *path,
                            struct error *error)
{
    const char *colon = memmem(rule.at, (size_t)(rule.end - rule.at), ": ", 2);
    rule.at = colon ? colon + 1 : rule.end;
    for (enum step step = colon ? step_FILE : step_ODD; step == step_FILE;) {
        char *file = NULL;
        step = next_file(&rule, &file);
        char *whole = file ? whole_name(file, strlen(file)) : NULL;
        bool may = step != step_FILE || !strcmp(whole, input) || trust_allows(trust, whole);
        if (!may)
            error_set(error, path,
                      "includes %.400s, which is outside its folder, its project and the current directory "
                      "(--trust allows this)",
                      whole);
        free(whole);
        free(file);
        if (!may || step == step_END)
            return may;
    }
    return error_set(error, path, "cannot find out which files it includes (--trust allows any)");
}

bool dependencies_allow(const struct memory_file *rule, const char *input, struct trust *trust,
                        const char *path, struct error *error)
{
    struct span text = {0};
    struct error ignored = {0};
    if (trust && trust->is_all)
        return true;
    bool is_read = bytes_read(rule->path, NULL, &text, &ignored);
    const char *start = is_read ? (const char *)text.data : "";
    bool may = all_are_allowed((struct rule){start, start + text.size}, input, trust, path, error);
    if (is_read)
        bytes_free(text);
    return may;
}

bool dependencies_may_show(const char *message, const char *input, struct trust *trust)
{
    char *file = whole_name(message, strcspn(message, ":\n"));
    bool may = !strcmp(file, input) || access(file, F_OK) || trust_allows(trust, file);
    free(file);
    return may;
}
