/* Files of choices, read and checked, and variants as texts. */
#include "change/optimise/compile/choices.h"

#include "base/nearest.h"
#include "base/settings.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_VALUES = 100, MOST_CHOICES = 1000 };

static const struct settings_key keys[] = {
    {"choice", "form", true, "where a value goes: flag, pragma, attribute, restrict or aligned"},
    {"choice", "values", true, "what can be chosen, separated by commas"},
    {"choice", "risks", false,
     "what can go wrong: rounding, specials, aliasing, alignment, overflow, target, threads"},
    {"choice", "says", true, "what it does, in a few words"},
    {"choice", "advice", false, "rules of advice that ask for it, separated by commas"},
    {"choice", "with", false, "options that each value needs besides itself"},
    {"choice", "when", false, "only where the user compiles with this option"},
    {"choice", "attribute", false, "yes if GCC's attribute optimize does the same"},
    {NULL, NULL, false, NULL},
};

static const char *const form_names[] = {"flag", "pragma", "attribute", "restrict", "aligned"};
static const char *const risk_names[] = {"rounding", "specials", "aliasing", "alignment",
                                         "overflow", "target",   "threads"};

static char *copy(const char *text)
{
    return memory_copy_text(text, strlen(text));
}

static unsigned risk_of(const char *name, size_t length)
{
    for (unsigned i = 0; i < choice_RISKS; i++)
        if (strlen(risk_names[i]) == length && !memcmp(risk_names[i], name, length))
            return 1u << i;
    return 0;
}

/* The next item of a list between commas; commas in parentheses and quotes do not count. */
static const char *next_item(const char **at, size_t *length)
{
    const char *start = *at + strspn(*at, " \t"), *end = start;
    unsigned depth = 0;
    for (char quote = 0; *end && (*end != ',' || depth || quote); end++) {
        if (quote)
            quote = *end == quote ? 0 : quote;
        else if (*end == '"')
            quote = *end;
        else if (*end == '(')
            depth++;
        else if (*end == ')' && depth)
            depth--;
    }
    *at = *end ? end + 1 : end;
    while (end > start && isblank((unsigned char)end[-1]))
        end--;
    *length = (size_t)(end - start);
    return start;
}

bool choice_risks_parse(const char *names, unsigned *risks, struct error *error)
{
    *risks = 0;
    for (const char *at = names; *at;) {
        size_t length;
        const char *name = next_item(&at, &length);
        unsigned risk = risk_of(name, length);
        if (!risk)
            return error_set(error, NULL,
                             "`%.*s` is not a risk; there are rounding, specials, aliasing, alignment, "
                             "overflow, target, threads",
                             (int)length, name);
        *risks |= risk;
    }
    return true;
}

static bool read_risks(const struct settings *settings, const struct setting *setting, struct choice *choice,
                       struct error *error)
{
    for (const char *at = setting ? setting->value : ""; *at;) {
        size_t length;
        const char *name = next_item(&at, &length);
        unsigned risk = risk_of(name, length);
        if (!risk)
            return settings_complain_at(settings, setting, (size_t)(name - setting->value), error,
                                        "`%.*s` is not a risk; there are rounding, specials, aliasing, "
                                        "alignment, overflow, target, threads",
                                        (int)length, name);
        choice->risks |= risk;
    }
    return true;
}

/* What a value of this form may look like; NULL: it may. */
static const char *problem_of(const struct choice *choice, const char *value)
{
    static const char hint[] = "a flag starts with -";
    for (const char *at = value; *at; at++)
        if (iscntrl((unsigned char)*at))
            return "a value is one line of plain text";
    switch (choice->form) {
    case choice_FLAG:
        for (const char *word = value; *word; word += strcspn(word, " "), word += strspn(word, " "))
            if (*word != '-' && word == value)
                return hint;
        return NULL;
    case choice_PRAGMA:
        return isalpha((unsigned char)*value) ? NULL : "a pragma is written without its mark: GCC ivdep";
    case choice_ATTRIBUTE:
        return isalpha((unsigned char)*value) || *value == '_'
                   ? NULL
                   : "an attribute is a name: noinline, aligned(64)";
    case choice_RESTRICT:
        return strcmp(value, "all") ? "the value of restrict is all" : NULL;
    default: {
        unsigned bytes = 0;
        char behind;
        bool is_number = sscanf(value, "%u%c", &bytes, &behind) == 1;
        return is_number && bytes && bytes <= 4096 && !(bytes & (bytes - 1))
                   ? NULL
                   : "an alignment is a power of two up to 4096";
    }
    }
}

