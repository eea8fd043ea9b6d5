/* Distinct instruction texts of IA-64 listings.

   Two tables.  The first has every text as written, and its meaning with the current names: a number, and the
   symbol it jumps to.  The second has the texts of those numbers, with @ instead of the name of a local
   label, so that loops share their branches, and with names of registers replaced, so that equal words for
   different registers have different numbers. ia64_describe is called once for each number. */
#include "code/read/ia64/listing.h"

#include <string.h>

static const char *keep_text(struct ia64_listing *listing, const char *text, size_t length)
{
    char *copy = arena_get(listing->kept, length + 1);
    memcpy(copy, text, length);
    return copy;
}

/* The number of a text; new is set if it is the first. is_kept: written need not be copied. */
static uint32_t number_of(struct ia64_listing *listing, struct words written, struct words resolved,
                          bool is_kept, bool *is_new)
{
    bool is_same =
        written.length == resolved.length && !memcmp(written.start, resolved.start, written.length);
    uint64_t hash = strings_hash(written.start, written.length);
    if (!is_same)
        hash = hash_mix(hash, strings_hash(resolved.start, resolved.length));
    size_t slot = SIZE_MAX;
    for (uint32_t number; (number = hash_index_next(&listing->text_index, hash, &slot)) != UINT32_MAX;) {
        const struct ia64_text *text = ARRAY_AT(struct ia64_text, &listing->texts->texts, number);
        if (listing_equals(written, text->written) && listing_equals(resolved, text->resolved))
            return number;
    }
    struct ia64_text *added = array_add(&listing->texts->texts);
    added->written = is_kept ? written.start : keep_text(listing, written.start, written.length);
    added->resolved = is_same ? added->written : keep_text(listing, resolved.start, resolved.length);
    uint32_t number = (uint32_t)listing->facts.count;
    array_add(&listing->facts);
    hash_index_add(&listing->text_index, hash, number);
    *is_new = true;
    return number;
}

/* foo#+16, .b1_2, 1f.  Anything beyond a name and a constant is left alone. */
static bool take_target(struct ia64_listing *listing, struct written_text *text, struct words target)
{
    struct words name = target, rest;
    uint64_t number;
    text->target = 0;
    text->direction = 0;
    text->addend = 0;
    rest = name;
    if (listing_take_number(&rest, &number) && rest.length == 1 &&
        (*rest.start == 'b' || *rest.start == 'f')) {
        text->local = number < UINT32_MAX ? (uint32_t)number : UINT32_MAX;
        text->direction = *rest.start;
        return true;
    }
    for (size_t i = 1; i < target.length; i++)
        if ((target.start[i] == '+' || target.start[i] == '-') && target.start[0] != '"') {
            name.length = i;
            rest = (struct words){target.start + i, target.length - i};
            if (!listing_evaluate(listing, rest, &text->addend))
                return false;
            break;
        }
    name = listing_bare(name);
    for (size_t i = 0; i < name.length; i++)
        if (!is_name(name.start[i]) && target.start[0] != '"')
            return false;
    if (!name.length || name.start[0] == '@' || is_digit(name.start[0]))
        return false;
    text->target = listing_intern(listing, name);
    return true;
}

/* The same text with @ for the part at place; returns the new length. */
static size_t put_mark(char *buffer, size_t length, size_t start, size_t size)
{
    memmove(buffer + start + 1, buffer + start + size, length - start - size);
    buffer[start] = '@';
    return length - size + 1;
}

static void read_alloc(struct ia64_listing *listing, struct written_text *text, const char *resolved,
                       size_t length)
{
    const char *equals = memchr(resolved, '=', length);
    int64_t values[2];
    if (!equals)
        return;
    struct words rest = {equals + 1, length - (size_t)(equals + 1 - resolved)};
    struct words first = listing_split(&rest, ',');
    if (listing_equals(first, "ar.pfs") || listing_equals(first, "ar64"))
        first = listing_split(&rest, ',');
    if (listing_evaluate(listing, first, &values[0]) &&
        listing_evaluate(listing, listing_split(&rest, ','), &values[1]) && values[0] >= 0 &&
        values[0] <= 96 && values[1] >= 0 && values[1] <= 96) {
        text->is_alloc = true;
        text->ins = (uint8_t)values[0];
        text->locals = (uint8_t)values[1];
    }
}

static void take_facts(struct ia64_listing *listing, uint32_t number, const struct ia64_facts *facts)
{
    struct listing_fact *fact = ARRAY_AT(struct listing_fact, &listing->facts, number);
    fact->slot = facts->slot;
    fact->flow = facts->flow;
    fact->is_long = facts->is_long;
    fact->is_unknown = facts->is_unknown;
    fact->complaint_start = facts->complaint_start;
    fact->complaint_length = facts->complaint_length;
    fact->complaint = facts->complaint[0] ? model_string(listing->model, facts->complaint) : 0;
}

/* GNU as also accepts mnemonics in capitals. */
static bool lower_mnemonic(char *text)
{
    char *at = text[0] == '(' && strchr(text, ')') ? strchr(text, ')') + 1 : text;
    bool is_changed = false;
    for (at += strspn(at, " "); *at && *at != ' '; at++)
        if (*at >= 'A' && *at <= 'Z') {
            *at |= 32;
            is_changed = true;
        }
    return is_changed;
}

