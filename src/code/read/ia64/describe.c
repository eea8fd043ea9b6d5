/* What an instruction does, from its text and the table of the instruction set.

   The name leads to the variants of the instruction, which are tried in the order of the table: completers
   first, then the forms of operands.  The first that fits gives the meaning.  If none fits, the error is that
   of the attempt that came furthest.

   An instruction under a predicate writes conditionally, except what the table marks as written always (the
   results of cmp.unc).  A jump under a predicate is a branch, and control passes a stop under a predicate.
   Registers with a constant value (r0, f0, f1, p0) are operands but not uses.  A register that stands for
   others (pr) is a use of all of them, or of those in the mask if a constant mask selects. */
#include "code/read/ia64/parse.h"
#include "code/read/isa_table.h"

#include <stdio.h>
#include <string.h>

struct attempt {
    int progress; /* how far the best one came: completers, then operands */
    size_t start, length;
    const struct table_pattern *expected; /* NULL: the number of operands, or completers */
    bool is_out_of_range;
};

/* Length of the completer of a group at the start of text, including its dot; 0 for none. */
static size_t match_group(const struct table_group *group, const char *text, size_t length)
{
    for (unsigned i = 0; i < group->count; i++) {
        const struct table_word *word = &ia64_table.words[group->first + i];
        if (word->length < length && text[0] == '.' && memcmp(text + 1, word->text, word->length) == 0 &&
            (length == word->length + 1u || text[word->length + 1] == '.'))
            return word->length + 1u;
    }
    return 0;
}

static bool match_completers(const struct table_variant *variant, const struct parsed *parsed,
                             struct attempt *attempt)
{
    const char *text = parsed->text + parsed->name_start + parsed->name_length;
    size_t at = 0, length = parsed->completers_length;
    bool is_complete = true;
    for (unsigned i = 0; i < variant->group_count && is_complete; i++) {
        size_t taken = match_group(&ia64_table.groups[variant->groups[i]], text + at, length - at);
        at += taken;
        is_complete = taken || variant->optional >> i & 1;
    }
    if (is_complete && at == length)
        return true;
    if ((int)at > attempt->progress) {
        size_t word = at < length ? 1 + strcspn(text + at + 1, ". \t") : 0;
        attempt->progress = (int)at;
        attempt->start = (size_t)parsed->name_start + parsed->name_length + at;
        attempt->length = word > length - at ? length - at : word;
        attempt->expected = NULL;
    }
    return false;
}

static bool in_register_ranges(const struct table_pattern *pattern, unsigned number)
{
    for (unsigned i = 0; i < pattern->count; i++) {
        const struct register_range *range = &ia64_table.register_ranges[pattern->first + i];
        if (number >= range->first && number <= range->last)
            return true;
    }
    return false;
}

static bool in_number_ranges(const struct table_pattern *pattern, int64_t value)
{
    for (unsigned i = 0; i < pattern->count; i++) {
        const struct number_range *range = &ia64_table.number_ranges[pattern->first + i];
        if (value >= range->first && value <= range->last)
            return true;
    }
    return false;
}

/* Only one value is allowed: a symbolic name may have another. */
static bool is_single_number(const struct table_pattern *pattern)
{
    const struct number_range *range = &ia64_table.number_ranges[pattern->first];
    return pattern->count == 1 && range->first == range->last;
}

static bool match_operand(const struct table_pattern *pattern, const struct parsed_operand *operand)
{
    switch (pattern->shape) {
    case PATTERN_REGISTER:
        return operand->shape == PARSED_REGISTER && in_register_ranges(pattern, operand->number);
    case PATTERN_NUMBER:
        return (operand->shape == PARSED_NUMBER && in_number_ranges(pattern, operand->value)) ||
               (operand->shape == PARSED_SYMBOL && !is_single_number(pattern));
    case PATTERN_TARGET:
        return operand->shape == PARSED_SYMBOL || operand->shape == PARSED_NUMBER ||
               operand->shape == PARSED_NO_REGISTER;
    case PATTERN_MEMORY:
        return operand->shape == PARSED_MEMORY && in_register_ranges(pattern, operand->number);
    default:
        return operand->shape == PARSED_FILE && operand->number == pattern->first;
    }
}

static const struct table_pattern *pattern_of(const struct table_form *form, unsigned place)
{
    return &ia64_table.patterns[ia64_table.form_patterns[form->first + place]];
}

enum { PAST_COMPLETERS = 1000, PAST_COUNT = 2000 };

