/* GNU-style parsing: --name=value, --name value, -n value, -nvalue, grouped letters; options and operands in
   any order; -- ends the options; a lone - is an operand.  An unambiguous prefix of a long name is enough.
 */
#include "cli/options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const struct option_description descriptions[] = {
#define OPTION(symbol, name, letter, argument, sentence, fallback)                                           \
    {name, letter, argument, sentence, fallback},
#define GLOBAL_END
#define VALUES(symbol, words)
#define NAMES(symbol, command)
#include "cli/options.def"
#undef OPTION
#undef GLOBAL_END
#undef VALUES
#undef NAMES
};

/* Words that an option takes, separated by blanks; NULL: any. */
static const char *const accepted[OPTION_COUNT] = {
#define OPTION(symbol, name, letter, argument, sentence, fallback)
#define GLOBAL_END
#define VALUES(symbol, words) [OPTION_##symbol] = words,
#define NAMES(symbol, command)
#include "cli/options.def"
#undef OPTION
#undef GLOBAL_END
#undef VALUES
#undef NAMES
};

const struct option_description *option_described(enum option_id id)
{
    return &descriptions[id];
}

const struct command *command_named(const char *name)
{
    for (unsigned i = 0; i < command_count; i++)
        if (!strcmp(commands[i].name, name))
            return &commands[i];
    return NULL;
}

static bool takes_option(const struct command *command, enum option_id id)
{
    if (id < OPTION_GLOBAL_COUNT)
        return true;
    for (unsigned i = 0; command && i < MOST_OPTIONS && command->options[i]; i++)
        if (command->options[i] == id)
            return true;
    return false;
}

static bool unknown(struct error *error, const struct command *command, const char *name)
{
    struct nearest nearest = {.wanted = name};
    for (enum option_id id = 0; id < OPTION_COUNT; id++)
        if (takes_option(command, id))
            nearest_offer(&nearest, descriptions[id].name);
    autofree char *hint =
        nearest.best ? memory_format("; did you mean --%s?", nearest.best) : memory_format("%s", "");
    if (command)
        error_set(error, NULL, "%s has no option --%s%s (assay help %s lists them)", command->name, name,
                  hint, command->name);
    else
        error_set(error, NULL, "unknown option --%s%s (see assay help)", name, hint);
    free(nearest.best);
    return false;
}

/* The option with this long name or unambiguous prefix. */
static bool find_long(const struct command *command, const char *name, enum option_id *found,
                      struct error *error)
{
    unsigned matches = 0;
    for (enum option_id id = 0; id < OPTION_COUNT; id++) {
        if (!takes_option(command, id) || strncmp(descriptions[id].name, name, strlen(name)))
            continue;
        *found = id;
        matches++;
        if (!strcmp(descriptions[id].name, name))
            return true;
    }
    if (matches > 1)
        return error_set(error, NULL, "--%s is ambiguous: several options begin with it", name);
    return matches == 1 || unknown(error, command, name);
}

struct words {
    char **next, **end;
};

/* The value as the option's own words spell it (L2: l2); any other stays as it is. */
static const char *spell(struct invocation *invocation, enum option_id id, const char *value)
{
    size_t length = value ? strlen(value) : 0;
    for (const char *word = length ? accepted[id] : NULL; word && *word; word += strspn(word, " ")) {
        size_t size = strcspn(word, " ");
        if (size == length && !strncasecmp(word, value, length)) {
            char *copy = memory_copy_text(word, length);
            *(char **)array_add(&invocation->spelled) = copy;
            return copy;
        }
        word += size;
    }
    return value;
}

static bool add_option(struct invocation *invocation, enum option_id id, const char *value,
                       struct words *words, struct error *error)
{
    const struct option_description *option = &descriptions[id];
    if (!option->argument && value)
        return error_set(error, NULL, "--%s takes no value", option->name);
    if (option->argument && !value) {
        if (words->next == words->end)
            return error_set(error, NULL, "--%s needs a value (%s)", option->name, option->argument);
        value = *words->next++;
    }
    *(struct given *)array_add(&invocation->given) = (struct given){id, spell(invocation, id, value)};
    return true;
}

static bool parse_long(struct invocation *invocation, const char *word, struct words *words,
                       struct error *error)
{
    const char *equals = strchr(word, '=');
    autofree char *name = memory_copy_text(word, equals ? (size_t)(equals - word) : strlen(word));
    enum option_id id = 0;
    return find_long(invocation->command, name, &id, error) &&
           add_option(invocation, id, equals ? equals + 1 : NULL, words, error);
}

static bool parse_letters(struct invocation *invocation, const char *letters, struct words *words,
                          struct error *error)
{
    while (*letters) {
        enum option_id id = 0;
        while (id < OPTION_COUNT &&
               (descriptions[id].letter != *letters || !takes_option(invocation->command, id)))
            id++;
        if (id == OPTION_COUNT)
            return error_set(error, NULL, "unknown option -%c (assay help %s lists the options)", *letters,
                             invocation->command ? invocation->command->name : "");
        const char *value = descriptions[id].argument && letters[1] ? letters + 1 : NULL;
        if (!add_option(invocation, id, value, words, error))
            return false;
        if (descriptions[id].argument)
            return true;
        letters++;
    }
    return true;
}