static bool read_values(const struct settings *settings, const struct setting *setting, struct choice *choice,
                        struct error *error)
{
    choice->values = memory_get((MOST_VALUES + 2) * sizeof *choice->values);
    const char *at = setting->value;
    do {
        size_t length;
        const char *item = next_item(&at, &length);
        size_t offset = (size_t)(item - setting->value);
        if (!length)
            return settings_complain_at(settings, setting, offset, error, "`values` has an empty item");
        if (choice->value_count == MOST_VALUES)
            return settings_complain_at(settings, setting, offset, error, "a choice has at most %d values",
                                        MOST_VALUES);
        char *value = memory_copy_text(item, length);
        choice->values[++choice->value_count] = value;
        const char *problem = problem_of(choice, value);
        if (problem)
            return settings_complain_at(settings, setting, offset, error, "`%s`: %s", value, problem);
        for (unsigned i = 1; i < choice->value_count; i++)
            if (!strcmp(choice->values[i], value))
                return settings_complain_at(settings, setting, offset, error, "`%s` is there twice", value);
    } while (*at);
    return true;
}

static bool read_form(const struct settings *settings, const struct setting *setting, struct choice *choice,
                      struct error *error)
{
    for (unsigned i = 0; i < choice_FORMS; i++)
        if (!strcmp(form_names[i], setting->value)) {
            choice->form = (enum choice_form)i;
            return true;
        }
    return settings_complain(settings, setting, error,
                             "`%s` is not a form; there are flag, pragma, attribute, restrict and aligned",
                             setting->value);
}

static void read_advice(struct choice *choice, const char *names)
{
    size_t count = 1;
    for (const char *at = names; at && *at; at++)
        count += *at == ',';
    choice->advice = memory_get((count + 1) * sizeof *choice->advice);
    count = 0;
    for (const char *at = names; at && *at;) {
        size_t length;
        const char *name = next_item(&at, &length);
        if (length)
            choice->advice[count++] = memory_copy_text(name, length);
    }
}

static bool read_choice(const struct settings *settings, const struct settings_section *section,
                        struct choices *choices, struct error *error)
{
    char *where = memory_format("%s:%u", settings->path, section->line);
    bool done = section->name || error_set(error, where, "a choice needs a name: [choice NAME]");
    for (size_t i = 0; done && i < choices->list.count; i++)
        if (!strcmp(choices_at(choices, i)->name, section->name))
            done = error_set(error, where, "the choice %s is there twice", section->name);
    if (done && choices->list.count == MOST_CHOICES)
        done = error_set(error, where, "a file has at most %d choices", MOST_CHOICES);
    if (done && strpbrk(section->name, ":,"))
        done = error_set(error, where, "the name of a choice has no comma and no colon");
    free(where);
    if (!done)
        return false;
    struct choice *choice = array_add(&choices->list);
    const char *with = settings_value(settings, section, "with"),
               *when = settings_value(settings, section, "when"),
               *attribute = settings_value(settings, section, "attribute");
    choice->name = copy(section->name);
    choice->says = copy(settings_value(settings, section, "says"));
    choice->with = with ? copy(with) : NULL;
    choice->when = when ? copy(when) : NULL;
    choice->line = section->line;
    read_advice(choice, settings_value(settings, section, "advice"));
    if (attribute && strcmp(attribute, "yes") && strcmp(attribute, "no"))
        return settings_complain(settings, settings_find(settings, section, "attribute"), error,
                                 "`attribute` is yes or no");
    choice->is_attribute = attribute && !strcmp(attribute, "yes");
    return read_form(settings, settings_find(settings, section, "form"), choice, error) &&
           read_values(settings, settings_find(settings, section, "values"), choice, error) &&
           read_risks(settings, settings_find(settings, section, "risks"), choice, error);
}

