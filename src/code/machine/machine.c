/* Reading a machine file.

   Each line is a fact: its name, then its values.  An unknown name, a value that makes no sense or a fact
   that contradicts another one is an error that names the line: a typing error must not become a machine with
   a hole in it. */
#include "code/machine/reading.h"
#include "model/isa.h"

#include "model/tables.h"

#include <ctype.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool reading_complain_of(struct reading *reading, const char *what, const char *word, size_t length)
{
    char where[600];
    snprintf(where, sizeof where, "%.500s:%u", reading->path, reading->line);
    int shown = length < 60 ? (int)length : 60;
    return error_set(reading->error, where, "%s%s%.*s%s", what, word ? " '" : "", shown, word ? word : "",
                     word ? "'" : "");
}

bool reading_complain(struct reading *reading, const char *what, const char *word)
{
    return reading_complain_of(reading, what, word, word ? strlen(word) : 0);
}

int reading_port(const struct reading *reading, const char *name, size_t length)
{
    const struct machine *machine = reading->machine;
    for (unsigned i = 0; i < machine->port_count; i++)
        if (strlen(machine->ports[i]) == length && !memcmp(machine->ports[i], name, length))
            return (int)i;
    return -1;
}

const char *reading_text_from(const struct reading *reading, unsigned word)
{
    const char *text = reading->rest;
    for (unsigned i = 1; i < word; i++) {
        text += strcspn(text, " \t");
        text += strspn(text, " \t");
    }
    return text;
}

const char *reading_keep(struct reading *reading, const char *text)
{
    size_t length = strlen(text);
    char *copy = arena_get(&reading->machine->texts, length + 1);
    memcpy(copy, text, length + 1);
    return copy;
}

bool reading_number(struct reading *reading, const char *word, double *value)
{
    char *end;
    *value = strtod(word, &end);
    if (end == word || *end || !(*value >= 0) || *value > 1e6)
        return reading_complain(reading, "this must be a number from 0 to 1000000:", word);
    return true;
}

static bool word_of(struct reading *reading, const struct enumeration_description *words, const char *word,
                    unsigned *value)
{
    for (*value = 0; *value < words->count; ++*value)
        if (!strcmp(words->words[*value], word))
            return true;
    char what[80];
    snprintf(what, sizeof what, "no %s is called", words->name);
    return reading_complain(reading, what, word);
}

static bool read_name(struct reading *reading)
{
    reading->machine->name = reading->machine->base_name = reading_keep(reading, reading->rest);
    return true;
}

static bool read_title(struct reading *reading)
{
    reading->machine->title = reading_keep(reading, reading->rest);
    return true;
}

static bool read_figures(struct reading *reading)
{
    reading->machine->figures = reading_keep(reading, reading->rest);
    return true;
}

static bool read_target(struct reading *reading)
{
    reading->machine->target = reading_keep(reading, reading->words[1]);
    return true;
}

static bool read_extensions(struct reading *reading, uint32_t *set)
{
    for (unsigned i = 1; i < reading->count; i++) {
        enum machine_extension extension = extension_named(reading->words[i], strlen(reading->words[i]));
        if (extension == extension_COUNT)
            return reading_complain(reading, "wanted: an extension that a machine can be without, not",
                                    reading->words[i]);
        *set |= 1U << extension;
    }
    return true;
}

static bool read_without(struct reading *reading)
{
    return read_extensions(reading, &reading->machine->without);
}

static bool read_lacks(struct reading *reading)
{
    uint32_t *lacks = &reading->machine->lacks;
    bool is_good = read_extensions(reading, lacks);
    *lacks = extensions_closure(*lacks);
    return is_good;
}

static bool read_features(struct reading *reading)
{
    for (unsigned i = 1; i < reading->count; i++) {
        enum machine_feature feature = generation_feature_named(reading->words[i], strlen(reading->words[i]));
        if (feature == feature_COUNT)
            return reading_complain(reading, "wanted: a feature that tells generations apart, not",
                                    reading->words[i]);
        reading->machine->features |= 1U << feature;
    }
    return true;
}