static struct ia64_facts describe(struct ia64_listing *listing, const char *resolved)
{
    struct description *description = &listing->description;
    struct ia64_facts facts = {0};
    memset(&description->encoding, 0, sizeof description->encoding);
    description->name[0] = 0;
    description->operand_count = description->use_count = 0;
    ia64_describe(resolved, description, &facts);
    return facts;
}

/* Mnemonics known only in lower case become lower case. */
static struct ia64_facts describe_any_case(struct ia64_listing *listing, char *resolved)
{
    struct ia64_facts facts = describe(listing, resolved);
    char lowered[MOST_TEXT + 2];
    if (!facts.is_unknown)
        return facts;
    strcpy(lowered, resolved);
    if (!lower_mnemonic(lowered))
        return facts;
    struct ia64_facts again = describe(listing, lowered);
    if (again.is_unknown)
        return describe(listing, resolved);
    strcpy(resolved, lowered);
    return again;
}

/* The meaning of the text with the current names. */
static void look_at(struct ia64_listing *listing, struct written_text *text)
{
    char resolved[MOST_TEXT + 2], marked[MOST_TEXT + 2];
    size_t length = 0;
    struct words written = {text->text, text->length};
    text->has_names = listing_resolve(listing, text->text, text->length, resolved, &length);
    text->generation = listing->generation;
    if (text->number && !text->target && !text->direction &&
        !strcmp(resolved, ARRAY_AT(struct ia64_text, &listing->texts->texts, text->number)->resolved))
        return;
    struct ia64_facts facts = describe_any_case(listing, resolved);
    struct words target = {resolved + facts.target_start, facts.target_length};
    text->target = 0;
    text->direction = 0;
    if (target.length && facts.target_start + target.length <= length && take_target(listing, text, target) &&
        (text->direction || *target.start == '.')) {
        bool is_same = length == text->length && !memcmp(resolved, text->text, length);
        const char *place = is_same ? text->text + facts.target_start
                                    : memmem(text->text, text->length, target.start, target.length);
        if (place) {
            memcpy(marked, text->text, text->length);
            written.start = marked;
            written.length = put_mark(marked, text->length, (size_t)(place - text->text), target.length);
            length = put_mark(resolved, length, facts.target_start, facts.target_length);
            resolved[length] = 0;
        }
    }
    bool is_new = false;
    uint32_t number =
        number_of(listing, written, (struct words){resolved, length}, written.start == text->text, &is_new);
    if (is_new)
        take_facts(listing, number, &facts);
    if (number == text->number)
        return;
    text->number = number;
    text->is_complained = listing_fact(listing, text)->is_unknown || listing_fact(listing, text)->complaint;
    text->is_alloc = false;
    if (!strcmp(listing->description.name, "alloc"))
        read_alloc(listing, text, resolved, length);
}

static void complain(struct ia64_listing *listing, struct written_text *text, struct words raw)
{
    const struct listing_fact *fact = listing_fact(listing, text);
    const struct ia64_text *known = ARRAY_AT(struct ia64_text, &listing->texts->texts, text->number);
    size_t length = strlen(known->resolved);
    struct words word = {known->resolved, length};
    if (fact->complaint_length && (size_t)fact->complaint_start + fact->complaint_length <= length)
        word = (struct words){known->resolved + fact->complaint_start, fact->complaint_length};
    const char *at = memmem(raw.start, raw.length, word.start, word.length);
    char buffer[64];
    enum problem_kind kind = fact->is_unknown ? problem_kind_UNKNOWN : problem_kind_LISTING;
    const char *what = fact->complaint ? model_text(listing->model, fact->complaint) : "no such instruction";
    if (memmem(what, strlen(what), word.start, word.length))
        text->note = listing_note(listing, kind, at ? at : raw.start, "%s", what);
    else
        text->note =
            listing_note(listing, kind, at ? at : raw.start, "%s: '%s'", what, listing_word(buffer, word));
}

static struct written_text *find_written(struct ia64_listing *listing, const char *text, size_t length)
{
    uint64_t hash = strings_hash(text, length);
    size_t slot = SIZE_MAX;
    for (uint32_t place; (place = hash_index_next(&listing->written_index, hash, &slot)) != UINT32_MAX;) {
        struct written_text *found = ARRAY_AT(struct written_text, &listing->written, place);
        if (found->length == length && !memcmp(found->text, text, length))
            return found;
    }
    hash_index_add(&listing->written_index, hash, (uint32_t)listing->written.count);
    struct written_text *added = array_add(&listing->written);
    *added = (struct written_text){.text = keep_text(listing, text, length), .length = (uint32_t)length};
    return added;
}

struct written_text *listing_find_text(struct ia64_listing *listing, const char *text, size_t length,
                                       struct words raw)
{
    struct written_text *found = find_written(listing, text, length);
    uint32_t before = found->number;
    if (!before || (found->has_names && found->generation != listing->generation))
        look_at(listing, found);
    if (found->is_complained && found->number == before)
        listing_note_again(listing, found->note);
    else if (found->is_complained)
        complain(listing, found, raw);
    if (found->is_alloc)
        listing_set_frame(listing, found->ins, found->locals);
    return found;
}

const struct listing_fact *listing_fact(const struct ia64_listing *listing, const struct written_text *text)
{
    return ARRAY_AT(struct listing_fact, &listing->facts, text->number);
}