bool choices_read(const char *path, struct choices *choices, struct error *error)
{
    *choices = (struct choices){.list = ARRAY_OF(struct choice)};
    struct settings settings;
    if (!settings_read(&settings, path, keys, error))
        return false;
    bool done = true;
    for (size_t i = 1; done && i < settings.sections.count; i++)
        done =
            read_choice(&settings, ARRAY_AT(struct settings_section, &settings.sections, i), choices, error);
    settings_free(&settings);
    if (done && !choices->list.count)
        done = error_set(error, path, "has no choices: sections [choice NAME]");
    if (!done)
        choices_free(choices);
    return done;
}

static void free_choice(struct choice *choice)
{
    for (unsigned i = 1; choice->values && i <= choice->value_count; i++)
        free(choice->values[i]);
    for (char **name = choice->advice; name && *name; name++)
        free(*name);
    free(choice->values);
    free(choice->advice);
    free(choice->with);
    free(choice->when);
    free(choice->name);
    free(choice->says);
}

void choices_free(struct choices *choices)
{
    for (size_t i = 0; i < choices->list.count; i++)
        free_choice(ARRAY_AT(struct choice, &choices->list, i));
    array_free(&choices->list);
}

/* The n-th values of all choices in one question: they do not exclude each other as those of one choice do.
 */
static bool ask_layer(const struct choices *choices, const struct compilation *compilation, unsigned layer,
                      bool **is_refused, struct error *error)
{
    size_t count = choices->list.count;
    const char **asked = memory_get((count + 1) * sizeof *asked);
    size_t *who = memory_get((count + 1) * sizeof *who), used = 0;
    bool *answers = memory_get(count + 1);
    for (size_t i = 0; i < count; i++)
        if (choices_at(choices, i)->form == choice_FLAG && choices_at(choices, i)->value_count >= layer) {
            asked[used] = choices_at(choices, i)->values[layer];
            who[used++] = i;
        }
    bool done = !used || compilation_refuses(compilation, asked, used, answers, error);
    for (size_t i = 0; i < used; i++)
        is_refused[who[i]][layer] = answers[i];
    free(answers);
    free(who);
    free(asked);
    return done;
}

static bool has_word(const struct array *words, const char *wanted)
{
    for (size_t i = 0; i < words->count; i++)
        if (!strcmp(*ARRAY_AT(const char *, words, i), wanted))
            return true;
    return false;
}

/* Whether there is nothing to undo. */
static bool is_idle(const struct choice *choice, const struct compilation *compilation)
{
    return choice->when && !has_word(&compilation->tuning, choice->when) &&
           !has_word(&compilation->meaning, choice->when);
}

static void drop_refused(struct choices *choices, bool *const *is_refused)
{
    size_t kept = 0;
    for (size_t i = 0; i < choices->list.count; i++) {
        struct choice choice = *choices_at(choices, i);
        unsigned left = 0;
        for (unsigned j = 1; j <= choice.value_count; j++)
            if (is_refused[i][j])
                free(choice.values[j]);
            else
                choice.values[++left] = choice.values[j];
        choice.value_count = left;
        if (left)
            *ARRAY_AT(struct choice, &choices->list, kept++) = choice;
        else
            free_choice(&choice);
    }
    choices->list.count = kept;
}

bool choices_keep_taken(struct choices *choices, const struct compilation *compilation, struct error *error)
{
    size_t count = choices->list.count;
    bool **is_refused = memory_get((count + 1) * sizeof *is_refused), done = true;
    unsigned layers = 0;
    for (size_t i = 0; i < count; i++) {
        is_refused[i] = memory_get(choices_at(choices, i)->value_count + 1);
        layers = choices_at(choices, i)->value_count > layers ? choices_at(choices, i)->value_count : layers;
    }
    for (unsigned layer = 1; done && layer <= layers; layer++)
        done = ask_layer(choices, compilation, layer, is_refused, error);
    for (size_t i = 0; i < count; i++)
        for (unsigned j = 1;
             is_idle(choices_at(choices, i), compilation) && j <= choices_at(choices, i)->value_count; j++)
            is_refused[i][j] = true;
    if (done)
        drop_refused(choices, is_refused);
    for (size_t i = 0; i < count; i++)
        free(is_refused[i]);
    free(is_refused);
    return done;
}

