/* A description is settings; here they become what the rest works with. Every command is filled in once with
   values that stand for the real ones, so that a wrong name in braces is found before anything runs, with its
   line and column. */
#include "plan/predict/describe.h"

#include "base/digest.h"
#include "base/output.h"
#include "base/path.h"
#include "plan/predict/figures.h"
#include "plan/predict/template.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MOST_INPUTS = 64, MOST_PROBES = 64 };

const struct settings_key predict_keys[] = {
    {NULL, "name", true, "a word for tables and messages, such as register"},
    {NULL, "command", true, "the program as the shell runs it; {NAME} stands for an input or output"},
    {NULL, "inputs", true, "names of the files it reads, separated by commas"},
    {NULL, "outputs", false,
     "names of the files it writes, with the endings that they need: out.mif; unless said, one {out} with "
     "the "
     "ending of the first input"},
    {NULL, "shrink", false, "a command that makes {out} from {in}, {k} times smaller in each direction"},
    {NULL, "whole", false, "inputs that are not made smaller"},
    {NULL, "probe", false,
     "the command for probes, if it is another one than for the whole run; {k} is how much smaller"},
    {NULL, "probes", false, "how many times smaller the probes are, such as 6, 5, 4 (which is usual)"},
    {NULL, "identity", false, "which input another one replaces for the least work: source := target"},
    {NULL, "features", false,
     "figures of the inputs: bytes(x), lines(x), or NAME = a command that prints numbers"},
    {NULL, "size", false, "the feature that is the size of the inputs; unless said, the first one"},
    {NULL, "hosts", false, "kinds of computers it may run on, separated by commas; any unless said"},
    {NULL, "processors", false,
     "how many it can use, such as 1..16; one unless said.  The command needs {processors}"},
    {NULL, "scaling", false, "how it gains by processors: perfect, amdahl 0.05, or 1: 1, 2: 1.9, 4: 3.6"},
    {NULL, "program", false,
     "the file whose build the times belong to; unless said, the first word of the command"},
    {NULL, "model", false,
     "the kind of model to use: mean, bands, power, nearest, features or combined; unless said, the best "
     "one"},
    {NULL, "success", false, "exit statuses that do not mean failure; 0 unless said"},
    {NULL, NULL, false, NULL},
};

static const struct setting *find(const struct predict_description *description, const char *key)
{
    return settings_find(&description->settings, description->section, key);
}

static const char *value(const struct predict_description *description, const char *key)
{
    return settings_value(&description->settings, description->section, key);
}

