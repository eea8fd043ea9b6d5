/* Reads the trees of data/counters/ and finds counters in them. */
#include "run/sample/counters_parts.h"

#include "base/nearest.h"
#include "base/path.h"
#include "base/regular_file.h"
#include "code/machine/host.h"

#include <ctype.h>
#include <dirent.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_FILE = 1 << 20 };

/* ---- a file ---- */

/* Whether the computer has one of the units of a line "pmu …". */
static bool has_unit(struct counter_tree *tree, char *names)
{
    bool is_here = false;
    char *rest = NULL;
    for (char *name = strtok_r(names, " ", &rest); name; name = strtok_r(NULL, " ", &rest)) {
        const char *words;
        if (!counters_have_unit(name, &words))
            continue;
        is_here = true;
        if (strcmp(name, "perf") != 0)
            tree->unit = words;
    }
    return is_here;
}

/* The rest of a line `cpuid 6 8f cf` or `midr 41 d40`; NULL with an error. */
static const struct counter_processors *take_processors(struct counter_tree *tree, enum isa isa,
                                                        const char *text, const struct counter_place *place,
                                                        struct error *error)
{
    struct counter_processors *processors = arena_get(&tree->texts, sizeof *processors);
    char *end = NULL;
    *processors = (struct counter_processors){.isa = isa, .family = (uint32_t)strtoul(text, &end, 16)};
    while (*end == ' ' && processors->count < MOST_COUNTER_MODELS) {
        text = end + 1;
        processors->models[processors->count++] = (uint32_t)strtoul(text, &end, 16);
    }
    if (*end || end == text || !processors->count) {
        counters_complain(place, "expected 'cpuid FAMILY MODEL…' or 'midr IMPLEMENTER PART…' in hexadecimal",
                          error);
        return NULL;
    }
    return processors;
}

static bool is_this_computer(const struct counter_processors *processors)
{
    struct machine_identity host = machine_host();
    for (unsigned i = 0; host.isa == processors->isa && i < processors->count; i++)
        if (host.family == processors->family && host.model == processors->models[i])
            return true;
    return false;
}

/* Lines before the first question.  *is_head: it is one of them. */
static bool take_head(struct counter_tree *tree, struct counter_head *head, char *line, enum isa isa,
                      bool *is_head, const struct counter_place *place, struct error *error)
{
    bool is_unit = !strncmp(line, "pmu ", 4), is_x86 = !strncmp(line, "cpuid ", 6);
    *is_head = is_unit || is_x86 || !strncmp(line, "midr ", 5);
    if (!*is_head)
        return head->is_there || counters_complain(place, "the file must begin with a line pmu NAME…", error);
    if (is_unit) {
        head->is_there = true;
        head->is_wanted |= isa ? !strcmp(line, "pmu perf") : has_unit(tree, line + 4);
        return true;
    }
    head->processors = take_processors(tree, is_x86 ? isa_X86_64 : isa_AARCH64,
                                       line + strlen(is_x86 ? "cpuid " : "midr "), place, error);
    head->is_wanted |=
        head->processors && (isa ? head->processors->isa == isa : is_this_computer(head->processors));
    return head->processors;
}

/* isa: for computers with it; NONE: for this one. */
static bool read_lines(struct counter_tree *tree, const char *path, char *text, enum isa isa,
                       struct error *error)
{
    struct counter_place place = {.path = path};
    struct counter_head head = {.file = counters_keep(tree, path_name(path), strlen(path_name(path)))};
    for (char *line = text, *next; line; line = next) {
        place.line++;
        next = strchr(line, '\n');
        if (next)
            *next++ = 0;
        size_t length = strlen(line);
        bool is_head;
        while (length && isspace((unsigned char)line[length - 1]))
            line[--length] = 0;
        if (!length || *line == '#')
            continue;
        if (!take_head(tree, &head, line, isa, &is_head, &place, error))
            return false;
        if (is_head)
            continue;
        if (!head.is_wanted)
            return true;
        if (!counters_take_line(tree, &head, line, &place, error))
            return false;
    }
    return true;
}