static struct variant variant_make(const struct choices *choices)
{
    return (struct variant){memory_get(choices->list.count + 1)};
}

void variant_free(struct variant *variant)
{
    free(variant->values);
    variant->values = NULL;
}

unsigned variant_risks(const struct choices *choices, const struct variant *variant)
{
    unsigned risks = 0;
    for (size_t i = 0; i < choices->list.count; i++)
        risks |= variant->values[i] ? choices_at(choices, i)->risks : 0;
    return risks;
}

static void put(struct array *text, const char *data)
{
    memcpy(array_push_many(text, strlen(data)), data, strlen(data));
}

char *variant_text(const struct choices *choices, const struct variant *variant)
{
    struct array text = ARRAY_OF(char);
    for (size_t i = 0; i < choices->list.count; i++) {
        const struct choice *choice = choices_at(choices, i);
        if (!variant->values[i])
            continue;
        if (text.count)
            put(&text, ", ");
        put(&text, choice->name);
        put(&text, ": ");
        put(&text, choice->values[variant->values[i]]);
    }
    char *copied = memory_copy_text(text.count ? text.data : "", text.count);
    array_free(&text);
    return copied;
}

static bool parse_item(const struct choices *choices, const char *item, size_t length,
                       struct variant *variant, struct error *error)
{
    const char *colon = memchr(item, ':', length);
    size_t name_length = colon ? (size_t)(colon - item) : length;
    struct nearest nearest = {.wanted = item};
    for (size_t i = 0; i < choices->list.count; i++) {
        const struct choice *choice = choices_at(choices, i);
        if (strlen(choice->name) != name_length || memcmp(choice->name, item, name_length))
            continue;
        const char *value = colon ? colon + 1 + strspn(colon + 1, " ") : "";
        size_t value_length = (size_t)(item + length - value);
        for (unsigned j = 1; colon && j <= choice->value_count; j++)
            if (strlen(choice->values[j]) == value_length &&
                !memcmp(choice->values[j], value, value_length)) {
                variant->values[i] = (unsigned char)j;
                return true;
            }
        return error_set(error, NULL, "the choice %s has no value `%.*s`", choice->name,
                         colon ? (int)value_length : 0, value);
    }
    char *name = memory_copy_text(item, name_length);
    nearest.wanted = name;
    for (size_t i = 0; i < choices->list.count; i++)
        nearest_offer(&nearest, choices_at(choices, i)->name);
    error_set(error, NULL, "there is no choice `%s`%s%s%s", name, nearest.best ? "; did you mean " : "",
              nearest.best ? nearest.best : "", nearest.best ? "?" : "");
    free(nearest.best);
    free(name);
    return false;
}

bool variant_parse(const struct choices *choices, const char *text, struct variant *variant,
                   struct error *error)
{
    *variant = variant_make(choices);
    for (const char *at = text; *at;) {
        size_t length;
        const char *item = next_item(&at, &length);
        if (length && !parse_item(choices, item, length, variant, error)) {
            variant_free(variant);
            return false;
        }
    }
    return true;
}

static void add_words(struct array *flags, const char *words)
{
    while (words && *(words += strspn(words, " "))) {
        size_t length = strcspn(words, " ");
        *(char **)array_push(flags) = memory_copy_text(words, length);
        words += length;
    }
}

struct array variant_flags(const struct choices *choices, const struct variant *variant)
{
    struct array flags = ARRAY_OF(char *);
    for (size_t i = 0; i < choices->list.count; i++) {
        const struct choice *choice = choices_at(choices, i);
        if (!variant->values[i])
            continue;
        if (choice->form == choice_FLAG)
            add_words(&flags, choice->values[variant->values[i]]);
        add_words(&flags, choice->with);
    }
    return flags;
}