static bool read_also(struct reading *reading)
{
    unsigned used = 0;
    while (reading->machine->names[used])
        used++;
    if (used + reading->count > MOST_MACHINE_NAMES)
        return reading_complain(reading, "too many other names", NULL);
    for (unsigned i = 1; i < reading->count; i++)
        reading->machine->names[used++] = reading_keep(reading, reading->words[i]);
    return true;
}

static bool read_isa(struct reading *reading)
{
    unsigned isa;
    if (!word_of(reading, &isa_description, reading->words[1], &isa))
        return false;
    reading->machine->isa = (enum isa)isa;
    return true;
}

static bool read_figure(struct reading *reading, double *figure)
{
    if (!reading_number(reading, reading->words[1], figure))
        return false;
    return *figure > 0 ? true : reading_complain(reading, "this must be above 0:", reading->words[1]);
}

static bool read_load_to_address(struct reading *reading)
{
    return read_figure(reading, &reading->machine->load_to_address);
}

static bool read_bundles(struct reading *reading)
{
    double value;
    if (!reading_number(reading, reading->words[1], &value))
        return false;
    if (value != 1 && value != 2)
        return reading_complain(reading, "a cycle takes 1 or 2 bundles, not", reading->words[1]);
    reading->machine->bundles = (unsigned)value;
    return true;
}

static bool read_ports(struct reading *reading)
{
    struct machine *machine = reading->machine;
    for (unsigned i = 1; i < reading->count; i++) {
        const char *name = reading->words[i];
        if (machine->port_count == MOST_PORTS || strlen(name) > 3)
            return reading_complain(reading, "at most 32 ports, with names of at most 3 letters:", name);
        if (reading_port(reading, name, strlen(name)) >= 0)
            return reading_complain(reading, "there is a port of this name already:", name);
        if (!name[1] && !(name[0] & 0x80))
            reading->port_of[(unsigned char)name[0]] = (uint8_t)machine->port_count;
        strcpy(machine->ports[machine->port_count++], name);
    }
    return true;
}

static struct machine_instruction *instruction_row(struct reading *reading, const char *name)
{
    struct array *rows = &reading->machine->instructions;
    for (size_t i = 0; i < rows->count; i++)
        if (!strcmp(ARRAY_AT(struct machine_instruction, rows, i)->name, name))
            return ARRAY_AT(struct machine_instruction, rows, i);
    struct machine_instruction *row = array_add(rows);
    *row = (struct machine_instruction){.name = reading_keep(reading, name), .latency = NAN};
    return row;
}

/* on PORT,PORT… MNEMONIC… */
static bool read_on(struct reading *reading)
{
    uint32_t ports = 0;
    char *saved = NULL;
    for (char *port = strtok_r(reading->words[1], ",", &saved); port; port = strtok_r(NULL, ",", &saved)) {
        int number = reading_port(reading, port, strlen(port));
        if (number < 0)
            return reading_complain(reading, "the line `ports` has no port", port);
        ports |= 1U << number;
    }
    for (unsigned i = 2; i < reading->count; i++)
        instruction_row(reading, reading->words[i])->ports = ports;
    return true;
}

static bool read_second(struct reading *reading)
{
    for (unsigned i = 1; i < reading->count; i++) {
        if (reading->second_count == MOST_TEMPLATES || strlen(reading->words[i]) != 3)
            return reading_complain(
                reading, "a template has three letters, and there are at most 16:", reading->words[i]);
        strcpy(reading->seconds[reading->second_count++], reading->words[i]);
    }
    memcpy(reading->machine->templates, reading->seconds, sizeof reading->seconds);
    reading->machine->template_count = reading->second_count;
    return true;
}

/* pair FIRST and a sign for each template of the line `second`. */
static bool read_pair(struct reading *reading)
{
    struct machine *machine = reading->machine;
    int first = machine_template(machine, reading->words[1]);
    if (first < 0)
        return reading_complain(reading, "the line `second` has no template", reading->words[1]);
    if (reading->count != machine->template_count + 2)
        return reading_complain(reading, "this needs one sign for each template of the line `second`", NULL);
    for (unsigned i = 0; i < machine->template_count; i++) {
        const char *sign = reading->words[i + 2];
        uint8_t *pair = &machine->pairs[first][i];
        if (!strcmp(sign, "."))
            continue;
        *pair =
            pair_ISSUES | (strchr(sign, 'A') ? pair_INTEGER : 0) | (strchr(sign, 'n') ? pair_NO_BRANCH : 0);
        if (sign[strspn(sign, "YAn")])
            return reading_complain(reading, "a pair is Y, A, Yn, An or ., not", sign);
    }
    return true;
}