static bool is_name(const char *text)
{
    if (!((*text >= 'a' && *text <= 'z') || (*text >= 'A' && *text <= 'Z') || *text == '_'))
        return false;
    return text[strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")] == 0;
}

static bool is_reserved(const char *text)
{
    static const char *const words[] = {"in", "k", "processors", "here", "round"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (!strcmp(text, words[i]))
            return true;
    return false;
}

static unsigned input_of(const struct predict_description *description, const char *name)
{
    unsigned i = 0;
    while (i < description->inputs.count && strcmp(*ARRAY_AT(char *, &description->inputs, i), name))
        i++;
    return i;
}

static bool find_input(struct predict_description *description, const struct setting *setting,
                       const char *name, unsigned *input, struct error *error)
{
    *input = input_of(description, name);
    return *input < description->inputs.count ||
           settings_complain(&description->settings, setting, error, "`%.60s` is not one of the inputs (%s)",
                             name, value(description, "inputs"));
}

static bool take_inputs(struct predict_description *description, struct error *error)
{
    const struct setting *setting = find(description, "inputs");
    struct array items;
    if (!settings_list(&description->settings, setting, &items, error))
        return false;
    bool is_fine = true;
    for (size_t i = 0; i < items.count && is_fine; i++) {
        char *name = *ARRAY_AT(char *, &items, i);
        if (!is_name(name) || is_reserved(name) || !strcmp(name, "out"))
            is_fine = settings_complain(&description->settings, setting, error,
                                        "`%.60s` cannot be the name of an input%s", name,
                                        is_name(name) ? ": it means something else in braces" : "");
        else if (input_of(description, name) < description->inputs.count)
            is_fine = settings_complain(&description->settings, setting, error, "`%s` is there twice", name);
        else
            *(char **)array_push(&description->inputs) = name;
    }
    if (is_fine && items.count > MOST_INPUTS)
        is_fine = settings_complain(&description->settings, setting, error, "more than %u inputs",
                                    (unsigned)MOST_INPUTS);
    array_free(&items);
    description->is_whole = memory_get(description->inputs.count + 1);
    return is_fine;
}

/* warp.mif: {warp} is a file whose name ends so. */
static bool take_outputs(struct predict_description *description, struct error *error)
{
    const struct setting *setting = find(description, "outputs");
    if (!setting) {
        *(struct predict_output *)array_push(&description->outputs) = (struct predict_output){"out", NULL};
        return true;
    }
    struct array items;
    if (!settings_list(&description->settings, setting, &items, error))
        return false;
    bool is_fine = true;
    for (size_t i = 0; i < items.count && is_fine; i++) {
        char *name = *ARRAY_AT(char *, &items, i), *dot = strchr(name, '.');
        char *suffix = dot ? arena_get(&description->settings.arena, strlen(dot) + 1) : NULL;
        if (dot) {
            strcpy(suffix, dot);
            *dot = 0;
        }
        if (!is_name(name) || is_reserved(name) || (suffix && strchr(suffix, '/')) ||
            input_of(description, name) < description->inputs.count)
            is_fine = settings_complain(&description->settings, setting, error,
                                        "`%.60s` cannot be the name of an output", name);
        *(struct predict_output *)array_push(&description->outputs) = (struct predict_output){name, suffix};
    }
    array_free(&items);
    return is_fine;
}

static int larger_first(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a < b) - (a > b);
}

static bool take_factors(struct predict_description *description, bool can_shrink, struct error *error)
{
    const struct setting *setting = find(description, "probes");
    if (!setting) {
        description->chooses_factors = can_shrink;
        return true;
    }
    if (!can_shrink)
        return settings_complain(
            &description->settings, setting, error,
            "nothing makes a run smaller: `shrink` is missing, and there is no {k} in the "
            "command");
    struct array items;
    if (!settings_list(&description->settings, setting, &items, error))
        return false;
    bool is_fine = true;
    for (size_t i = 0; i < items.count && is_fine; i++) {
        const char *text = *ARRAY_AT(char *, &items, i);
        char *end;
        double factor = strtod(text, &end);
        for (size_t j = 0; j < description->factors.count; j++)
            if (*ARRAY_AT(double, &description->factors, j) == factor)
                factor = 0;
        if (*end || !(factor > 1 && factor <= 1e6) || items.count > MOST_PROBES)
            is_fine = settings_complain(&description->settings, setting, error,
                                        "`probes` takes up to %u different numbers above 1, not '%.60s'",
                                        (unsigned)MOST_PROBES, text);
        *(double *)array_push(&description->factors) = factor;
    }
    array_free(&items);
    if (description->factors.count)
        qsort(description->factors.data, description->factors.count, sizeof(double), larger_first);
    return is_fine;
}

static bool take_pair(struct predict_description *description, const struct setting *setting, char *item,
                      struct error *error)
{
    char *sign = strstr(item, ":=");
    struct predict_pair pair;
    if (!sign)
        return settings_complain(&description->settings, setting, error,
                                 "`identity` takes `source := target`: what replaces which input");
    char *by = sign + 2 + strspn(sign + 2, " \t");
    while (sign > item && strchr(" \t", sign[-1]))
        sign--;
    *sign = 0;
    if (!find_input(description, setting, item, &pair.replaced, error) ||
        !find_input(description, setting, by, &pair.by, error))
        return false;
    for (size_t i = 0; i < description->pairs.count; i++) {
        const struct predict_pair *other = ARRAY_AT(struct predict_pair, &description->pairs, i);
        if (other->replaced == pair.replaced || other->by == pair.replaced || other->replaced == pair.by)
            return settings_complain(&description->settings, setting, error,
                                     "`%s` is replaced and replaces at once", item);
    }
    if (pair.replaced == pair.by)
        return settings_complain(&description->settings, setting, error, "`%s` replaces itself", item);
    *(struct predict_pair *)array_push(&description->pairs) = pair;
    return true;
}

static bool take_identity(struct predict_description *description, struct error *error)
{
    const struct setting *setting = find(description, "identity");
    struct array items;
    if (!setting)
        return true;
    if (!settings_list(&description->settings, setting, &items, error))
        return false;
    bool is_fine = true;
    for (size_t i = 0; i < items.count && is_fine; i++)
        is_fine = take_pair(description, setting, *ARRAY_AT(char *, &items, i), error);
    array_free(&items);
    return is_fine;
}

static bool take_whole(struct predict_description *description, struct error *error)
{
    const struct setting *setting = find(description, "whole");
    struct array items;
    unsigned input;
    if (!setting)
        return true;
    if (!settings_list(&description->settings, setting, &items, error))
        return false;
    bool is_fine = true;
    for (size_t i = 0; i < items.count && is_fine; i++) {
        is_fine = find_input(description, setting, *ARRAY_AT(char *, &items, i), &input, error);
        if (is_fine)
            description->is_whole[input] = true;
    }
    array_free(&items);
    return is_fine;
}

static bool take_model(struct predict_description *description, struct error *error)
{
    const struct setting *setting = find(description, "model");
    description->model = model_SEEN;
    if (!setting)
        return true;
    for (enum model_kind kind = model_MEAN; kind <= model_COMBINED; kind++)
        if (!strcmp(model_kind_names[kind], setting->value)) {
            description->model = kind;
            return true;
        }
    return settings_complain(&description->settings, setting, error,
                             "`model` takes mean, bands, power, nearest, features or combined, not '%.60s'",
                             setting->value);
}

static bool take_success(struct predict_description *description, struct error *error)
{
    const struct setting *setting = find(description, "success");
    struct array items;
    if (!setting) {
        *(int *)array_push(&description->success) = 0;
        return true;
    }
    if (!settings_list(&description->settings, setting, &items, error))
        return false;
    bool is_fine = true;
    for (size_t i = 0; i < items.count && is_fine; i++) {
        const char *text = *ARRAY_AT(char *, &items, i);
        size_t length = strspn(text, "0123456789");
        int status = length && length < 4 && !text[length] ? (int)strtol(text, NULL, 10) : 256;
        if (status > 255)
            is_fine = settings_complain(&description->settings, setting, error,
                                        "`success` takes exit statuses from 0 to 255, not '%.60s'", text);
        *(int *)array_push(&description->success) = status;
    }
    array_free(&items);
    return is_fine;
}

static bool take_hosts(struct predict_description *description, struct error *error)
{
    const struct setting *setting = find(description, "hosts");
    if (!setting || !strcmp(setting->value, "any"))
        return true;
    return settings_list(&description->settings, setting, &description->hosts, error);
}

static bool take_scaling(struct predict_description *description, struct error *error)
{
    const struct setting *setting = find(description, "scaling"), *range = find(description, "processors");
    description->least = description->most = 1;
    if (range &&
        !settings_range(&description->settings, range, &description->least, &description->most, error))
        return false;
    if (!setting)
        return true;
    struct error problem = {0};
    unsigned column = 1;
    if (!scaling_declare(setting->value, &description->scaling, &column, &problem))
        return settings_complain_at(&description->settings, setting, column ? column - 1 : 0, error, "%s",
                                    problem.text);
    description->has_scaling = true;
    return true;
}

/* --- commands --- */

/* A word that would be looked for in the private folder where commands run. */
static bool check_words(struct predict_description *description, const struct setting *setting, size_t first,
                        size_t length, struct error *error)
{
    const char *text = setting->value + first, *end = text + length;
    for (const char *at = text; at < end;) {
        at += strspn(at, " \t|;&()<>");
        size_t size = strcspn(at, " \t|;&()<>");
        if (at >= end || !size)
            break;
        char *word = memory_copy_text(at, size), *path = memory_format("%s/%s", description->here, word);
        struct stat facts;
        bool is_wrong = !strncmp(word, "./", 2) || !strncmp(word, "../", 3) ||
                        (strpbrk(word, "./") && !strpbrk(word, "{}'\"$`\\*?") && *word != '/' &&
                         !stat(path, &facts) && S_ISREG(facts.st_mode));
        if (is_wrong)
            settings_complain_at(&description->settings, setting, (size_t)(at - setting->value), error,
                                 "commands run in a private folder, where `%.60s` is not found: write "
                                 "{here}/%.60s, or an absolute path",
                                 word, !strncmp(word, "./", 2) ? word + 2 : word);
        free(word);
        free(path);
        if (is_wrong)
            return false;
        at += size;
    }
    return true;
}

static bool check_command(struct predict_description *description, const struct setting *setting,
                          size_t first, size_t length, struct template_name *names, size_t count,
                          struct error *error)
{
    struct template_fault fault;
    char *part = memory_copy_text(setting->value + first, length);
    char *filled = template_fill(part, names, count, &fault);
    free(part);
    if (!filled)
        return settings_complain_at(&description->settings, setting, first + fault.offset, error, "%s",
                                    fault.problem);
    free(filled);
    return check_words(description, setting, first, length, error);
}

static bool is_used(const struct template_name *names, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (!strcmp(names[i].name, name))
            return names[i].is_used;
    return false;
}

/* Names that a command of the program may have. */
static size_t names_of(const struct predict_description *description, struct template_name *names)
{
    size_t count = 0;
    for (size_t i = 0; i < description->inputs.count; i++)
        names[count++] = (struct template_name){*ARRAY_AT(char *, &description->inputs, i), "x", 0, false};
    for (size_t i = 0; i < description->outputs.count; i++)
        names[count++] = (struct template_name){
            ARRAY_AT(struct predict_output, &description->outputs, i)->name, "x", 0, false};
    for (size_t i = 0; i < description->features.count; i++)
        names[count++] = (struct template_name){
            ARRAY_AT(struct predict_feature, &description->features, i)->name, NULL, 2, false};
    names[count++] = (struct template_name){"k", NULL, 2, false};
    names[count++] = (struct template_name){"processors", NULL, 1, false};
    names[count++] = (struct template_name){"here", "x", 0, false};
    return count;
}

static bool check_shrink(struct predict_description *description, struct error *error)
{
    const struct setting *setting = find(description, "shrink");
    struct template_name names[] = {
        {"in", "x", 0, false}, {"out", "x", 0, false}, {"here", "x", 0, false}, {"k", NULL, 2, false}};
    enum { COUNT = sizeof names / sizeof *names };
    if (!setting)
        return true;
    if (!check_command(description, setting, 0, strlen(setting->value), names, COUNT, error))
        return false;
    static const char *const needed[] = {"in", "out", "k"};
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
        if (!is_used(names, COUNT, needed[i]))
            return settings_complain(&description->settings, setting, error,
                                     "`shrink` has no {%s}: it makes {out} from {in}, {k} times smaller",
                                     needed[i]);
    return true;
}

static bool check_features(struct predict_description *description, struct error *error)
{
    const struct setting *setting = find(description, "features");
    struct template_name *names = memory_get((description->inputs.count + 1) * sizeof *names);
    size_t count = 0;
    bool is_fine = true;
    for (; count < description->inputs.count; count++)
        names[count] = (struct template_name){*ARRAY_AT(char *, &description->inputs, count), "x", 0, false};
    names[count++] = (struct template_name){"here", "x", 0, false};
    for (size_t i = 0; i < description->features.count && is_fine; i++) {
        const struct predict_feature *feature = ARRAY_AT(struct predict_feature, &description->features, i);
        if (feature->kind == feature_COMMAND)
            is_fine = check_command(description, setting, feature->offset, strlen(feature->definition), names,
                                    count, error);
    }
    free(names);
    return is_fine;
}

static bool check_commands(struct predict_description *description, bool *has_factor, struct error *error)
{
    size_t most = description->inputs.count + description->outputs.count + description->features.count + 3;
    struct template_name *names = memory_get(most * sizeof *names);
    size_t count = names_of(description, names);
    const struct setting *command = find(description, "command"), *probe = find(description, "probe");
    bool is_fine = check_command(description, command, 0, strlen(command->value), names, count, error);
    for (size_t i = 0; i < description->inputs.count && is_fine; i++)
        if (!names[i].is_used)
            is_fine = settings_complain(&description->settings, command, error,
                                        "the command does not use the input {%s}", names[i].name);
    if (is_fine && description->most > 1 && !is_used(names, count, "processors"))
        is_fine = settings_complain(
            &description->settings, command, error,
            "the command has no {processors}, so it cannot be told how many of its %u..%u to use",
            description->least, description->most);
    *has_factor = is_used(names, count, "k");
    if (is_fine && probe) {
        is_fine = check_command(description, probe, 0, strlen(probe->value), names, count, error);
        *has_factor |= is_used(names, count, "k");
    }
    free(names);
    return is_fine && check_shrink(description, error) && check_features(description, error);
}

static void make_digest(struct predict_description *description)
{
    static const char *const decisive[] = {"command", "inputs",   "shrink",  "whole",
                                           "probe",   "identity", "outputs", "success"};
    struct digest digest;
    digest_begin(&digest);
    for (size_t i = 0; i < sizeof decisive / sizeof *decisive; i++) {
        const char *text = value(description, decisive[i]);
        digest_add_text(&digest, text ? text : "");
    }
    digest_end(&digest, description->digest);
}

static bool take_all(struct predict_description *description, struct error *error)
{
    bool has_factor = false;
    description->section = ARRAY_AT(struct settings_section, &description->settings.sections, 0);
    description->name = value(description, "name");
    description->command = value(description, "command");
    description->probe = value(description, "probe");
    description->shrink = value(description, "shrink");
    description->program = value(description, "program");
    /* Texts of lists are cut where they stand: the digest comes first. */
    make_digest(description);
    return take_inputs(description, error) && take_outputs(description, error) &&
           take_whole(description, error) && take_identity(description, error) &&
           predict_take_features(description, error) && take_hosts(description, error) &&
           take_model(description, error) && take_success(description, error) &&
           take_scaling(description, error) && check_commands(description, &has_factor, error) &&
           take_factors(description, description->shrink || has_factor, error);
}

static struct predict_description *finish(struct predict_description *description, struct error *error)
{
    if (take_all(description, error))
        return description;
    predict_description_free(description);
    return NULL;
}

static struct predict_description *begin(const char *path)
{
    struct predict_description *description = memory_get(sizeof *description);
    *description = (struct predict_description){.inputs = ARRAY_OF(char *),
                                                .outputs = ARRAY_OF(struct predict_output),
                                                .factors = ARRAY_OF(double),
                                                .pairs = ARRAY_OF(struct predict_pair),
                                                .features = ARRAY_OF(struct predict_feature),
                                                .hosts = ARRAY_OF(char *),
                                                .success = ARRAY_OF(int)};
    char *folder = path_folder(path);
    description->here = path_absolute(folder);
    free(folder);
    return description;
}

struct predict_description *predict_describe_text(const char *path, const char *text, size_t size,
                                                  struct error *error)
{
    struct predict_description *description = begin(path);
    if (settings_parse(&description->settings, path, text, size, predict_keys, error))
        return finish(description, error);
    predict_description_free(description);
    return NULL;
}

struct predict_description *predict_describe(const char *path, struct error *error)
{
    struct predict_description *description = begin(path);
    output_spare(path);
    if (settings_read(&description->settings, path, predict_keys, error))
        return finish(description, error);
    predict_description_free(description);
    return NULL;
}

void predict_description_free(struct predict_description *description)
{
    if (!description)
        return;
    settings_free(&description->settings);
    array_free(&description->inputs);
    array_free(&description->outputs);
    array_free(&description->factors);
    array_free(&description->pairs);
    array_free(&description->features);
    array_free(&description->hosts);
    array_free(&description->success);
    scaling_free(&description->scaling);
    free(description->is_whole);
    free(description->here);
    free(description);
}

const char *predict_name(const struct predict_description *description)
{
    return description->name;
}
