/* The forms of a machine file: lines `form`, each with one form, and blocks `forms`.

   A block is a heading with mnemonics and lines of operands with their figures:

       forms vaddpd, vsubpd
         xmm,xmm,xmm ymm,ymm,ymm : uops 1 ports p01 latency 4

   Every mnemonic has a form with every list of operands.  Forms wait without figures until a line gives them,
   so that a line without a colon is continued by the next one; the figures of a line are read once and copied
   to all that wait.

   A machine has up to fifteen thousand forms and must be loaded in a few milliseconds.  So a line is taken
   apart where it stands, in the copy of the text that the machine keeps: words are not copied, a form's text
   ends in a zero in place.  Only texts of blocks, whose mnemonic stands elsewhere, are put together in memory
   of their own. Forms that a file closer to the machine has are skipped, and figures that only they have are
   not read.

   Forms are found by an open hash table over their texts, at most half full. */
#include "code/machine/reading.h"

#include "base/strings.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    LONGEST_FORM = 200,
    LONGEST_HIDDEN = 15,
    MOST_FORMS = 1 << 18,
    USUAL_BYTES = 24, /* of a file for one form */
    TEXTS_AT_ONCE = 16 << 10,
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
#include "code/machine/forms.def"
    WORD_COUNT
};

static const struct form_word form_words[WORD_COUNT] = {
#define WORD(symbol, word, kind, member, values, says)                                                       \
    {word, sizeof(word) - 1, word_##kind, offsetof(struct machine_form, member)},
#include "code/machine/forms.def"
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

/* Digits, and a fraction after a point. */
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

/* Microcode of a million µops counts as one of 65534. */
static bool parse_whole(struct reading *reading, const char *word, size_t length, unsigned *count)
{
    double value;
    *count = 0;
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

/* All words after the colon; *seen gets a bit for each. */
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
            return reading_complain(reading, "a form has this word twice:", fact->word);
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

static void resize(struct machine *machine, uint32_t size)
{
    uint32_t *old = machine->form_table, old_size = machine->form_table_size;
    machine->form_table = memory_get(size * sizeof *machine->form_table);
    machine->form_table_size = size;
    for (uint32_t i = 0; i < old_size; i++)
        if (old[i]) {
            const char *text = ARRAY_AT(struct machine_form, &machine->forms, old[i] - 1)->text;
            *form_place(machine, text, strlen(text)) = old[i];
        }
    free(old);
}

void forms_expect(struct machine *machine, size_t text_size)
{
    size_t count = machine->forms.count + text_size / USUAL_BYTES;
    uint32_t size = machine->form_table_size ? machine->form_table_size : 64;
    while (size < 2 * count && size < 2 * MOST_FORMS)
        size *= 2;
    if (size > machine->form_table_size)
        resize(machine, size);
    array_reserve(&machine->forms, count < MOST_FORMS ? count : MOST_FORMS);
}

static void note_mask(struct machine *machine, const char *operands)
{
    if (!machine->has_masks)
        machine->has_masks = strstr(operands, ",k,") || strstr(operands, ",kz,");
}

/* Forms of extensions that the machine lacks are missing, whatever the machine that it is `like` says of
   them: that one's figures may name ports which this one does not have. */
static bool is_lacked(const struct reading *reading, const char *text)
{
    const struct machine *machine = reading->machine;
    return reading->is_sibling && machine->lacks && machine->lacks & extension_of_form(machine->isa, text);
}

/* A form that waits for its figures; text ends in a zero.  *is_new: the machine did not have it from a file
   that was read before. */
static bool add_form(struct reading *reading, const char *text, size_t length, bool *is_new)
{
    struct machine *machine = reading->machine;
    if (machine->forms.count + 1 > machine->form_table_size / 2)
        resize(machine, machine->form_table_size * 2);
    uint32_t *place = form_place(machine, text, length);
    *is_new = !*place;
    if (*place > reading->first_form)
        return reading_complain(reading, "the file has this form twice:", text);
    if (*place)
        return true;
    if (machine->forms.count == MOST_FORMS)
        return reading_complain(reading, "a machine has at most 262144 forms; too many with", text);
    struct machine_form *form = array_push(&machine->forms);
    form->text = text;
    form->is_missing = is_lacked(reading, text);
    reading->has_waiting |= !form->is_missing;
    *place = (uint32_t)machine->forms.count;
    return true;
}

static const struct machine_form no_figures = {
    .latency = NAN, .latency_same = NAN, .throughput = NAN, .spread = NAN, .simple_decoders = ANY_NUMBER};

/* The figures after a colon, for all forms that wait; not read where none does. */
static bool read_figures(struct reading *reading, char *at, char *end)
{
    struct array *forms = &reading->machine->forms;
    struct machine_form figures = no_figures, missing = no_figures;
    uint32_t seen = 0;
    struct line_rest cursor = {at, end};
    if (reading->has_waiting) {
        figures.text = ARRAY_AT(struct machine_form, forms, reading->first_waiting)->text;
        if (!read_words(reading, &figures, &cursor, &seen) || !complete_form(reading, &figures, seen))
            return false;
    }
    missing.is_missing = true;
    missing.source = figures.source = reading->source;
    figures.spread = reading->spread;
    for (size_t i = reading->first_waiting; i < forms->count; i++) {
        struct machine_form *form = ARRAY_AT(struct machine_form, forms, i);
        const char *text = form->text;
        *form = form->is_missing ? missing : figures;
        form->text = text;
    }
    reading->first_waiting = forms->count;
    reading->has_waiting = reading->is_waiting = false;
    return true;
}

bool forms_read_line(struct reading *reading, char *at, char *end)
{
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
    bool is_new;
    *stop = 0;
    reading->first_waiting = reading->machine->forms.count;
    if (!add_form(reading, at, (size_t)(stop - at), &is_new))
        return false;
    if (is_new)
        note_mask(reading->machine, at);
    return read_figures(reading, colon + 1, end);
}

/* MNEMONIC, MNEMONIC…; after a comma at its end the next line goes on. */
static bool read_mnemonics(struct reading *reading, char *at, char *end)
{
    for (bool is_last = false; !is_last;) {
        char *comma = memchr(at, ',', (size_t)(end - at)), *stop = comma ? comma : end;
        is_last = !comma;
        char *next = comma ? comma + 1 : end;
        while (at < stop && is_blank(*at))
            at++;
        while (stop > at && is_blank(stop[-1]))
            stop--;
        if (is_last && at == stop && reading->mnemonic_count) {
            reading->is_heading = true;
            return true;
        }
        if (!form_is_mnemonic(at, (size_t)(stop - at)) || stop - at >= LONGEST_FORM)
            return reading_complain_of(reading, "wanted: mnemonics with commas between them, not", at,
                                       (size_t)(stop - at));
        if (reading->mnemonic_count == MOST_MNEMONICS)
            return reading_complain_of(reading, "a block has at most 256 mnemonics; too many with", at,
                                       (size_t)(stop - at));
        reading->mnemonics[reading->mnemonic_count++] = (struct mnemonic){at, (size_t)(stop - at)};
        at = next;
    }
    reading->is_heading = false;
    return true;
}

/* A line without its comment and the blanks at its ends: false where nothing is left. */
static bool trim(char **at, char **end)
{
    char *comment = memchr(*at, '#', (size_t)(*end - *at));
    *end = comment ? comment : *end;
    while (*at < *end && is_blank(**at))
        ++*at;
    while (*end > *at && is_blank((*end)[-1]))
        --*end;
    return *at < *end;
}

bool forms_read_heading(struct reading *reading, char *at, char *end)
{
    reading->mnemonic_count = 0;
    reading->is_block = true;
    reading->has_figures = false;
    reading->first_waiting = reading->machine->forms.count;
    trim(&at, &end);
    return read_mnemonics(reading, at, end);
}

/* Forms of all mnemonics with one list of operands; `-` is for none. */
static bool add_operands(struct reading *reading, const char *operands, size_t length)
{
    bool is_bare = length == 1 && *operands == '-', has_new = false, is_new;
    const char *last = NULL;
    for (unsigned i = 0; i < reading->mnemonic_count; i++) {
        const struct mnemonic *name = &reading->mnemonics[i];
        size_t needed = is_bare ? name->length : name->length + 1 + length;
        if (needed > LONGEST_FORM)
            return reading_complain_of(reading, "a form has at most 200 letters, with these operands",
                                       operands, length);
        if (reading->text_room <= needed) {
            reading->text = arena_get(&reading->machine->texts, TEXTS_AT_ONCE);
            reading->text_room = TEXTS_AT_ONCE;
        }
        char *text = reading->text;
        memcpy(text, name->text, name->length);
        if (!is_bare) {
            text[name->length] = ' ';
            memcpy(text + name->length + 1, operands, length);
        }
        text[needed] = 0;
        if (!add_form(reading, text, needed, &is_new))
            return false;
        if (is_new) {
            reading->text += needed + 1;
            reading->text_room -= needed + 1;
            has_new = true;
            last = text;
        }
    }
    if (has_new)
        note_mask(reading->machine, last);
    return true;
}

bool forms_read_in_block(struct reading *reading, char *at, char *end)
{
    if (!trim(&at, &end))
        return true;
    if (memchr(at, 0, (size_t)(end - at)))
        return reading_complain(reading, "this line has a byte that is 0", NULL);
    if (reading->is_heading)
        return read_mnemonics(reading, at, end);
    char *colon = memchr(at, ':', (size_t)(end - at));
    struct line_rest cursor = {at, colon ? colon : end};
    size_t length;
    for (char *operands; (operands = next_word(&cursor, &length)); reading->is_waiting = true)
        if (!add_operands(reading, operands, length))
            return false;
    if (!colon)
        return true;
    if (!reading->is_waiting)
        return reading_complain(reading, "wanted: operands before the colon, - for none", NULL);
    reading->has_figures = true;
    return read_figures(reading, colon + 1, end);
}

bool forms_end_block(struct reading *reading)
{
    if (!reading->is_block)
        return true;
    reading->is_block = false;
    if (!reading->is_waiting && reading->has_figures)
        return true;
    const struct mnemonic *name = &reading->mnemonics[0];
    return reading_complain_of(reading, "the block before this line ends without figures: forms", name->text,
                               name->length);
}

/* Decoders beside the complex one are known only when the whole head is. */
void forms_finish(struct machine *machine)
{
    unsigned most = machine->core.decoders ? machine->core.decoders - 1 : ANY_NUMBER;
    for (size_t i = 0; i < machine->forms.count; i++) {
        struct machine_form *form = ARRAY_AT(struct machine_form, &machine->forms, i);
        if (form->simple_decoders > most)
            form->simple_decoders = (uint8_t)most;
    }
}