/* CLASS [ELEMENT] [vector] CYCLES.  What names no element is for all that no other line names. */
static bool read_class(struct reading *reading, unsigned *class, unsigned *element, bool *is_vector,
                       double *cycles)
{
    unsigned last = reading->count - 1;
    *element = element_COUNT;
    *is_vector = last > 2 && !strcmp(reading->words[last - 1], "vector");
    if (*is_vector)
        last--;
    if (last > 3)
        return reading_complain(reading, "too many words; wanted: CLASS [ELEMENT] [vector] CYCLES", NULL);
    return word_of(reading, &class_description, reading->words[1], class) &&
           (last < 3 || word_of(reading, &element_description, reading->words[2], element)) &&
           reading_number(reading, reading->words[reading->count - 1], cycles);
}

static bool read_times(struct reading *reading, double times[class_COUNT][element_COUNT][2])
{
    unsigned class, element;
    bool is_vector;
    double cycles;
    if (!read_class(reading, &class, &element, &is_vector, &cycles))
        return false;
    for (unsigned e = 0; e < element_COUNT; e++)
        for (unsigned vector = is_vector; vector < 2; vector++) {
            double *place = &times[class][e][vector];
            /* A line for one element stands, whichever comes first; so does one for vectors. */
            if (element == e && (is_vector || !vector || isnan(*place) || signbit(*place)))
                *place = cycles;
            else if (element == element_COUNT && isnan(*place))
                *place = -cycles;
        }
    return true;
}

static bool read_latency(struct reading *reading)
{
    return read_times(reading, reading->machine->latency);
}

static bool read_busy(struct reading *reading)
{
    return read_times(reading, reading->machine->busy);
}

static bool read_accumulate(struct reading *reading)
{
    unsigned class, element;
    bool is_vector;
    double cycles;
    if (!read_class(reading, &class, &element, &is_vector, &cycles))
        return false;
    for (unsigned e = 0; e < element_COUNT; e++)
        if (element == e || (element == element_COUNT && isnan(reading->machine->accumulate[class][e])))
            reading->machine->accumulate[class][e] = cycles;
    return true;
}

static bool read_latency_of(struct reading *reading)
{
    double cycles;
    if (!reading_number(reading, reading->words[2], &cycles))
        return false;
    instruction_row(reading, reading->words[1])->latency = cycles;
    return true;
}

/* Of interest to find.c alone, which looks for it in the text; kept to be written again. */
static bool read_identity(struct reading *reading, const char *word)
{
    for (unsigned i = 1; i < reading->count; i++) {
        char *end;
        strtoul(reading->words[i], &end, 16);
        if (*end == '.' && i > 1 && isxdigit((unsigned char)end[1])) /* a stepping */
            strtoul(end + 1, &end, 16);
        if (*end)
            return reading_complain(reading, "this must be a hexadecimal number:", reading->words[i]);
    }
    struct machine_identity_line *line = array_push(&reading->machine->identities);
    *line = (struct machine_identity_line){word, reading_keep(reading, reading->rest)};
    return true;
}

static bool read_cpuid(struct reading *reading)
{
    return read_identity(reading, "cpuid");
}

static bool read_midr(struct reading *reading)
{
    return read_identity(reading, "midr");
}

static bool read_cache(struct reading *reading)
{
    return caches_read(reading);
}

static bool read_main_memory(struct reading *reading)
{
    return caches_read_memory(reading);
}

static bool read_guarded_gather(struct reading *reading)
{
    return guards_read(reading);
}

/* slow CYCLES FORM */
static bool read_slow(struct reading *reading)
{
    double cycles;
    if (!reading_number(reading, reading->words[1], &cycles))
        return false;
    if (!(cycles > 0))
        return reading_complain(reading, "this must be above 0:", reading->words[1]);
    const char *form = reading->rest + strlen(reading->words[1]);
    struct machine_slow_form *row = array_add(&reading->machine->slow_forms);
    *row = (struct machine_slow_form){reading_keep(reading, form + strspn(form, " \t")), cycles};
    return true;
}