static bool read_file(struct counter_tree *tree, const char *path, enum isa isa, struct error *error)
{
    char *text = regular_file_text(path, MOST_FILE, "a list of counters", error);
    bool is_done = text && read_lines(tree, path, text, isa, error);
    free(text);
    return is_done;
}

/* ---- all files ---- */

static int compare_texts(const void *left, const void *right)
{
    const char *a = *(char *const *)left, *b = *(char *const *)right;
    return strcmp(a, b);
}

/* Those of cores first, then what every processor has, then the kernel's. */
static unsigned rank(const char *name)
{
    return !strcmp(name, "software") ? 2 : !strcmp(name, "generic") ? 1 : 0;
}

/* In the order of the folders: those of the user come before what is installed. */
static void list_files(const char *const *folders, size_t folder_count, struct array *paths)
{
    for (size_t i = 0; i < folder_count; i++) {
        size_t before = paths->count;
        DIR *directory = opendir(folders[i]);
        for (struct dirent *entry; directory && (entry = readdir(directory));)
            if (*entry->d_name != '.' && !strchr(entry->d_name, '~'))
                *(char **)array_push(paths) = memory_format("%s/%s", folders[i], entry->d_name);
        if (directory)
            closedir(directory);
        if (paths->count > before)
            qsort(ARRAY_AT(char *, paths, before), paths->count - before, sizeof(char *), compare_texts);
    }
}

/* By libpfm4, or by the number in the file. */
static bool encode(struct counter_line *line)
{
    if (counters_encode(line->event, &line->wish, &line->why_not))
        return true;
    line->wish.type = PERF_TYPE_RAW;
    line->wish.config = line->raw;
    return line->raw;
}

static void look_at_computer(struct counter_tree *tree)
{
    for (size_t i = 0; i < tree->lines.count; i++) {
        struct counter_line *line = ARRAY_AT(struct counter_line, &tree->lines, i);
        if (!line->name)
            continue;
        line->wish = (struct sample_wish){.name = line->name, .period = line->period};
        line->is_here = encode(line) && counters_open(&line->wish, &line->why_not);
        tree->has_processor = tree->has_processor || (line->is_here && line->wish.type != PERF_TYPE_SOFTWARE);
    }
}

static bool is_named_before(const struct array *lines, size_t count, const struct counter_line *line)
{
    for (size_t i = 0; i < count; i++) {
        const struct counter_line *other = ARRAY_AT(struct counter_line, lines, i);
        if (other->name && !strcmp(other->name, line->name) && (other->is_here || !line->is_here))
            return true;
    }
    return false;
}

/* A counter that an earlier file has under the same name goes, unless only the later one works; then
   questions without counters go. */
static void drop_repeated(struct array *lines)
{
    size_t kept = 0;
    for (size_t i = 0; i < lines->count; i++) {
        struct counter_line line = *ARRAY_AT(struct counter_line, lines, i);
        if (!line.name || !is_named_before(lines, kept, &line))
            *ARRAY_AT(struct counter_line, lines, kept++) = line;
    }
    size_t count = kept;
    kept = 0;
    for (size_t i = 0; i < count; i++) {
        struct counter_line line = *ARRAY_AT(struct counter_line, lines, i);
        bool has_counter = i + 1 < count && (ARRAY_AT(struct counter_line, lines, i + 1)->name ||
                                             ARRAY_AT(struct counter_line, lines, i + 1)->depth > line.depth);
        if (line.name || has_counter)
            *ARRAY_AT(struct counter_line, lines, kept++) = line;
    }
    lines->count = kept;
}

static bool read_files(struct counter_tree *tree, enum isa isa, const char *const *folders,
                       size_t folder_count, struct error *error)
{
    struct array paths = ARRAY_OF(char *);
    *tree = (struct counter_tree){.lines = ARRAY_OF(struct counter_line)};
    list_files(folders, folder_count, &paths);
    bool is_done = true;
    for (unsigned wanted = 0; wanted <= 2; wanted++)
        for (size_t i = 0; is_done && i < paths.count; i++) {
            const char *path = *ARRAY_AT(char *, &paths, i);
            if (rank(path_name(path)) == wanted)
                is_done = read_file(tree, path, isa, error);
        }
    for (size_t i = 0; i < paths.count; i++)
        free(*ARRAY_AT(char *, &paths, i));
    array_free(&paths);
    return is_done;
}

