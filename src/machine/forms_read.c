/* The lines `form` of a machine file.

   There are up to fifteen thousand in a file, and a file must be there in a few milliseconds: a line is taken
   apart where it stands, in the copy of the text that the machine keeps, and what follows from it goes to the
   ends of a few arrays.  Nothing is copied; a form's text is ended by a zero in place.

   Forms are found by an open hash table over their texts, at most half full. */
#include "machine/reading.h"

#include "base/strings.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    LONGEST_FORM = 200,
    LONGEST_HIDDEN = 15,
    USUAL_LINE = 64,
    LARGEST_NUMBER = 100000000,
    LARGEST_COUNT = UINT16_MAX - 1
};

enum word_kind { word_COUNT, word_SMALL, word_CYCLES, word_FLAG, word_UOPS, word_PORTS, word_FUSES };

/* A word of a line, and the member of struct machine_form that it is for. */
struct form_word {
    const char *word;
    size_t length;
    enum word_kind kind;
    size_t offset;
};

enum word_number {
#define WORD(symbol, word, kind, member, values, says) w_##symbol,
#include "machine/forms.def"
    WORD_COUNT
};

static const struct form_word form_words[WORD_COUNT] = {
#define WORD(symbol, word, kind, member, values, says)                                                       \
    {word, sizeof(word) - 1, word_##kind, offsetof(struct machine_form, member)},
#include "machine/forms.def"
};

struct line_rest {
    char *at, *end;
};

/* A zero, too: names that are kept end in one, where a blank was. */
static bool is_blank(char letter)
{
    return letter == ' ' || letter == '\t' || letter == '\r' || !letter;
}

/* The next word; NULL at the end of the line. */
static char *next_word(struct line_rest *cursor, size_t *length)
{
    while (cursor->at < cursor->end && is_blank(*cursor->at))
        cursor->at++;
    char *word = cursor->at;
    while (cursor->at < cursor->end && !is_blank(*cursor->at))
        cursor->at++;
    *length = (size_t)(cursor->at - word);
    return *length ? word : NULL;
}

/* Digits, and a fraction behind a point. */
static bool parse_number(const char *at, size_t length, double *value)
{
    const char *end = at + length;
    double whole = 0, unit = 1;
    const char *start = at;
    while (at < end && *at >= '0' && *at <= '9' && at - start < 9)
        whole = whole * 10 + (*at++ - '0');
    if (at == start)
        return false;
    if (at < end && *at == '.' && end - at > 1)
        for (at++; at < end && *at >= '0' && *at <= '9' && end - at < 9; at++)
            whole += (*at - '0') * (unit /= 10);
    *value = whole;
    return at == end && whole <= LARGEST_NUMBER;
}

/* Microcode of a million µops is not told from one of 65534. */
static bool parse_whole(struct reading *reading, const char *word, size_t length, unsigned *count)
{
    double value;
    if (!parse_number(word, length, &value) || value != (unsigned)value)
        return reading_complain_of(reading, "this must be a whole number:", word, length);
    *count = value < LARGEST_COUNT ? (unsigned)value : LARGEST_COUNT;
    return true;
}

static bool read_uops(struct reading *reading, struct machine_form *form, const char *word, size_t length)
{
    const char *slash = memchr(word, '/', length);
    size_t first = slash ? (size_t)(slash - word) : length;
    unsigned fused, unfused = 0;
    if (!parse_whole(reading, word, first, &fused) ||
        (slash && !parse_whole(reading, slash + 1, length - first - 1, &unfused)))
        return false;
    form->fused = (uint16_t)fused;
    form->unfused = slash ? (uint16_t)unfused : UINT16_MAX;
    return true;
}

/* One part of a list of ports: [N*]pLETTERS. */
static bool read_port_set(struct reading *reading, const char *part, size_t length)
{
    struct form_ports set = {.times = 1};
    const char *star = memchr(part, '*', length), *at = part, *end = part + length;
    if (star) {
        double times;
        if (!parse_number(part, (size_t)(star - part), &times) || times <= 0)
            return reading_complain_of(reading, "wanted: a number above 0 before * in", part, length);
        set.times = (float)times;
        at = star + 1;
    }
    if (end - at < 2 || *at != 'p')
        return reading_complain_of(reading, "wanted: p and the letters of ports, such as 2*p01, not", part,
                                   length);
    for (at++; at < end; at++) {
        unsigned port = *at & 0x80 ? NO_PORT : reading->port_of[(unsigned char)*at];
        if (port == NO_PORT)
            return reading_complain_of(reading, "the line `ports`, which must come first, has no port", at,
                                       1);
        set.ports |= 1U << port;
    }
    *(struct form_ports *)array_push(&reading->machine->form_ports) = set;
    return true;
}

static bool read_ports(struct reading *reading, struct form_run *run, const char *word, size_t length)
{
    struct array *list = &reading->machine->form_ports;
    run->first = (uint32_t)list->count;
    run->count = 0;
    if (length == 4 && !memcmp(word, "none", 4))
        return true;
    for (const char *end = word + length; word <= end;) {
        const char *plus = memchr(word, '+', (size_t)(end - word));
        size_t part = (size_t)((plus ? plus : end) - word);
        if (run->count == UINT16_MAX || !read_port_set(reading, word, part))
            return reading_complain_of(reading, "too many ports in", word, part);
        run->count++;
        word += part + 1;
    }
    return true;
}

static bool read_fuses(struct reading *reading, struct form_run *run, char *word, size_t length)
{
    struct array *list = &reading->machine->form_words;
    if (length == reading->fuses_length && !memcmp(word, reading->fuses, length)) {
        *run = reading->fuses_run;
        return true;
    }
    *run = (struct form_run){.first = (uint32_t)list->count};
    reading->fuses_length = length <= sizeof reading->fuses ? length : 0;
    memcpy(reading->fuses, word, reading->fuses_length);
    for (char *end = word + length; word < end;) {
        char *comma = memchr(word, ',', (size_t)(end - word));
        char *stop = comma ? comma : end;
        if (stop == word || run->count == UINT16_MAX)
            return reading_complain(reading, "wanted: names of branches, separated by commas", NULL);
        *stop = 0;
        *(const char **)array_push(list) = word;
        run->count++;
        word = stop + 1;
    }
    reading->fuses_run = *run;
    return true;
}

static bool read_hidden(struct reading *reading, const char *name, size_t length, uint8_t *slot)
{
    struct machine *machine = reading->machine;
    for (unsigned i = 0; i < machine->hidden_count; i++)
        if (!strncmp(machine->hidden[i], name, length) && !machine->hidden[i][length]) {
            *slot = (uint8_t)(slot_HIDDEN + i);
            return true;
        }
    bool is_name = length && length <= LONGEST_HIDDEN && *name >= 'a' && *name <= 'z';
    for (size_t i = 0; is_name && i < length; i++)
        is_name = (name[i] >= 'a' && name[i] <= 'z') || (name[i] >= '0' && name[i] <= '9');
    if (!is_name)
        return reading_complain_of(
            reading, "wanted: the number of an operand, f, addr, index, mem, * or a register, not", name,
            length);
    if (machine->hidden_count == MOST_HIDDEN)
        return reading_complain_of(reading, "forms name more than 48 hidden registers with", name, length);
    char *copy = arena_get(&machine->texts, length + 1);
    memcpy(copy, name, length);
    *slot = (uint8_t)(slot_HIDDEN + machine->hidden_count);
    machine->hidden[machine->hidden_count++] = copy;
    return true;
}

static bool read_slot(struct reading *reading, const char *name, size_t length, uint8_t *slot)
{
    if (length == 1 && *name >= '1' && *name <= '8')
        *slot = (uint8_t)(*name - '0');
    else if (length == 1 && *name == 'f')
        *slot = slot_FLAGS;
    else if (length == 1 && *name == '*')
        *slot = slot_NONE;
    else if (length == 4 && !memcmp(name, "addr", 4))
        *slot = slot_ADDRESS;
    else if (length == 5 && !memcmp(name, "index", 5))
        *slot = slot_INDEX;
    else if (length == 3 && !memcmp(name, "mem", 3))
        *slot = slot_MEMORY;
    else
        return read_hidden(reading, name, length, slot);
    return true;
}

/* FROM>TO=CYCLES */
static bool read_exception(struct reading *reading, struct machine_form *form, const char *word,
                           size_t length)
{
    const char *arrow = memchr(word, '>', length), *end = word + length;
    const char *equals = arrow ? memchr(arrow, '=', (size_t)(end - arrow)) : NULL;
    struct form_latency latency = {.cycles = NAN};
    double cycles = NAN;
    if (!equals)
        return reading_complain_of(reading, "a form has no word", word, length);
    bool is_none = end - equals == 2 && equals[1] == '-';
    if (!is_none && !parse_number(equals + 1, (size_t)(end - equals - 1), &cycles))
        return reading_complain_of(reading, "wanted: FROM>TO=CYCLES, with - for no dependence, not", word,
                                   length);
    if (!read_slot(reading, word, (size_t)(arrow - word), &latency.from) ||
        !read_slot(reading, arrow + 1, (size_t)(equals - arrow - 1), &latency.to))
        return false;
    latency.cycles = (float)cycles;
    if (!form->latencies.count)
        form->latencies.first = (uint32_t)reading->machine->form_latencies.count;
    if (form->latencies.count == UINT16_MAX)
        return reading_complain(reading, "too many latencies in a form", NULL);
    form->latencies.count++;
    *(struct form_latency *)array_push(&reading->machine->form_latencies) = latency;
    return true;
}

static bool read_value(struct reading *reading, struct machine_form *form, const struct form_word *word,
                       char *value, size_t length)
{
    void *place = (char *)form + word->offset;
    unsigned count;
    double cycles;
    switch (word->kind) {
    case word_UOPS:
        return read_uops(reading, form, value, length);
    case word_PORTS:
        return read_ports(reading, place, value, length);
    case word_FUSES:
        return read_fuses(reading, place, value, length);
    case word_COUNT:
        if (!parse_whole(reading, value, length, &count))
            return false;
        *(uint16_t *)place = (uint16_t)count;
        return true;
    case word_SMALL:
        if (!parse_whole(reading, value, length, &count))
            return false;
        *(uint8_t *)place = (uint8_t)(count < ANY_NUMBER ? count : ANY_NUMBER);
        return true;
    case word_CYCLES:
        if (!parse_number(value, length, &cycles))
            return reading_complain_of(reading, "wanted: cycles, a number that is not negative, not", value,
                                       length);
        *(float *)place = (float)cycles;
        return true;
    case word_FLAG:
        break;
    }
    *(bool *)place = true;
    return true;
}

/* All words behind the colon; *seen gets a bit for each. */
static bool read_words(struct reading *reading, struct machine_form *form, struct line_rest *cursor,
                       uint32_t *seen)
{
    size_t length;
    for (char *word; (word = next_word(cursor, &length));) {
        unsigned number = length > 2 && word[1] == '>' ? WORD_COUNT : 0;
        while (number < WORD_COUNT &&
               (form_words[number].length != length || memcmp(form_words[number].word, word, length)))
            number++;
        if (number == WORD_COUNT) {
            if (!read_exception(reading, form, word, length))
                return false;
            continue;
        }
        const struct form_word *fact = &form_words[number];
        size_t value_length = 0;
        char *value = fact->kind == word_FLAG ? NULL : next_word(cursor, &value_length);
        if (*seen >> number & 1)
            return reading_complain(reading, "this word stands twice in a form:", fact->word);
        if (fact->kind != word_FLAG && !value)
            return reading_complain(reading, "wanted: a value after", fact->word);
        *seen |= 1U << number;
        if (!read_value(reading, form, fact, value, value_length))
            return false;
    }
    return true;
}

static bool has(uint32_t seen, enum word_number number)
{
    return seen >> number & 1;
}

/* What was left out follows from the rest. */
static bool complete_form(struct reading *reading, struct machine_form *form, uint32_t seen)
{
    if (has(seen, w_MISSING))
        return seen == 1U << w_MISSING && !form->latencies.count
                   ? true
                   : reading_complain(reading, "a form that is missing has no other words:", form->text);
    if (!has(seen, w_UOPS))
        return reading_complain(reading, "wanted: uops N in the form", form->text);
    if (form->unfused == UINT16_MAX) {
        double sum = 0;
        for (unsigned i = 0; i < form->ports.count; i++)
            sum += ARRAY_AT(struct form_ports, &reading->machine->form_ports, form->ports.first + i)->times;
        form->unfused = (uint16_t)(sum < LARGEST_COUNT ? sum + 0.5 : LARGEST_COUNT);
    }
    if (!has(seen, w_DECODED))
        form->decoded = form->fused;
    form->has_indexed = has(seen, w_INDEXED) || has(seen, w_INDEXED_PORTS);
    form->has_same = has(seen, w_SAME) || has(seen, w_SAME_PORTS);
    if (!has(seen, w_INDEXED))
        form->fused_indexed = form->fused;
    if (!has(seen, w_INDEXED_PORTS))
        form->ports_indexed = form->ports;
    if (!has(seen, w_SAME))
        form->fused_same = form->fused;
    if (!has(seen, w_SAME_PORTS))
        form->ports_same = form->ports;
    return true;
}

/* The place of a form in the table: its own, or the empty one where it belongs. */
static uint32_t *place_of(const struct machine *machine, const char *text, size_t length)
{
    uint32_t mask = machine->form_table_size - 1;
    for (uint32_t at = (uint32_t)hash_bytes(text, length) & mask;; at = (at + 1) & mask) {
        uint32_t number = machine->form_table[at];
        if (!number)
            return &machine->form_table[at];
        const char *known = ARRAY_AT(struct machine_form, &machine->forms, number - 1)->text;
        if (!strncmp(known, text, length) && !known[length])
            return &machine->form_table[at];
    }
}

static void resize(struct machine *machine, uint32_t size)
{
    uint32_t *old = machine->form_table, old_size = machine->form_table_size;
    machine->form_table = memory_get(size * sizeof *machine->form_table);
    machine->form_table_size = size;
    for (uint32_t i = 0; i < old_size; i++)
        if (old[i]) {
            const char *text = ARRAY_AT(struct machine_form, &machine->forms, old[i] - 1)->text;
            *place_of(machine, text, strlen(text)) = old[i];
        }
    free(old);
}

void forms_expect(struct machine *machine, size_t text_size)
{
    size_t count = machine->forms.count + text_size / USUAL_LINE;
    uint32_t size = machine->form_table_size ? machine->form_table_size : 64;
    while (size < 2 * count && size < 1U << 24)
        size *= 2;
    if (size > machine->form_table_size)
        resize(machine, size);
    array_reserve(&machine->forms, count);
}

bool forms_read_line(struct reading *reading, char *at, char *end)
{
    struct machine *machine = reading->machine;
    char *comment = memchr(at, '#', (size_t)(end - at));
    end = comment ? comment : end;
    char *colon = memchr(at, ':', (size_t)(end - at)), *stop = colon;
    while (at < end && is_blank(*at))
        at++;
    while (stop > at && is_blank(stop[-1]))
        stop--;
    if (!colon || stop <= at || stop - at > LONGEST_FORM || memchr(at, 0, (size_t)(end - at)))
        return reading_complain_of(reading,
                                   "wanted: form, its text of at most 200 letters, : and its figures, not",
                                   at, (size_t)(end - at));
    size_t length = (size_t)(stop - at);
    if (machine->forms.count + 1 > machine->form_table_size / 2)
        resize(machine, machine->form_table_size * 2);
    /* The text ends in a zero from here on, which the comparison of texts relies on. */
    *stop = 0;
    uint32_t *place = place_of(machine, at, length);
    if (*place) {
        if (*place > reading->first_form)
            return reading_complain(reading, "this form stands there twice:", at);
        return true;
    }
    struct machine_form *form = array_add(&machine->forms);
    *form = (struct machine_form){
        .text = at, .latency = NAN, .latency_same = NAN, .throughput = NAN, .simple_decoders = ANY_NUMBER};
    *place = (uint32_t)machine->forms.count;
    uint32_t seen = 0;
    struct line_rest cursor = {colon + 1, end};
    return read_words(reading, form, &cursor, &seen) && complete_form(reading, form, seen);
}

/* Decoders beside the complex one are known only when the whole head is. */
void forms_finish(struct machine *machine)
{
    unsigned most = machine->core.decoders ? machine->core.decoders - 1 : ANY_NUMBER;
    for (size_t i = 0; i < machine->forms.count; i++) {
        struct machine_form *form = ARRAY_AT(struct machine_form, &machine->forms, i);
        if (form->simple_decoders > most)
            form->simple_decoders = (uint8_t)most;
        if (!machine->has_masks)
            machine->has_masks = strstr(form->text, ",k,") || strstr(form->text, ",kz,");
    }
}