static bool match_form(const struct table_form *form, const struct parsed *parsed, struct attempt *attempt)
{
    int progress = PAST_COMPLETERS;
    unsigned place = 0;
    if (form->count == parsed->operand_count && form->result_count == parsed->result_count) {
        while (place < form->count && match_operand(pattern_of(form, place), &parsed->operands[place]))
            place++;
        if (place == form->count)
            return true;
        progress = PAST_COUNT + 2 * (int)place;
        progress += pattern_of(form, place)->shape == PATTERN_NUMBER &&
                    parsed->operands[place].shape == PARSED_NUMBER; /* a more precise error */
    }
    if (progress < attempt->progress)
        return false;
    attempt->progress = progress;
    attempt->expected = progress >= PAST_COUNT ? pattern_of(form, place) : NULL;
    attempt->start = parsed->name_start;
    attempt->length = parsed->name_length + (size_t)parsed->completers_length;
    if (attempt->expected) {
        attempt->start = parsed->operands[place].start;
        attempt->length = parsed->operands[place].length;
        attempt->is_out_of_range = parsed->operands[place].shape == PARSED_NO_REGISTER;
    }
    return false;
}

static void explain(const struct parsed *parsed, const struct attempt *attempt)
{
    struct ia64_facts *facts = parsed->facts;
    const char *text = parsed->text + parsed->name_start;
    int length = parsed->name_length;
    if (attempt->expected && attempt->is_out_of_range)
        ia64_complain(facts, attempt->start, attempt->length, "no such register");
    else if (attempt->expected)
        ia64_complain(facts, attempt->start, attempt->length, "this must be %s", attempt->expected->meaning);
    else if (attempt->progress >= PAST_COMPLETERS)
        ia64_complain(facts, attempt->start, attempt->length, "wrong operands for this instruction");
    else if (attempt->length)
        ia64_complain(facts, attempt->start, attempt->length, "%.*s has no such completer here", length,
                      text);
    else
        ia64_complain(facts, parsed->name_start, parsed->name_length + (size_t)parsed->completers_length,
                      "a completer is missing");
}

/* The variant and form that fit; NULL with an error if none does. */
static const struct table_variant *find_variant(const struct table_name *name, const struct parsed *parsed,
                                                const struct table_form **form)
{
    struct attempt attempt = {.progress = -1};
    for (unsigned i = 0; i < name->variant_count; i++) {
        const struct table_variant *variant = &ia64_table.variants[name->first_variant + i];
        if (!match_completers(variant, parsed, &attempt))
            continue;
        for (unsigned j = 0; j < variant->form_count; j++) {
            *form = &ia64_table.forms[variant->first_form + j];
            if (match_form(*form, parsed, &attempt))
                return variant;
        }
    }
    explain(parsed, &attempt);
    return NULL;
}

static bool is_fixed(unsigned number)
{
    for (unsigned i = 0; i < ia64_table.fixed_count; i++)
        if (ia64_table.fixed[i] == number)
            return true;
    return false;
}

struct use {
    uint8_t access;
    bool keeps_rest, is_conditional, is_address;
};

static void add_use(struct description *description, unsigned number, struct use how)
{
    if (is_fixed(number))
        return;
    struct register_use *use = description_use(description, number);
    if (!use)
        return;
    use->access |= how.access;
    use->keeps_rest |= how.keeps_rest;
    use->is_conditional |= how.is_conditional && how.access & access_WRITE;
    use->is_address |= how.is_address;
}

/* mask: bit n selects the nth of the registers before the 16th, bit 16 all others. */
static void add_uses(struct description *description, unsigned number, uint32_t mask, struct use how)
{
    for (unsigned i = 0; i < ia64_table.whole_count; i++) {
        const struct whole_register *whole = &ia64_table.wholes[i];
        if (whole->number != number)
            continue;
        unsigned first = ia64_register_number("p0", 2);
        for (unsigned part = whole->first; part <= whole->last; part++) {
            unsigned place = part - first;
            if (mask >> (place < 16 ? place : 16) & 1)
                add_use(description, part, how);
        }
        return;
    }
    add_use(description, number, how);
}

struct meaning {
    const struct parsed *parsed;
    const struct table_variant *variant;
    const struct table_form *form;
    struct description *description;
    bool is_predicated;
};

