/* What a machine file says about a form: finding it, and its figures. */
#include "code/machine/machine.h"

#include "base/strings.h"

#include <math.h>
#include <string.h>

/* No hash_index: it is hot, and its size is known before (forms_expect). */
uint32_t *form_place(const struct machine *machine, const char *text, size_t length)
{
    uint32_t mask = machine->form_table_size - 1;
    for (uint32_t at = (uint32_t)strings_hash(text, length) & mask;; at = (at + 1) & mask) {
        uint32_t number = machine->form_table[at];
        if (!number)
            return &machine->form_table[at];
        const char *known = ARRAY_AT(struct machine_form, &machine->forms, number - 1)->text;
        if (!strncmp(known, text, length) && !known[length])
            return &machine->form_table[at];
    }
}

static const struct machine_form *find(const struct machine *machine, const char *text, size_t length)
{
    uint32_t number = machine->form_table_size ? *form_place(machine, text, length) : 0;
    return number ? ARRAY_AT(struct machine_form, &machine->forms, number - 1) : NULL;
}

/* The text without one of its parts, into room for LONGEST letters; 0 where it does not fit. */
enum { LONGEST = 256 };

static size_t without(const char *text, size_t length, size_t from, size_t to, char result[LONGEST])
{
    if (length >= LONGEST)
        return 0;
    memcpy(result, text, from);
    memcpy(result + from, text + to, length - to + 1);
    return length - (to - from);
}

/* The mask is the operand after the first one. */
static size_t mask_length(const char *text, size_t *start)
{
    const char *comma = strchr(text, ',');
    if (!comma || comma[1] != 'k')
        return 0;
    size_t length = comma[2] == 'z' ? 3 : 2;
    *start = (size_t)(comma - text);
    return comma[length] == ',' ? length : 0;
}

/* The line for all forms of a mnemonic. */
static const struct machine_form *find_any(const struct machine *machine, const char *text)
{
    const char *operands = strrchr(text, ' ');
    char any[LONGEST];
    size_t length = operands ? (size_t)(operands - text) : strlen(text);
    if (length + 2 >= LONGEST)
        return NULL;
    memcpy(any, text, length);
    memcpy(any + length, " *", 3);
    return find(machine, any, length + 2);
}

const struct machine_form *machine_form_nearest(const struct machine *machine, const char *text,
                                                bool *is_unmasked)
{
    *is_unmasked = false;
    if (!text)
        return NULL;
    char shorter[LONGEST];
    size_t length = strlen(text), start;
    const struct machine_form *form = find(machine, text, length);
    if (!form && length > 2 && !strcmp(text + length - 2, "=0") &&
        (length = without(text, length, length - 2, length, shorter))) {
        form = find(machine, shorter, length);
        text = shorter;
    }
    size_t mask = form || !machine->has_masks ? 0 : mask_length(text, &start);
    char unmasked[LONGEST];
    if (mask == 3 && (length = without(text, strlen(text), start + 2, start + 3, unmasked)))
        form = find(machine, unmasked, length);
    if (mask && !form && (length = without(text, strlen(text), start, start + mask, unmasked))) {
        form = find(machine, unmasked, length);
        *is_unmasked = form;
    }
    return form ? form : find_any(machine, text);
}

const struct machine_form *machine_form(const struct machine *machine, const char *text)
{
    bool is_unmasked;
    const struct machine_form *form = machine_form_nearest(machine, text, &is_unmasked);
    return form && !form->is_missing ? form : NULL;
}

bool form_is_mnemonic(const char *text, size_t length)
{
    static const char *const prefixes[] = {"lock ", "rep ", "repne "};
    for (unsigned i = 0; i < sizeof prefixes / sizeof prefixes[0]; i++) {
        size_t prefix = strlen(prefixes[i]);
        if (length > prefix && !memcmp(text, prefixes[i], prefix)) {
            text += prefix;
            length -= prefix;
            break;
        }
    }
    for (size_t i = 0; i < length; i++)
        if (!(text[i] >= 'a' && text[i] <= 'z') && !(text[i] >= '0' && text[i] <= '9') && text[i] != '.' &&
            text[i] != '_')
            return false;
    return length;
}

double form_latency(const struct machine *machine, const struct machine_form *form, unsigned from,
                    unsigned to)
{
    const struct form_latency *rows =
        ARRAY_AT(struct form_latency, &machine->form_latencies, form->latencies.first);
    const struct form_latency *best = NULL;
    unsigned best_rank = 0;
    for (unsigned i = 0; i < form->latencies.count; i++) {
        bool from_fits = rows[i].from == from, to_fits = rows[i].to == to;
        if ((!from_fits && rows[i].from != slot_NONE) || (!to_fits && rows[i].to != slot_NONE))
            continue;
        unsigned rank = 1 + from_fits * 2U + to_fits;
        if (rank > best_rank) {
            best_rank = rank;
            best = &rows[i];
        }
    }
    return best ? best->cycles : form->latency;
}

bool form_fuses(const struct machine *machine, const struct machine_form *form, const char *branch)
{
    for (unsigned i = 0; i < form->fuses.count; i++)
        if (!strcmp(*ARRAY_AT(const char *, &machine->form_words, form->fuses.first + i), branch))
            return true;
    return false;
}