static bool unknown_command(struct error *error, const char *name)
{
    struct nearest nearest = {.wanted = name};
    for (unsigned i = 0; i < command_count; i++)
        if (!commands[i].is_hidden)
            nearest_offer(&nearest, commands[i].name);
    if (nearest.best)
        error_set(error, NULL, "unknown command %s; did you mean %s?", name, nearest.best);
    else
        error_set(error, NULL, "unknown command %s (assay help lists the commands)", name);
    free(nearest.best);
    return false;
}

static bool parse_word(struct invocation *invocation, const char *word, struct words *words,
                       struct error *error)
{
    if (!strncmp(word, "--", 2))
        return parse_long(invocation, word + 2, words, error);
    if (word[0] == '-' && word[1])
        return parse_letters(invocation, word + 1, words, error);
    if (!invocation->command) {
        invocation->command = command_named(word);
        return invocation->command || unknown_command(error, word);
    }
    *(const char **)array_add(&invocation->operands) = word;
    return true;
}

/* An operand that was meant as the file of --html, --json or --csv, which take none: "x.html". */
static const char *file_of_format(const struct invocation *invocation, enum option_id *format)
{
    static const enum option_id formats[] = {OPTION_HTML, OPTION_JSON, OPTION_CSV};
    for (size_t i = 0; i < invocation->operands.count; i++)
        for (size_t j = 0; j < sizeof formats / sizeof *formats; j++) {
            const char *operand = options_operand(invocation, i), *suffix = strrchr(operand, '.');
            *format = formats[j];
            if (suffix && options_has(invocation, *format) && !strcmp(suffix + 1, descriptions[*format].name))
                return operand;
        }
    return NULL;
}

static bool check_operands(const struct invocation *invocation, struct error *error)
{
    const struct command *command = invocation->command;
    if (!command || options_has(invocation, OPTION_HELP))
        return true;
    enum option_id rows = options_has(invocation, OPTION_JSON) ? OPTION_JSON : OPTION_CSV;
    if (command->is_plain && options_has(invocation, rows))
        return error_set(error, NULL, "%s does not print rows, so it does not take --%s", command->name,
                         descriptions[rows].name);
    if (invocation->operands.count < command->least)
        return error_set(error, NULL, "%s needs %s (usage: assay %s %s)", command->name,
                         invocation->operands.count ? "more operands" : "an operand", command->name,
                         command->arguments);
    enum option_id format;
    const char *file =
        invocation->operands.count > command->most ? file_of_format(invocation, &format) : NULL;
    if (file)
        return error_set(error, NULL, "--%s goes to standard output; for a file: --%s -o %s",
                         descriptions[format].name, descriptions[format].name, file);
    if (invocation->operands.count > command->most)
        return error_set(error, NULL, "%s does not take %s (usage: assay %s %s)", command->name,
                         options_operand(invocation, command->most), command->name, command->arguments);
    return true;
}

bool options_parse(struct invocation *invocation, int count, char **words, struct error *error)
{
    *invocation = (struct invocation){
        .given = ARRAY_OF(struct given), .operands = ARRAY_OF(const char *), .spelled = ARRAY_OF(char *)};
    struct words left = {words, words + count};
    while (left.next < left.end) {
        const char *word = *left.next++;
        if (!strcmp(word, "--"))
            break;
        if (!parse_word(invocation, word, &left, error))
            return false;
        if (invocation->operands.count && invocation->command->runs_operands)
            break;
    }
    invocation->before = invocation->operands.count;
    while (left.next < left.end) {
        if (invocation->command)
            *(const char **)array_add(&invocation->operands) = *left.next++;
        else if (!parse_word(invocation, *left.next++, &left, error))
            return false;
    }
    return check_operands(invocation, error);
}

void options_free(struct invocation *invocation)
{
    for (size_t i = 0; i < invocation->spelled.count; i++)
        free(*ARRAY_AT(char *, &invocation->spelled, i));
    array_free(&invocation->spelled);
    array_free(&invocation->given);
    array_free(&invocation->operands);
}

bool options_has(const struct invocation *invocation, enum option_id id)
{
    for (size_t i = 0; i < invocation->given.count; i++)
        if (ARRAY_AT(struct given, &invocation->given, i)->id == id)
            return true;
    return false;
}

const char *options_value(const struct invocation *invocation, enum option_id id)
{
    for (size_t i = invocation->given.count; i-- > 0;)
        if (ARRAY_AT(struct given, &invocation->given, i)->id == id)
            return ARRAY_AT(struct given, &invocation->given, i)->value;
    return NULL;
}

bool options_number(const struct invocation *invocation, enum option_id id, int64_t fallback, int64_t *number,
                    struct error *error)
{
    const char *text = options_value(invocation, id);
    *number = fallback;
    if (!text)
        return true;
    char *end = NULL;
    errno = 0;
    long long value = strtoll(text, &end, 10);
    if (errno || end == text || *end || value < 0)
        return error_set(error, NULL, "--%s needs a number of at least 0, not '%s'", descriptions[id].name,
                         text);
    *number = value;
    return true;
}

const char *options_operand(const struct invocation *invocation, size_t index)
{
    return index < invocation->operands.count ? *ARRAY_AT(const char *, &invocation->operands, index) : NULL;
}