static bool read_easy(struct reading *reading)
{
    return division_read(reading, division_EASY);
}

static bool read_hard(struct reading *reading)
{
    return division_read(reading, division_HARD);
}

/* flag-group NAME…: flags that are renamed together. */
static bool read_flag_group(struct reading *reading)
{
    struct machine *machine = reading->machine;
    machine->flag_group_count++;
    for (unsigned i = 1; i < reading->count; i++) {
        if (machine->flag_count == MOST_FLAGS)
            return reading_complain(reading, "at most 24 flags are in groups; too many with",
                                    reading->words[i]);
        for (unsigned k = 0; k < machine->flag_count; k++)
            if (!strcmp(machine->flags[k], reading->words[i]))
                return reading_complain(reading, "this flag is in a group already:", reading->words[i]);
        machine->flag_groups[machine->flag_count] = (uint8_t)machine->flag_group_count;
        machine->flags[machine->flag_count++] = reading_keep(reading, reading->words[i]);
    }
    return true;
}

static bool read_complete(struct reading *reading)
{
    reading->machine->is_complete = true;
    return true;
}

static bool read_like(struct reading *reading)
{
    if (reading->like)
        return reading_complain(reading, "a machine is like one other only; another is", reading->words[1]);
    reading->like = reading_keep(reading, reading->words[1]);
    return true;
}

/* Holds for the lines after it. */
static bool read_from(struct reading *reading)
{
    reading->source = origins_source(reading, reading->rest);
    return true;
}

static const struct {
    const char *word;
    unsigned least, most; /* words, the first included */
    bool (*read)(struct reading *);
} heads[] = {
#define HEAD(word, name, least, most, values, says) {word, least, most, read_##name},
#include "code/machine/facts.def"
};

const struct machine_figure machine_figures[] = {
#define FIGURE(word, member, sentence, says) {word, sentence, offsetof(struct machine, member)},
#include "code/machine/facts.def"
};
const unsigned machine_figure_count = sizeof machine_figures / sizeof machine_figures[0];

bool machine_knows_fact(const char *word)
{
    for (unsigned i = 0; i < sizeof heads / sizeof heads[0]; i++)
        if (!strcmp(heads[i].word, word))
            return true;
    for (unsigned i = 0; i < machine_figure_count; i++)
        if (!strcmp(machine_figures[i].word, word))
            return true;
    for (unsigned i = 0; i < core_row_count; i++)
        if (core_rows[i].kind == core_FACT && !strcmp(core_rows[i].name, word))
            return true;
    return false;
}

/* A fact that is not about the core. */
static bool read_fact(struct reading *reading)
{
    const char *word = reading->words[0];
    for (unsigned i = 0; i < sizeof heads / sizeof heads[0]; i++) {
        if (strcmp(heads[i].word, word))
            continue;
        if (reading->count < heads[i].least || reading->count > heads[i].most)
            return reading_complain(reading, "too few or too many values for", word);
        return heads[i].read(reading);
    }
    for (unsigned i = 0; i < machine_figure_count; i++) {
        if (strcmp(machine_figures[i].word, word))
            continue;
        if (reading->count != 2)
            return reading_complain(reading, "too few or too many values for", word);
        return read_figure(reading, (double *)((char *)reading->machine + machine_figures[i].offset));
    }
    return reading_complain(reading, "a machine has no fact called", word);
}

static bool read_line(struct reading *reading, char *line)
{
    line[strcspn(line, "#")] = 0;
    char *saved = NULL;
    size_t end = strlen(line);
    while (end && strchr(" \t\r", line[end - 1]))
        line[--end] = 0;
    char *start = line + strspn(line, " \t\r");
    char *rest = start + strcspn(start, " \t");
    rest += strspn(rest, " \t");
    char whole[LONGEST_LINE];
    snprintf(whole, sizeof whole, "%s", rest);
    reading->rest = whole;
    reading->count = 0;
    for (char *word = strtok_r(start, " \t", &saved); word; word = strtok_r(NULL, " \t", &saved)) {
        if (reading->count == MOST_WORDS)
            return reading_complain(reading, "more than 64 words in a line", NULL);
        reading->words[reading->count++] = word;
    }
    if (!reading->count || (reading->is_sibling && strcmp(reading->words[0], "like")))
        return true;
    bool is_core, is_good = core_read_fact(reading, &is_core);
    is_good = is_core ? is_good : read_fact(reading);
    if (is_good && !reading->is_sibling && strcmp(reading->words[0], "from"))
        origins_note(reading);
    return is_good;
}