bool counters_read(struct counter_tree *tree, const char *const *folders, size_t folder_count,
                   struct error *error)
{
    if (!read_files(tree, isa_NONE, folders, folder_count, error))
        return false;
    look_at_computer(tree);
    drop_repeated(&tree->lines);
    return true;
}

bool counters_read_for(struct counter_tree *tree, enum isa isa, const char *const *folders,
                       size_t folder_count, struct error *error)
{
    if (!read_files(tree, isa, folders, folder_count, error))
        return false;
    size_t kept = 0;
    for (size_t i = 0; i < tree->lines.count; i++) {
        struct counter_line line = *ARRAY_AT(struct counter_line, &tree->lines, i);
        line.wish = (struct sample_wish){.name = line.name, .type = PERF_TYPE_RAW, .config = line.raw};
        bool is_kernels = line.counts && !line.processors;
        if (line.counts && (line.raw || (is_kernels && encode(&line))))
            *ARRAY_AT(struct counter_line, &tree->lines, kept++) = line;
    }
    tree->lines.count = kept;
    return true;
}

void counters_free(struct counter_tree *tree)
{
    array_free(&tree->lines);
    arena_free(&tree->texts);
}

/* ---- finding ---- */

/* The first that is here, else the first of that name. */
static const struct counter_line *find_line(const struct counter_tree *tree, const char *name,
                                            struct nearest *nearest)
{
    const struct counter_line *found = NULL;
    for (size_t i = 0; i < tree->lines.count; i++) {
        const struct counter_line *line = ARRAY_AT(struct counter_line, &tree->lines, i);
        if (!line->name)
            continue;
        nearest_offer(nearest, line->name);
        if (!strcmp(line->name, name) && (!found || (!found->is_here && line->is_here)))
            found = line;
    }
    return found;
}

/* r followed by a hexadecimal number, as perf writes raw events. */
static bool take_raw(const char *name, struct sample_wish *wish)
{
    char *end = NULL;
    if (*name != 'r' || !isxdigit((unsigned char)name[1]))
        return false;
    wish->config = strtoull(name + 1, &end, 16);
    wish->type = PERF_TYPE_RAW;
    return !*end;
}

static bool find_one(const struct counter_tree *tree, const char *name, struct sample_wish *wish,
                     struct error *error)
{
    struct nearest nearest = {.wanted = name};
    const struct counter_line *line = find_line(tree, name, &nearest);
    const char *why = NULL;
    bool is_known = line || take_raw(name, wish) || counters_encode(name, wish, &why);
    bool is_here = line ? line->is_here : is_known && counters_open(wish, &why);
    if (line) {
        *wish = line->wish;
        why = line->why_not;
    }
    if (!is_known)
        error_set(error, NULL, "unknown counter '%s'%s%s%s (assay counters lists them)", name,
                  nearest.best ? "; did you mean " : "", nearest.best ? nearest.best : "",
                  nearest.best ? "?" : "");
    else if (!is_here)
        error_set(error, NULL, "counter '%s': %s (assay counters lists what works here)", name, why);
    free(nearest.best);
    wish->name = name;
    return is_here;
}

bool counters_find(struct counter_tree *tree, const char *list, struct array *wishes, struct error *error)
{
    enum { MOST_WISHES = 16 };
    while (*list) {
        size_t length = strcspn(list, ",");
        const char *name = counters_keep(tree, list, length);
        struct sample_wish wish = {0};
        if (length && !find_one(tree, name, &wish, error))
            return false;
        if (length)
            *(struct sample_wish *)array_push(wishes) = wish;
        list += length + (list[length] == ',');
    }
    if (wishes->count > MOST_WISHES)
        return error_set(error, NULL, "at most %d counters at a time", MOST_WISHES);
    return wishes->count || error_set(error, NULL, "--counters needs names (assay counters lists them)");
}
