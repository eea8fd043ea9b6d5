/* Which machine is meant, and where its file is.

   The first directory with a file of that name wins, so that a user's own file can replace one that
   comes with Assay.  A machine is also found by the other names in its file (`also`).

   The host is recognised by comparing what the processor reports (host.c) with the lines `cpuid` and `midr`
   of the files, those of the first directory first: a file that was measured and is the user's own stands
   before the one that comes with Assay.  Where a number says what cannot be, or no file has it, features decide
   (generation.c).  The host is modelled without the extensions that it does not report, and with guarded gathers where its own are;
   +noWORD and +guarded-gathers behind a name say the same of any machine.

   A machine may be like another, whose forms it takes where it has none of its own; that one may be like a
   third.  The chain is short and must end. */
#include "code/machine/host.h"
#include "model/isa.h"
#include "code/machine/reading.h"

#include "base/nearest.h"
#include "base/regular_file.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    LARGEST_FILE = 16 << 20,
    LARGEST_HEAD = 1 << 16, /* where names and identities stand: before the forms */
    LONGEST_NAME = 64,
    LONGEST_PATH = 4096,
    MOST_FILES = 1000,
    MOST_SIBLINGS = 8
};

struct name_list {
    char (*names)[LONGEST_NAME];
    size_t count;
};

/* At most so many bytes of a file, with a zero after them. */
static char *read_text_file(const char *path, size_t most, size_t *size, struct error *error)
{
    uint64_t bytes;
    int file = regular_file_open(path, &bytes, error);
    if (file < 0)
        return NULL;
    char *text = NULL;
    *size = 0;
    if (bytes > LARGEST_FILE) {
        error_set(error, path, "is not a machine file: it is larger than 16 MB");
    } else {
        size_t wanted = bytes < most ? (size_t)bytes : most;
        text = memory_get(wanted + 1);
        int64_t got = regular_file_read(file, text, wanted);
        *size = got > 0 ? (size_t)got : 0;
    }
    close(file);
    return text;
}