static int by_name(const void *left, const void *right)
{
    return strcmp(((const struct machine_instruction *)left)->name,
                  ((const struct machine_instruction *)right)->name);
}

/* Latencies that were given for all elements carry a minus; what nobody gave is 1. */
void machine_finish(struct machine *machine)
{
    for (unsigned c = 0; c < class_COUNT; c++)
        for (unsigned e = 0; e < element_COUNT; e++)
            for (unsigned vector = 0; vector < 2; vector++) {
                double *latency = &machine->latency[c][e][vector];
                double *busy = &machine->busy[c][e][vector];
                *latency = isnan(*latency) ? 1 : fabs(*latency);
                *busy = isnan(*busy) ? 0 : fabs(*busy);
            }
    if (machine->instructions.count)
        qsort(machine->instructions.data, machine->instructions.count, sizeof(struct machine_instruction),
              by_name);
    /* Intel and AMD rename the carry apart from the other flags of arithmetic (Agner Fog; uiCA). */
    static const char *const usual[] = {"of", "sf", "zf", "af", "pf"};
    if (!machine->flag_group_count) {
        machine->flag_group_count = 1;
        for (; machine->flag_count < sizeof usual / sizeof usual[0]; machine->flag_count++) {
            machine->flags[machine->flag_count] = usual[machine->flag_count];
            machine->flag_groups[machine->flag_count] = 1;
        }
    }
    forms_finish(machine);
    machine_restrict_as_stated(machine);
}

static bool check(struct reading *reading)
{
    const struct machine *machine = reading->machine;
    const char *missing = !machine->name                                 ? "name"
                          : !machine->title                              ? "title"
                          : !machine->isa                                ? "isa"
                          : !machine->figures                            ? "figures"
                          : !machine->width                              ? "width"
                          : !machine->floating                           ? "floating"
                          : !machine->memory                             ? "memory"
                          : !machine->branches                           ? "branches"
                          : machine->bundles && !machine->template_count ? "second"
                          : machine->bundles && !machine->port_count     ? "ports"
                                                                         : NULL;
    return missing ? reading_complain(reading, "the file ends without the fact", missing) : true;
}

struct machine *machine_new(void)
{
    struct machine *machine = memory_get(sizeof *machine);
    machine->instructions = ARRAY_OF(struct machine_instruction);
    machine->forms = ARRAY_OF(struct machine_form);
    machine->form_ports = ARRAY_OF(struct form_ports);
    machine->form_latencies = ARRAY_OF(struct form_latency);
    machine->form_words = ARRAY_OF(const char *);
    machine->files = ARRAY_OF(char *);
    machine->identities = ARRAY_OF(struct machine_identity_line);
    machine->slow_forms = ARRAY_OF(struct machine_slow_form);
    machine->divisions = ARRAY_OF(struct machine_division);
    machine->sources = ARRAY_OF(const char *);
    machine->origins = ARRAY_OF(struct machine_origin);
    for (unsigned c = 0; c < class_COUNT; c++)
        for (unsigned e = 0; e < element_COUNT; e++)
            machine->latency[c][e][0] = machine->latency[c][e][1] = machine->busy[c][e][0] =
                machine->busy[c][e][1] = machine->accumulate[c][e] = NAN;
    return machine;
}

/* Whether the line starts with a word; *after gets where it ends. */
static bool starts_with(char *line, const char *end, const char *word, char **behind)
{
    size_t length = strlen(word);
    *behind = line + length;
    return (size_t)(end - line) >= length && !memcmp(line, word, length) &&
           (*behind == end || strchr(" \t\r", **behind));
}