/* The mask of mov pr=r2,mask; all registers for other instructions. */
static uint32_t mask_of(const struct meaning *meaning)
{
    const struct parsed *parsed = meaning->parsed;
    if (parsed->operand_count == 3 && parsed->operands[2].shape == PARSED_NUMBER)
        return (uint32_t)parsed->operands[2].value;
    return UINT32_MAX;
}

static void describe_register(const struct meaning *meaning, const struct parsed_operand *parsed,
                              const struct table_pattern *pattern, struct operand *operand, bool is_result)
{
    bool is_conditional =
        (meaning->is_predicated && !(pattern->marks & MARK_ALWAYS)) || pattern->marks & MARK_CONDITIONAL;
    operand->kind = operand_kind_REGISTER;
    operand->register_ = parsed->number;
    operand->bits = ia64_registers[parsed->number].bits;
    operand->access = is_result ? access_WRITE : access_READ;
    operand->is_conditional = is_conditional;
    struct use use = {.access = operand->access, .is_conditional = is_conditional};
    if (parsed->shape == PARSED_FILE) {
        operand->index_register = parsed->index;
        add_use(meaning->description, parsed->index, (struct use){.access = access_READ});
        use.keeps_rest = is_result;
    }
    add_uses(meaning->description, parsed->number, is_result ? mask_of(meaning) : UINT32_MAX, use);
}

static void describe_memory(const struct meaning *meaning, const struct parsed_operand *parsed,
                            const struct table_pattern *pattern, struct operand *operand)
{
    const struct table_variant *variant = meaning->variant;
    bool is_updated = pattern->marks & MARK_UPDATED;
    unsigned bytes = variant->load_bytes > variant->store_bytes ? variant->load_bytes : variant->store_bytes;
    operand->kind = bytes ? operand_kind_MEMORY : operand_kind_ADDRESS;
    operand->base_register = parsed->number;
    operand->bits = (uint16_t)(8 * bytes);
    operand->access =
        (uint8_t)((variant->load_bytes ? access_READ : 0) | (variant->store_bytes ? access_WRITE : 0));
    operand->is_conditional = meaning->is_predicated && bytes;
    add_use(meaning->description, parsed->number,
            (struct use){.access = is_updated ? access_BOTH : access_READ,
                         .is_conditional = meaning->is_predicated,
                         .is_address = true});
}

static void describe_operand(const struct meaning *meaning, unsigned place)
{
    const struct parsed_operand *parsed = &meaning->parsed->operands[place];
    const struct table_pattern *pattern = pattern_of(meaning->form, place);
    struct operand *operand = &meaning->description->operands[place];
    struct ia64_facts *facts = meaning->parsed->facts;
    operand->position = (uint8_t)(place + 1);
    switch (pattern->shape) {
    case PATTERN_REGISTER:
    case PATTERN_FILE:
        describe_register(meaning, parsed, pattern, operand, place < meaning->form->result_count);
        break;
    case PATTERN_MEMORY:
        describe_memory(meaning, parsed, pattern, operand);
        break;
    case PATTERN_NUMBER:
        operand->kind = operand_kind_IMMEDIATE;
        operand->access = access_READ;
        operand->bits = 64;
        operand->value = parsed->value;
        break;
    default:
        operand->kind = operand_kind_TARGET;
        operand->is_relative = true;
        if (meaning->variant->class != class_MOVE && facts->target_length == 0) {
            facts->target_start = parsed->start;
            facts->target_length = parsed->length;
        }
    }
}

static uint8_t flow_under_predicate(uint8_t flow)
{
    return flow == flow_JUMP ? flow_BRANCH : flow == flow_STOP ? flow_SYSTEM : flow;
}

/* The table says what conversions make, not what they take. */
static uint8_t source_element(const struct table_variant *variant)
{
    return variant->class == class_CONVERT ? (uint8_t)element_NONE : variant->element;
}

