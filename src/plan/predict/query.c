/* A query is a description with files. What identifies it for ever is computed here: digests of the contents
   of its inputs, and the build of the program. File names play no part, so a file that is copied or renamed
   is known already. */
#include "base/nearest.h"
#include "base/clock.h"
#include "base/path.h"
#include "plan/predict/figures.h"
#include "plan/predict/parts.h"
#include "plan/predict/queries.h"
#include "plan/predict/template.h"
#include "run/launch/elf_file.h"
#include "run/launch/program.h"

#include <elfutils/libdwelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_PROGRAM_BYTES = 1 << 30 };

const char *predict_suffix(const char *path)
{
    const char *name = path_name(path), *dot = *name ? strchr(name + 1, '.') : NULL;
    return dot && strlen(dot) < 60 ? dot : "";
}

unsigned predict_stand_in(const struct predict_description *description, bool is_identity, unsigned input)
{
    for (size_t i = 0; is_identity && i < description->pairs.count; i++) {
        const struct predict_pair *pair = ARRAY_AT(struct predict_pair, &description->pairs, i);
        if (pair->replaced == input)
            return pair->by;
    }
    return input;
}

/* --- bindings --- */

static const char *input_name(const struct predict_description *description, size_t input)
{
    return *ARRAY_AT(char *, &description->inputs, input);
}

/* Where the path of a name belongs; NULL: there is no such name. */
static char **place_of(struct predict_query *query, const char *name, size_t length)
{
    const struct predict_description *description = query->description;
    for (size_t i = 0; i < description->inputs.count; i++)
        if (strlen(input_name(description, i)) == length && !memcmp(input_name(description, i), name, length))
            return &query->paths[i];
    for (size_t i = 0; i < description->outputs.count; i++) {
        const char *output = ARRAY_AT(struct predict_output, &description->outputs, i)->name;
        if (strlen(output) == length && !memcmp(output, name, length))
            return &query->outputs[i];
    }
    return NULL;
}

static bool complain_of_name(const struct predict_query *query, const char *name, size_t length,
                             struct error *error)
{
    const struct predict_description *description = query->description;
    char *wanted = memory_copy_text(name, length < 60 ? length : 60);
    struct nearest nearest = {.wanted = wanted};
    for (size_t i = 0; i < description->inputs.count; i++)
        nearest_offer(&nearest, input_name(description, i));
    if (nearest.best)
        error_set(error, description->settings.path, "has no input `%s`: did you mean `%s`?", wanted,
                  nearest.best);
    else
        error_set(error, description->settings.path, "has no input `%s`: they are %s", wanted,
                  settings_value(&description->settings, description->section, "inputs"));
    free(nearest.best);
    free(wanted);
    return false;
}

static bool bind(struct predict_query *query, const char *binding, const char *folder, struct error *error)
{
    const char *equals = strchr(binding, '=');
    if (!equals || equals == binding || !equals[1])
        return error_set(error, binding, "expected NAME=FILE, such as %s=FILE",
                         input_name(query->description, 0));
    char **place = place_of(query, binding, (size_t)(equals - binding));
    if (!place)
        return complain_of_name(query, binding, (size_t)(equals - binding), error);
    if (*place)
        return error_set(error, binding, "this name is given twice");
    char *joined = folder && equals[1] != '/' ? memory_format("%s/%s", folder, equals + 1) : NULL;
    *place = path_absolute(joined ? joined : equals + 1);
    free(joined);
    return true;
}

static void add_label(char **label, const char *binding)
{
    char *longer = memory_format("%s%s%s", *label ? *label : "", *label ? " " : "", binding);
    free(*label);
    *label = longer;
}

/* The inputs in the order of the description, as they were named. */
static void make_labels(struct predict_query *query, const char *const *bindings)
{
    const struct predict_description *description = query->description;
    for (size_t i = 0; i < description->inputs.count; i++) {
        const char *name = input_name(description, i);
        for (const char *const *binding = bindings; *binding; binding++) {
            size_t length = strlen(name);
            if (strncmp(*binding, name, length) || (*binding)[length] != '=')
                continue;
            add_label(&query->label, *binding);
            if (predict_stand_in(description, true, (unsigned)i) == i)
                add_label(&query->identity_label, *binding);
        }
    }
}

static bool bind_all(struct predict_query *query, const char *const *bindings, const char *folder,
                     struct error *error)
{
    for (const char *const *binding = bindings; *binding; binding++)
        if (!bind(query, *binding, folder, error))
            return false;
    for (size_t i = 0; i < query->description->inputs.count; i++)
        if (!query->paths[i])
            return error_set(error, query->description->settings.path,
                             "the input `%s` is missing: add %s=FILE", input_name(query->description, i),
                             input_name(query->description, i));
    make_labels(query, bindings);
    return true;
}