static bool read_one(struct reading *reading, char *start, char *end)
{
    char *behind, line[LONGEST_LINE];
    size_t length = (size_t)(end - start);
    if (!length || *start == '#')
        return true;
    if (!origins_take_spread(reading, start, &end))
        return false;
    length = (size_t)(end - start);
    if (reading->is_block && strchr(" \t\r", *start))
        return forms_read_in_block(reading, start, end);
    if (!forms_end_block(reading))
        return false;
    if (starts_with(start, end, "form", &behind))
        return forms_read_line(reading, behind, end);
    if (starts_with(start, end, "forms", &behind))
        return forms_read_heading(reading, behind, end);
    if (length >= sizeof line)
        return reading_complain(reading, "this line is longer than 4095 bytes", NULL);
    memcpy(line, start, length);
    line[length] = 0;
    return read_line(reading, line);
}

static bool read_lines(struct reading *reading, char *text, size_t size)
{
    for (size_t at = 0; at < size;) {
        char *start = text + at, *end = memchr(start, '\n', size - at);
        end = end ? end : text + size;
        at = (size_t)(end - text) + 1;
        reading->line++;
        if (!read_one(reading, start, end))
            return false;
    }
    return forms_end_block(reading);
}

bool machine_read(struct machine *machine, const char *path, char *text, size_t size, bool is_sibling,
                  const char **like, struct error *error)
{
    *(char **)array_add(&machine->files) = text;
    struct reading reading = {.machine = machine,
                              .path = path,
                              .is_sibling = is_sibling,
                              .first_form = machine->forms.count,
                              .error = error};
    machine->has_sibling_forms |= is_sibling;
    if (is_sibling && machine->sources.count) {
        const char *slash = strrchr(path, '/');
        char source[100];
        snprintf(source, sizeof source, "assumed, as %.80s", slash ? slash + 1 : path);
        reading.source = origins_source(&reading, source);
    }
    memset(reading.port_of, NO_PORT, sizeof reading.port_of);
    for (unsigned i = 0; i < machine->port_count; i++)
        if (!machine->ports[i][1])
            reading.port_of[machine->ports[i][0] & 127] = (uint8_t)i;
    forms_expect(machine, size);
    bool good = read_lines(&reading, text, size) && (is_sibling || check(&reading));
    *like = reading.like;
    return good;
}

struct machine *machine_parse(const char *path, const char *text, size_t size, struct error *error)
{
    struct machine *machine = machine_new();
    char *copy = memory_get(size + 1);
    memcpy(copy, text, size);
    if (machine_read(machine, path, copy, size, false, &machine->sibling, error)) {
        machine_finish(machine);
        return machine;
    }
    machine_free(machine);
    return NULL;
}

void machine_free(struct machine *machine)
{
    if (!machine)
        return;
    for (size_t i = 0; i < machine->files.count; i++)
        free(*ARRAY_AT(char *, &machine->files, i));
    array_free(&machine->files);
    array_free(&machine->instructions);
    array_free(&machine->identities);
    array_free(&machine->slow_forms);
    array_free(&machine->divisions);
    array_free(&machine->sources);
    array_free(&machine->origins);
    array_free(&machine->forms);
    array_free(&machine->form_ports);
    array_free(&machine->form_latencies);
    array_free(&machine->form_words);
    free(machine->form_table);
    arena_free(&machine->texts);
    free(machine);
}

bool machine_runs(const struct machine *machine, enum isa isa)
{
    return machine->isa == isa || machine->isa == isa_facts(isa)->machine;
}

const struct machine_instruction *machine_instruction(const struct machine *machine, const char *name)
{
    const struct machine_instruction wanted = {.name = name};
    return machine->instructions.count ? bsearch(&wanted, machine->instructions.data,
                                                 machine->instructions.count, sizeof wanted, by_name)
                                       : NULL;
}

double machine_slow_form(const struct machine *machine, const char *form)
{
    for (size_t i = 0; form && i < machine->slow_forms.count; i++) {
        const struct machine_slow_form *row = ARRAY_AT(struct machine_slow_form, &machine->slow_forms, i);
        if (!strcmp(row->form, form))
            return row->cycles;
    }
    return 0;
}

int machine_template(const struct machine *machine, const char *name)
{
    for (unsigned i = 0; name && i < machine->template_count; i++)
        if (!strcmp(machine->templates[i], name))
            return (int)i;
    return -1;
}

uint32_t machine_ports(const struct machine *machine, char letter)
{
    uint32_t ports = 0;
    for (unsigned i = 0; i < machine->port_count; i++)
        if (machine->ports[i][0] == letter)
            ports |= 1U << i;
    return ports;
}