static void derive_meaning(const struct meaning *meaning)
{
    const struct table_variant *variant = meaning->variant;
    struct encoding *encoding = &meaning->description->encoding;
    bool is_predicated = meaning->is_predicated;
    encoding->slot = variant->slot;
    encoding->class = variant->class;
    encoding->element = variant->element;
    encoding->operation = variant->operation;
    encoding->source_element = source_element(variant);
    encoding->flow = is_predicated ? flow_under_predicate(variant->flow) : variant->flow;
    encoding->vector_bits = variant->vector_bits;
    encoding->is_vector = variant->vector_bits > 0;
    encoding->is_masked = is_predicated;
    encoding->load_bytes = variant->load_bytes;
    encoding->store_bytes = variant->store_bytes;
    meaning->description->operand_count = meaning->parsed->operand_count;
    for (unsigned i = 0; i < meaning->parsed->operand_count; i++)
        describe_operand(meaning, i);
    encoding->addend = (uint8_t)(variant->class == class_FMA ? meaning->parsed->operand_count : 0);
    encoding->is_non_temporal = strstr(meaning->description->completers, ".nt") != NULL;
    if (is_predicated)
        add_use(meaning->description, meaning->parsed->predicate, (struct use){.access = access_READ});
    for (unsigned i = 0; i < variant->implicit_count; i++) {
        const struct table_implicit *implicit = &ia64_table.implicits[variant->first_implicit + i];
        add_uses(meaning->description, implicit->number, UINT32_MAX,
                 (struct use){.access = implicit->access,
                              .keeps_rest = implicit->keeps_rest,
                              .is_conditional = is_predicated && !(variant->flags & VARIANT_ALWAYS)});
    }
    struct ia64_facts *facts = meaning->parsed->facts;
    facts->slot = encoding->slot;
    facts->flow = encoding->flow;
    facts->is_long = variant->flags & VARIANT_LONG;
    if (is_predicated && variant->flags & VARIANT_UNPREDICATED)
        ia64_complain(facts, meaning->parsed->predicate_start, meaning->parsed->predicate_length,
                      "this instruction takes no predicate");
}

static void copy_piece(char *to, size_t size, const char *from, size_t length)
{
    if (length >= size)
        length = size - 1;
    memcpy(to, from, length);
    to[length] = '\0';
}

/* An instruction with wrong operands still has a slot and, if its completers are right, a class. */
static void describe_roughly(const struct table_name *name, const struct parsed *parsed,
                             struct description *description)
{
    const struct table_variant *variant = &ia64_table.variants[name->first_variant];
    const struct table_variant *end = variant + name->variant_count;
    struct attempt attempt = {.progress = -1};
    while (variant < end && !match_completers(variant, parsed, &attempt))
        variant++;
    bool is_found = variant < end;
    if (!is_found)
        variant = &ia64_table.variants[name->first_variant];
    struct encoding *encoding = &description->encoding;
    encoding->slot = parsed->facts->slot = variant->slot;
    parsed->facts->is_long = variant->flags & VARIANT_LONG;
    if (!is_found)
        return;
    encoding->class = variant->class;
    encoding->element = variant->element;
    encoding->operation = variant->operation;
    encoding->source_element = source_element(variant);
    encoding->flow = encoding->predicate ? flow_under_predicate(variant->flow) : variant->flow;
    parsed->facts->flow = encoding->flow;
}

void ia64_describe(const char *text, struct description *description, struct ia64_facts *facts)
{
    struct ia64_facts unasked;
    struct parsed parsed;
    if (!facts)
        facts = &unasked;
    *facts = (struct ia64_facts){0};
    memset(description, 0, offsetof(struct description, uses));
    description->use_count = description->operand_count = 0;
    description->is_undefined = false;
    bool good = ia64_parse_head(text, &parsed, facts);
    size_t length = strlen(text);
    description->long_text = length < sizeof description->text ? NULL : text;
    copy_piece(description->text, sizeof description->text, text, length);
    const char *name_start = text + parsed.name_start;
    copy_piece(description->name, sizeof description->name, name_start, parsed.name_length);
    copy_piece(description->completers, sizeof description->completers, name_start + parsed.name_length,
               parsed.completers_length);
    const struct table_name *name = bisect_named(ia64_table.names, ia64_table.name_count,
                                                 sizeof *ia64_table.names, name_start, parsed.name_length);
    if (!name) {
        description->encoding.is_unknown = facts->is_unknown = true;
        ia64_complain(facts, parsed.name_start, parsed.name_length + (size_t)parsed.completers_length,
                      "no such instruction");
        return;
    }
    description->encoding.extends_sign = !strncmp(description->name, "sxt", 3); /* sxt1, sxt2, sxt4 */
    bool is_predicated = parsed.predicate && !is_fixed(parsed.predicate);
    description->encoding.predicate = is_predicated ? parsed.predicate : 0;
    const struct table_form *form;
    const struct table_variant *variant = NULL;
    if (good && ia64_parse_operands(&parsed))
        variant = find_variant(name, &parsed, &form);
    if (variant)
        derive_meaning(&(struct meaning){&parsed, variant, form, description, is_predicated});
    else
        describe_roughly(name, &parsed, description);
}