/* --- what identifies it --- */

static bool make_digests(struct predict_query *query, struct error *error)
{
    const struct predict_description *description = query->description;
    size_t count = description->inputs.count;
    char(*digests)[DIGEST_TEXT] = memory_get(count * sizeof *digests);
    bool is_fine = true;
    for (size_t i = 0; i < count && is_fine; i++)
        is_fine = digest_file(query->paths[i], digests[i], NULL, error);
    for (unsigned is_identity = 0; is_fine && is_identity <= (description->pairs.count > 0); is_identity++) {
        struct digest digest;
        digest_begin(&digest);
        for (size_t i = 0; i < count; i++) {
            digest_add_text(&digest, input_name(description, i));
            digest_add_text(&digest, digests[predict_stand_in(description, is_identity, (unsigned)i)]);
        }
        digest_end(&digest, is_identity ? query->identity : query->inputs);
    }
    free(digests);
    return is_fine;
}

/* The first word of the command that is no assignment; to be freed. */
static char *program_word(const struct predict_description *description)
{
    const char *at = description->program ? description->program : description->command;
    for (;;) {
        at += strspn(at, " \t");
        size_t length = strcspn(at, " \t"), name = strcspn(at, "={ \t'\"/");
        if (!description->program && at[name] == '=' && name) {
            at += length;
            continue;
        }
        char *word = memory_copy_text(at, length);
        struct template_name here = {"here", description->here, 0, false};
        struct template_fault fault;
        char *filled = template_fill(word, &here, 1, &fault);
        free(word);
        return filled;
    }
}

/* The build-id of a file; of one that has none, the digest of its contents. */
static bool build_of_file(const char *path, bool is_code, char build[DIGEST_TEXT], struct error *error)
{
    struct elf_file file = elf_file_open(is_code ? path : NULL, MOST_PROGRAM_BYTES);
    const void *id = NULL;
    ssize_t size = file.elf ? dwelf_elf_gnu_build_id(file.elf, &id) : 0;
    for (ssize_t i = 0; i < size && i < 32; i++)
        snprintf(build + 2 * i, 3, "%02x", ((const uint8_t *)id)[i]);
    elf_file_close(&file);
    return size > 0 || digest_file(path, build, NULL, error);
}

/* The C library and the dynamic linker are replaced with every repair of a distribution; what was learned
   does not begin anew for that. */
static bool is_of_system(const char *path)
{
    static const char *const names[] = {"libc.so",       "ld-linux", "ld64.so",   "ld.so",
                                        "libpthread.so", "libdl.so", "librt.so",  "libresolv.so",
                                        "libutil.so",    "ld-musl",  "libc.musl", "linux-vdso"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strncmp(path_name(path), names[i], strlen(names[i])))
            return true;
    return false;
}

/* The program's own, and with the libraries that it loads a digest over all of theirs. */
static bool build_of(const struct launch_program *program, char build[DIGEST_TEXT], struct error *error)
{
    bool is_code = !program->is_script && program->code;
    if (!build_of_file(is_code ? program->code : program->path, !program->is_script, build, error))
        return false;
    struct array libraries = ARRAY_OF(char *);
    struct digest digest;
    unsigned counted = 0;
    if (is_code)
        launch_list_libraries(program, &libraries);
    digest_begin(&digest);
    digest_add_text(&digest, build);
    for (size_t i = 0; i < libraries.count; i++) {
        char *path = *ARRAY_AT(char *, &libraries, i), own[DIGEST_TEXT] = "";
        struct error ignored = {0}; /* the program will complain when it is run */
        if (!is_of_system(path) && build_of_file(path, true, own, &ignored)) {
            digest_add_text(&digest, own);
            counted++;
        }
        free(path);
    }
    array_free(&libraries);
    if (counted)
        digest_end(&digest, build);
    return true;
}

static bool find_build(const struct predict_description *description, char build[DIGEST_TEXT],
                       struct error *error)
{
    char *word = program_word(description);
    struct launch_program program = {0};
    struct error reason = {0};
    bool is_found = word && launch_find_program(word, &program, &reason);
    if (!is_found) {
        const struct setting *setting = settings_find(&description->settings, description->section,
                                                      description->program ? "program" : "command");
        settings_complain(&description->settings, setting, error,
                          "the program that it runs is not found (%s); `program = FILE` says which it is",
                          reason.set ? reason.text : "its first word is not a program");
    }
    bool is_fine = is_found && build_of(&program, build, error);
    launch_free_program(&program);
    free(word);
    return is_fine;
}

static bool note_features(struct predict_query *query, struct error *error)
{
    const struct array *features = &query->description->features;
    for (size_t i = 0; i < features->count; i++) {
        const struct predict_feature *feature = ARRAY_AT(struct predict_feature, features, i);
        if (!ledger_do(query->ledger, error, query_named(predict_queries, "add_feature"), "itttr",
                       query->predictor, query->inputs, feature->name, feature->definition,
                       query->features[i]))
            return false;
    }
    return true;
}

