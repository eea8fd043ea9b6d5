/* The file that names kernels: see coupling.h. */
#include "plan/modelling/coupling/coupling.h"

#include "base/path.h"
#include "base/settings.h"

#include <stdlib.h>
#include <string.h>

static const struct settings_key keys[] = {
    {NULL, "library", false, "a shared library with the kernels as functions (./kernels.so)"},
    {NULL, "prepare", false, "a function of the library that is called once, before the kernels"},
    {NULL, "command", false,
     "a program that runs the kernels it is told and prints seconds of a round "
     "(./solver --only {kernels})"},
    {NULL, "kernels", true, "names in the order in which the program runs them (flux, source, update)"},
    {NULL, "passes", false, "how often everything is measured; the median counts (5)"},
    {NULL, NULL, false, NULL},
};

static char *beside(const char *path, const char *name)
{
    if (*name == '/')
        return memory_copy_text(name, strlen(name));
    char *folder = path_folder(path), *joined = memory_format("%s/%s", folder, name),
         *absolute = path_absolute(joined);
    free(folder);
    free(joined);
    return absolute;
}

static bool read_command(const struct settings *settings, const struct setting *setting,
                         struct coupling *coupling, struct error *error)
{
    char *copy = memory_copy_text(setting->value, strlen(setting->value)), *rest = copy;
    bool has_kernels = false;
    for (char *word; (word = strsep(&rest, " \t"));) {
        if (!*word)
            continue;
        has_kernels |= strstr(word, "{kernels}") != NULL;
        bool is_path = !coupling->command.count && strchr(word, '/');
        *(char **)array_add(&coupling->command) =
            is_path ? beside(coupling->path, word) : memory_copy_text(word, strlen(word));
    }
    free(copy);
    return has_kernels ||
           settings_complain(settings, setting, error,
                             "the command has no {kernels}: where do the names of kernels go?");
}

static bool read_kernels(struct settings *settings, const struct setting *setting, struct coupling *coupling,
                         struct error *error)
{
    struct array names = ARRAY_OF(char *);
    bool is_fine = settings_list(settings, setting, &names, error);
    for (size_t i = 0; is_fine && i < names.count; i++) {
        const char *name = *ARRAY_AT(char *, &names, i);
        for (size_t k = 0; is_fine && k < i; k++)
            if (!strcmp(name, *ARRAY_AT(char *, &names, k)))
                is_fine =
                    settings_complain(settings, setting, error, "the kernel %.60s is there twice", name);
        *(char **)array_add(&coupling->kernels) = memory_copy_text(name, strlen(name));
    }
    if (is_fine && (names.count < 2 || names.count > COUPLING_MOST_KERNELS))
        is_fine =
            settings_complain(settings, setting, error, "coupling needs 2 to %d kernels, and there %s %zu",
                              (int)COUPLING_MOST_KERNELS, names.count == 1 ? "is" : "are", names.count);
    array_free(&names);
    return is_fine;
}

static bool take(struct settings *settings, struct coupling *coupling, struct error *error)
{
    const struct settings_section *head = ARRAY_AT(struct settings_section, &settings->sections, 0);
    const struct setting *library = settings_find(settings, head, "library"),
                         *prepare = settings_find(settings, head, "prepare"),
                         *command = settings_find(settings, head, "command"),
                         *passes = settings_find(settings, head, "passes");
    double count = 5;
    if (!library == !command)
        return error_set(error, settings->path, "give either a `library` or a `command`%s",
                         library ? ", not both" : "");
    if (prepare && !library)
        return settings_complain(settings, prepare, error, "`prepare` is a function of a `library`");
    if (passes && !settings_number(settings, passes, 1, 1000, &count, error))
        return false;
    coupling->passes = (uint32_t)count;
    if (library)
        coupling->library = beside(coupling->path, library->value);
    if (prepare)
        coupling->prepare = memory_copy_text(prepare->value, strlen(prepare->value));
    return (!command || read_command(settings, command, coupling, error)) &&
           read_kernels(settings, settings_find(settings, head, "kernels"), coupling, error);
}

bool coupling_read(const char *path, struct coupling *coupling, struct error *error)
{
    *coupling = (struct coupling){.path = memory_copy_text(path, strlen(path)),
                                  .command = ARRAY_OF(char *),
                                  .kernels = ARRAY_OF(char *),
                                  .chains = ARRAY_OF(struct coupling_chain)};
    struct settings settings = {0};
    bool is_fine = settings_read(&settings, path, keys, error) && take(&settings, coupling, error);
    settings_free(&settings);
    return is_fine;
}

static void free_words(struct array *words)
{
    for (size_t i = 0; i < words->count; i++)
        free(*ARRAY_AT(char *, words, i));
    array_free(words);
}

void coupling_free(struct coupling *coupling)
{
    free_words(&coupling->command);
    free_words(&coupling->kernels);
    array_free(&coupling->chains);
    free(coupling->path);
    free(coupling->library);
    free(coupling->prepare);
    *coupling = (struct coupling){0};
}