/* Names are file names: no path can be smuggled in. */
bool machine_is_name(const char *name)
{
    return name[0] && strlen(name) < LONGEST_NAME &&
           !name[strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_")];
}

static int compare_names(const void *left, const void *right)
{
    return strcmp(left, right);
}

static struct name_list list_files(const char *const *directories, size_t directory_count)
{
    struct name_list list = {.names = memory_get(MOST_FILES * sizeof list.names[0])};
    for (size_t d = 0; d < directory_count; d++) {
        DIR *directory = opendir(directories[d]);
        struct dirent *entry;
        while (directory && list.count < MOST_FILES && (entry = readdir(directory))) {
            if (!machine_is_name(entry->d_name))
                continue;
            bool is_known = false;
            for (size_t i = 0; i < list.count && !is_known; i++)
                is_known = !strcmp(list.names[i], entry->d_name);
            if (!is_known)
                strcpy(list.names[list.count++], entry->d_name);
        }
        if (directory)
            closedir(directory);
    }
    qsort(list.names, list.count, sizeof list.names[0], compare_names);
    return list;
}

struct array machine_names(const char *const *directories, size_t directory_count)
{
    struct name_list list = list_files(directories, directory_count);
    struct array names = ARRAY_OF(char *);
    for (size_t i = 0; i < list.count; i++)
        *(char **)array_push(&names) = memory_copy_text(list.names[i], strlen(list.names[i]));
    free(list.names);
    return names;
}

void machine_names_free(struct array *names)
{
    for (size_t i = 0; i < names->count; i++)
        free(*ARRAY_AT(char *, names, i));
    array_free(names);
}

static bool find_path(const char *name, const char *const *directories, size_t count, char path[LONGEST_PATH])
{
    for (size_t d = 0; d < count && machine_is_name(name); d++) {
        int length = snprintf(path, LONGEST_PATH, "%s/%s", directories[d], name);
        if (length < LONGEST_PATH && !access(path, R_OK))
            return true;
    }
    return false;
}

/* The next line that starts with a word, split: its first value, and the state for strtok_r. */
static char *next_line_of(const char **at, const char *word, char copy[LONGEST_PATH], char **saved)
{
    size_t length = strlen(word);
    while (*at) {
        const char *line = *at + (**at == '\n');
        *at = strchr(line, '\n');
        if (strncmp(line, word, length) || (line[length] != ' ' && line[length] != '\t'))
            continue;
        snprintf(copy, LONGEST_PATH, "%.*s", (int)strcspn(line + length, "#\r\n"), line + length);
        char *first = strtok_r(copy, " \t", saved);
        if (first)
            return first;
    }
    return NULL;
}

static bool is_called(const char *text, const char *name)
{
    char copy[LONGEST_PATH], *saved;
    for (char *each; (each = next_line_of(&text, "also", copy, &saved));)
        for (; each; each = strtok_r(NULL, " \t", &saved))
            if (!strcmp(each, name))
                return true;
    return false;
}

/* MODEL or MODEL.STEPPING */
static bool is_model(const char *word, const struct machine_identity *identity)
{
    char *end;
    return strtoul(word, &end, 16) == identity->model &&
           (*end != '.' || strtoul(end + 1, NULL, 16) == identity->stepping);
}

static bool is_identity(const char *text, const char *word, const struct machine_identity *identity)
{
    char copy[LONGEST_PATH], *saved;
    for (char *each; (each = next_line_of(&text, word, copy, &saved));) {
        bool is_family = strtoul(each, NULL, 16) == identity->family;
        while (is_family && (each = strtok_r(NULL, " \t", &saved)))
            if (is_model(each, identity))
                return true;
    }
    return false;
}

/* The file that calls itself by another name. */
static bool find_alias(const char *name, const char *const *directories, size_t count,
                       char path[LONGEST_PATH])
{
    struct name_list list = list_files(directories, count);
    bool found = false;
    for (size_t i = 0; i < list.count && !found; i++) {
        struct error ignored = {0};
        size_t size;
        char *text = find_path(list.names[i], directories, count, path)
                         ? read_text_file(path, LARGEST_HEAD, &size, &ignored)
                         : NULL;
        found = text && is_called(text, name);
        free(text);
    }
    free(list.names);
    return found;
}

/* Names near enough to be meant: a third of the letters at most differ, or one is a part of the other. */
static bool is_near(const char *name, const char *known)
{
    size_t length = strlen(known) > strlen(name) ? strlen(known) : strlen(name);
    return 3 * nearest_edits(name, known) <= length || (strlen(name) > 2 && strstr(known, name)) ||
           (strlen(known) > 2 && strstr(name, known));
}

static void say_names(const char *name, const char *const *directories, size_t count, struct error *error)
{
    struct name_list list = list_files(directories, count);
    enum { MOST_SAID = 4 };
    char near[MOST_SAID * (LONGEST_NAME + 4)] = "";
    unsigned said = 0;
    for (unsigned letters = 0; letters < LONGEST_NAME && said < MOST_SAID; letters++)
        for (size_t i = 0; i < list.count && said < MOST_SAID; i++)
            if (nearest_edits(name, list.names[i]) == letters && is_near(name, list.names[i])) {
                strcat(near, said++ ? ", " : "");
                strcat(near, list.names[i]);
            }
    if (!list.count)
        error_set(error, NULL, "no machine files were found; name their directory in ASSAY_MACHINES");
    else
        error_set(error, NULL, "no machine is called '%.60s'%s%s%s; `assay machines` lists all", name,
                  said ? "; did you mean " : "", near, said ? "?" : "");
    free(list.names);
}

/* Forms of the machine that this one is like, of the one that that is like, and so on. */
static bool read_siblings(struct machine *machine, const char *const *directories, size_t directory_count,
                          struct error *error)
{
    const char *chain[MOST_SIBLINGS + 1] = {machine->name}, *like = machine->sibling;
    for (unsigned count = 1; like; count++) {
        char path[LONGEST_PATH];
        for (unsigned i = 0; i < count; i++)
            if (!strcmp(chain[i], like))
                return error_set(error, machine->name,
                                 "the machines that this one is `like` go in a circle at '%.60s'", like);
        if (count > MOST_SIBLINGS)
            return error_set(error, machine->name, "more than 8 machines that are `like` another in a row");
        chain[count] = like;
        if (!find_path(like, directories, directory_count, path))
            return error_set(error, machine->name, "is `like` a machine for which there is no file: '%.60s'",
                             like);
        size_t size;
        char *text = read_text_file(path, LARGEST_FILE, &size, error);
        if (!text || !machine_read(machine, path, text, size, true, &like, error))
            return false;
    }
    return true;
}

struct machine *machine_parse_in(const char *path, const char *text, size_t size,
                                 const char *const *directories, size_t directory_count, struct error *error)
{
    struct machine *machine = machine_new();
    char *copy = memory_get(size + 1);
    memcpy(copy, text, size);
    if (machine_read(machine, path, copy, size, false, &machine->sibling, error) &&
        read_siblings(machine, directories, directory_count, error)) {
        machine_finish(machine);
        return machine;
    }
    machine_free(machine);
    return NULL;
}

/* Of the file that has this name, or gives it to itself. */
static struct machine *load_file(const char *name, const char *const *directories, size_t directory_count,
                                 struct error *error)
{
    char path[LONGEST_PATH];
    if (!find_path(name, directories, directory_count, path) &&
        !find_alias(name, directories, directory_count, path)) {
        say_names(name, directories, directory_count, error);
        return NULL;
    }
    size_t size;
    char *text = read_text_file(path, LARGEST_FILE, &size, error);
    struct machine *machine =
        text ? machine_parse_in(path, text, size, directories, directory_count, error) : NULL;
    free(text);
    return machine;
}

/* Words of a name that are none, or that the machine does not have. */
static bool refuse_restriction(const struct machine *machine, const char *word, size_t length,
                               struct error *error)
{
    uint32_t has = machine_extensions(machine) | machine->without;
    char possible[200] = "";
    for (unsigned i = 0; i < extension_COUNT; i++)
        if (has >> i & 1) {
            size_t used = strlen(possible);
            snprintf(possible + used, sizeof possible - used, "%s%s+no%s", used ? ", " : "",
                     machine->base_name, extensions[i].word);
        }
    return error_set(error, NULL, "%.60s cannot be taken with '+%.*s'; %s%s", machine->base_name,
                     (int)(length < 40 ? length : 40), word,
                     *possible ? "possible: " : "it has no extension that it could be without", possible);
}

/* +noWORD…, +guarded-gathers: how it differs from its model. */
static bool vary_by_name(struct machine *machine, const char *words, struct error *error)
{
    while (*words) {
        const char *word = words + 1;
        size_t length = strcspn(word, "+");
        enum machine_extension extension =
            length > 2 && !memcmp(word, "no", 2) ? extension_named(word + 2, length - 2) : extension_COUNT;
        bool is_guard = length == strlen(GUARDED_GATHERS) && !memcmp(word, GUARDED_GATHERS, length);
        if (extension < extension_COUNT)
            machine_restrict(machine, 1U << extension);
        if (is_guard && !machine_guard_gathers(machine))
            return error_set(error, machine->base_name, "has no figures of guarded gathers");
        if (!is_guard && (extension == extension_COUNT || !(machine->without >> extension & 1)))
            return refuse_restriction(machine, word, length, error);
        words = word + length;
    }
    return true;
}

struct machine *machine_load(const char *name, const char *const *directories, size_t directory_count,
                             struct error *error)
{
    size_t length = strcspn(name, "+");
    char *base = memory_copy_text(name, length);
    struct machine *machine = load_file(base, directories, directory_count, error);
    free(base);
    if (machine && !vary_by_name(machine, name + length, error)) {
        machine_free(machine);
        return NULL;
    }
    return machine;
}

static const char *default_of(enum isa isa)
{
    switch (isa_facts(isa)->machine) {
    case isa_X86_64:
        return "skylake";
    case isa_AARCH64:
        return "neoverse-v1";
    case isa_IA64:
        return "itanium2";
    case isa_K1OM:
        return "knights-corner";
    default:
        return NULL;
    }
}

/* ---- the file of a computer ---- */

enum maker { maker_OTHER, maker_INTEL, maker_AMD };
static enum maker maker_of(uint32_t family)
{
    return family == 6 || family == 0x12 || family == 0x13 ? maker_INTEL
           : family >= 0x17                                ? maker_AMD
                                                           : maker_OTHER;
}

static uint32_t features_in(const char *text)
{
    char copy[LONGEST_PATH], *saved;
    uint32_t set = 0;
    for (char *each; (each = next_line_of(&text, "features", copy, &saved));)
        for (; each; each = strtok_r(NULL, " \t", &saved)) {
            enum machine_feature feature = generation_feature_named(each, strlen(each));
            set |= feature < feature_COUNT ? 1U << feature : 0;
        }
    return set;
}

static bool is_of_maker(const char *text, enum maker maker)
{
    char copy[LONGEST_PATH], *saved;
    for (char *each; (each = next_line_of(&text, "cpuid", copy, &saved));)
        if (maker && maker_of((uint32_t)strtoul(each, NULL, 16)) == maker)
            return true;
    return false;
}

/* Files of one directory that no directory before it hides: of struct host_candidate. */
static void add_candidates(struct array *candidates, const struct machine_identity *computer,
                           const char *const *directories, size_t place)
{
    const char *word = computer->isa == isa_AARCH64 ? "midr" : "cpuid";
    struct name_list list = list_files(directories + place, 1);
    for (size_t i = 0; i < list.count; i++) {
        char path[LONGEST_PATH];
        struct error ignored = {0};
        size_t size;
        char *text = !find_path(list.names[i], directories, place, path) &&
                             find_path(list.names[i], directories + place, 1, path)
                         ? read_text_file(path, LARGEST_HEAD, &size, &ignored)
                         : NULL;
        if (text)
            *(struct host_candidate *)array_push(candidates) = (struct host_candidate){
                .name = memory_copy_text(list.names[i], strlen(list.names[i])),
                .features = features_in(text),
                .has_number = is_identity(text, word, computer),
                .is_same_make = computer->isa == isa_X86_64 && is_of_maker(text, maker_of(computer->family))};
        free(text);
    }
    free(list.names);
}

static struct array candidates_for(const struct machine_identity *computer, const char *const *directories,
                                   size_t directory_count)
{
    struct array candidates = ARRAY_OF(struct host_candidate);
    for (size_t i = 0; computer->isa && i < directory_count; i++)
        add_candidates(&candidates, computer, directories, i);
    return candidates;
}

static void candidates_free(struct array *candidates)
{
    for (size_t i = 0; i < candidates->count; i++)
        free((char *)ARRAY_AT(struct host_candidate, candidates, i)->name);
    array_free(candidates);
}

struct array machine_names_of(const struct machine_identity *computer, const char *const *directories,
                              size_t directory_count)
{
    struct array names = ARRAY_OF(char *),
                 candidates = candidates_for(computer, directories, directory_count);
    struct host_judgement judgement = {0};
    size_t judged = generation_judge(&candidates, computer->features, &judgement);
    for (size_t i = 0; i < candidates.count; i++) {
        const struct host_candidate *file = ARRAY_AT(const struct host_candidate, &candidates, i);
        if (generation_agrees(file, computer->features) ||
            (i == judged && judgement.fit == host_fit_FEATURES))
            *(char **)array_push(&names) = memory_copy_text(file->name, strlen(file->name));
    }
    candidates_free(&candidates);
    return names;
}

/* The name of the file that a processor is in, or is nearest to; NULL where nothing is near.  To be freed. */
static char *name_of(const struct machine_identity *host, const char *const *directories,
                     size_t directory_count, struct host_judgement *judgement, char **numbered)
{
    struct array candidates = candidates_for(host, directories, directory_count);
    size_t judged = generation_judge(&candidates, host->features, judgement);
    enum maker maker = maker_of(host->family);
    bool is_large = maker == maker_AMD || host->features >> feature_AVX512F & 1;
    if (judgement->fit == host_fit_NEAREST && (host->isa != isa_X86_64 || !is_large))
        judged = SIZE_MAX;
    char *found = judged == SIZE_MAX
                      ? NULL
                      : memory_format("%s", ARRAY_AT(const struct host_candidate, &candidates, judged)->name);
    *numbered = judgement->numbered ? memory_format("%s", judgement->numbered) : NULL;
    judgement->numbered = NULL;
    judgement->family = host->family;
    judgement->model = host->model;
    candidates_free(&candidates);
    return found;
}

static const char *keep_text(struct machine *machine, const char *text)
{
    size_t size = strlen(text) + 1;
    return memcpy(arena_get(&machine->texts, size), text, size);
}

struct machine *machine_load_usual(enum isa isa, const struct machine_identity *host,
                                   const char *const *directories, size_t directory_count, bool *is_host,
                                   struct error *error)
{
    bool runs_here = host->isa && (host->isa == isa || host->isa == isa_facts(isa)->machine);
    struct host_judgement judgement = {0};
    autofree char *numbered = NULL;
    char *name = runs_here ? name_of(host, directories, directory_count, &judgement, &numbered) : NULL;
    const char *usual = name ? name : default_of(isa);
    *is_host = name;
    if (!usual) {
        error_set(error, NULL, "there is no machine file for this instruction set; name one with --machine");
        return NULL;
    }
    struct machine *machine = load_file(usual, directories, directory_count, error);
    if (machine && name) {
        machine->host = judgement;
        machine->host.numbered = numbered ? keep_text(machine, numbered) : NULL;
        machine_restrict(machine, extensions_of_isa(machine->isa) & ~host->extensions);
        if (host->guards_gathers)
            machine_guard_gathers(machine);
    }
    free(name);
    return machine;
}