/* A feature that was computed for these contents once is not computed again. */
static bool find_feature(struct predict_query *query, const struct predict_feature *feature, double *value,
                         struct error *error)
{
    struct ledger_rows rows;
    bool is_known = false;
    if (!ledger_ask(query->ledger, &rows, error, query_named(predict_queries, "feature_value"), "ittt",
                    query->predictor, query->inputs, feature->name, feature->definition))
        return false;
    while (ledger_next(&rows)) {
        *value = ledger_real(&rows, 0);
        is_known = true;
    }
    if (!ledger_end(&rows, error))
        return false;
    return is_known || predict_feature_value(query->description, feature, (const char *const *)query->paths,
                                             value, error);
}

static bool find_features(struct predict_query *query, struct error *error)
{
    const struct array *features = &query->description->features;
    for (size_t i = 0; i < features->count; i++)
        if (!find_feature(query, ARRAY_AT(struct predict_feature, features, i), &query->features[i], error))
            return false;
    return true;
}

static bool note_predictor(struct predict_query *query, const char *build, struct error *error)
{
    const struct predict_description *description = query->description;
    char *path = path_absolute(description->settings.path);
    bool is_fine = ledger_do(query->ledger, error, query_named(predict_queries, "add_predictor"), "ttttr",
                             description->name, path, description->digest, build, clock_calendar_seconds());
    free(path);
    struct ledger_rows rows;
    if (!is_fine || !ledger_ask(query->ledger, &rows, error, query_named(predict_queries, "predictor_id"),
                                "tt", description->digest, build))
        return false;
    while (ledger_next(&rows))
        query->predictor = ledger_integer(&rows, 0);
    return ledger_end(&rows, error);
}

static bool note_inputs(struct predict_query *query, struct error *error)
{
    return ledger_do(query->ledger, error, query_named(predict_queries, "add_input_set"), "ittt",
                     query->predictor, query->inputs, *query->identity ? query->identity : NULL,
                     query->label) &&
           note_features(query, error);
}

static bool is_host_fine(const struct predict_query *query, struct error *error)
{
    const struct predict_description *description = query->description;
    for (size_t i = 0; i < description->hosts.count; i++)
        if (!strcmp(*ARRAY_AT(char *, &description->hosts, i), query->host))
            return true;
    return !description->hosts.count ||
           settings_complain(&description->settings,
                             settings_find(&description->settings, description->section, "hosts"), error,
                             "it does not run on this computer (%s)", query->host);
}

static bool fill(struct predict_query *query, const char *const *bindings, const char *folder,
                 struct error *error)
{
    char build[DIGEST_TEXT] = "";
    if (!is_host_fine(query, error) || !bind_all(query, bindings, folder, error) ||
        !make_digests(query, error) || !find_build(query->description, build, error) ||
        !note_predictor(query, build, error) || !find_features(query, error))
        return false;
    if (!ledger_begin(query->ledger, error))
        return false;
    if (note_inputs(query, error))
        return ledger_commit(query->ledger, error);
    ledger_undo(query->ledger);
    return false;
}

static char *name_of_this_computer(void)
{
    char name[256] = "";
    gethostname(name, sizeof name - 1);
    return memory_copy_text(*name ? name : "localhost", strlen(*name ? name : "localhost"));
}

struct predict_query *predict_ask(const struct predict_description *description, const char *const *bindings,
                                  const char *folder, const char *host, struct ledger *ledger,
                                  struct error *error)
{
    struct predict_query *query = memory_get(sizeof *query);
    query->description = description;
    query->ledger = ledger;
    query->host = host ? memory_copy_text(host, strlen(host)) : name_of_this_computer();
    query->paths = memory_get((description->inputs.count + 1) * sizeof *query->paths);
    query->outputs = memory_get((description->outputs.count + 1) * sizeof *query->outputs);
    query->features = memory_get((description->features.count + 1) * sizeof *query->features);
    if (fill(query, bindings, folder, error))
        return query;
    predict_query_free(query);
    return NULL;
}

void predict_query_free(struct predict_query *query)
{
    if (!query)
        return;
    for (size_t i = 0; i < query->description->inputs.count; i++)
        free(query->paths[i]);
    for (size_t i = 0; i < query->description->outputs.count; i++)
        free(query->outputs[i]);
    free(query->paths);
    free(query->outputs);
    free(query->features);
    free(query->host);
    free(query->label);
    free(query->identity_label);
    free(query);
}

int64_t predict_predictor(const struct predict_query *query)
{
    return query->predictor;
}

const char *predict_label(const struct predict_query *query)
{
    return query->label;
}
