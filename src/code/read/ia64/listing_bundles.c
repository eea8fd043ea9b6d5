/* Assigns slots to the instructions of IA-64 listings.

   A bundle is written in braces, with or without a template (icc, people), or as a template alone on its line
   (gcc), or not at all.  In the last case instructions fill slots one after another, and a label starts a new
   bundle.  The first instruction of a bundle makes its bytes.

   A template is checked against the kinds of the instructions as the assembler does: an instruction takes the
   next slot of its kind, and slots before it get no-ops.  Those no-ops are not instructions of the listing,
   so they get no bytes.  A stop inside a bundle must be where its template can have one: after the first slot
   of M;MI or the second of MI;I. */
#include "code/read/ia64/listing.h"

#include <math.h>
#include <string.h>

enum { SLOTS = 3 };

static void write_number(uint8_t *bytes, uint32_t number)
{
    for (unsigned i = 0; i < 4; i++)
        bytes[i] = (uint8_t)(number >> 8 * i);
}

static uint8_t *bundle_bytes(const struct ia64_listing *listing, size_t offset)
{
    return array_at(&listing_section_now(listing)->code, offset);
}

uint64_t listing_here(const struct ia64_listing *listing)
{
    if (listing->section >= listing->sections.count)
        return NO_ADDRESS;
    const struct listing_section *section = listing_section_now(listing);
    const struct listing_bundle *bundle = &listing->bundle;
    if (!section->is_code)
        return NO_ADDRESS;
    bool is_inside = bundle->kind != BUNDLE_NONE && bundle->count && bundle->count < SLOTS;
    return encode_address(listing->section,
                          is_inside ? bundle->offset + bundle->count * SLOT_BYTES : section->code.count);
}

/* A stop after the last instruction is one at the end of the bundle. */
static void settle_stops(struct ia64_listing *listing)
{
    const struct listing_bundle *bundle = &listing->bundle;
    if (!bundle->count)
        return;
    uint8_t *stops = bundle_bytes(listing, bundle->offset) + BUNDLE_STOPS;
    unsigned last = bundle->count < SLOTS ? bundle->count - 1 : SLOTS - 1;
    if (*stops >> last & 1)
        *stops = (uint8_t)((*stops & ~(1u << last)) | 4);
    if (listing->last && listing->last_bundle == bundle->offset)
        listing->last_slot = SLOTS - 1;
}

static void forget_bundle(struct ia64_listing *listing)
{
    settle_stops(listing);
    listing->bundle = (struct listing_bundle){.template_number = -1};
}

void listing_end_bundle(struct ia64_listing *listing)
{
    const struct listing_bundle *bundle = &listing->bundle;
    if (bundle->kind == BUNDLE_IMPLICIT || (bundle->kind == BUNDLE_TEMPLATE_ONLY && bundle->count))
        forget_bundle(listing);
}

static void note_unclosed(struct ia64_listing *listing)
{
    listing_note_at(listing, problem_kind_LISTING, listing->bundle.line, listing->bundle.column,
                    "a bundle that is never closed: '{'");
}

void listing_finish_bundle(struct ia64_listing *listing)
{
    if (listing->bundle.kind == BUNDLE_EXPLICIT)
        note_unclosed(listing);
    if (listing->bundle.kind != BUNDLE_NONE)
        forget_bundle(listing);
    listing->last = 0;
    listing->has_stopped = false;
}

void listing_open_bundle(struct ia64_listing *listing)
{
    if (listing->bundle.kind == BUNDLE_EXPLICIT)
        note_unclosed(listing);
    if (listing->bundle.kind != BUNDLE_NONE)
        forget_bundle(listing);
    size_t column = listing->depth ? listing->call_column : (size_t)(listing->at - listing->line_start);
    listing->bundle = (struct listing_bundle){
        .kind = BUNDLE_EXPLICIT, .template_number = -1, .line = listing->line, .column = (uint32_t)column};
}

void listing_close_bundle(struct ia64_listing *listing)
{
    if (listing->bundle.kind != BUNDLE_EXPLICIT)
        listing_note(listing, problem_kind_LISTING, listing->at, "a bundle that was never opened: '}'");
    if (listing->bundle.kind != BUNDLE_NONE)
        forget_bundle(listing);
}

static bool is_slot_letter(char c)
{
    return c && strchr("mibflx", c);
}

/* At the start of braces, a word with too many or too few letters is also taken for a template, which does
   not exist. */
bool listing_is_template(const struct ia64_listing *listing, struct words name)
{
    const struct listing_bundle *bundle = &listing->bundle;
    bool is_due = bundle->kind == BUNDLE_EXPLICIT && !bundle->count && bundle->template_number < 0;
    if (name.start[0] != '.' || (name.length != 4 && (!is_due || name.length < 2)) ||
        listing_equals(name, ".ifb"))
        return false;
    for (size_t i = 1; i < name.length; i++)
        if (!is_slot_letter(name.start[i]))
            return false;
    return true;
}

static int find_template(struct words name)
{
    if (name.length != 4)
        return -1;
    char letters[4] = {name.start[1], name.start[2], name.start[3], 0};
    bool is_long = !strcmp(letters, "mlx") || !strcmp(letters, "mli");
    for (int i = 0; i < IA64_TEMPLATES; i++)
        if (!memcmp(ia64_templates[i], letters, 3) || (is_long && ia64_templates[i][1] == 'l'))
            return i;
    return -1;
}

void listing_set_template(struct ia64_listing *listing, struct words name)
{
    int number = find_template(name);
    char word[64];
    if (number < 0)
        listing_note(listing, problem_kind_LISTING, name.start, "no such template: '%s'",
                     listing_word(word, name));
    if (listing->bundle.kind != BUNDLE_EXPLICIT) {
        if (listing->bundle.kind != BUNDLE_NONE)
            forget_bundle(listing);
        listing->bundle.kind = BUNDLE_TEMPLATE_ONLY;
    } else if (listing->bundle.count || listing->bundle.template_number >= 0) {
        listing_note(listing, problem_kind_LISTING, name.start,
                     "a template must be the first thing in its bundle: '%s'", listing_word(word, name));
        return;
    }
    listing->bundle.template_number = number;
}

static bool fits(char slot, uint8_t kind)
{
    switch (kind) {
    case slot_kind_A:
        return slot == 'm' || slot == 'i';
    case slot_kind_I:
        return slot == 'i';
    case slot_kind_M:
        return slot == 'm';
    case slot_kind_F:
        return slot == 'f';
    case slot_kind_B:
        return slot == 'b';
    case slot_kind_LX:
        return slot == 'l';
    default:
        return true;
    }
}

static bool is_stop_pending(const struct ia64_listing *listing)
{
    const struct listing_bundle *bundle = &listing->bundle;
    return bundle->count && bundle_bytes(listing, bundle->offset)[BUNDLE_STOPS] >> (bundle->count - 1) & 1;
}

/* The slot after the stop inside a bundle; 0 if its template has none. */
static unsigned slot_after_stop(int number)
{
    const char *letters = ia64_templates[number];
    return !strcmp(letters, "mmi") ? 1 : !strcmp(letters, "mii") ? 2 : 0;
}

/* The slot of the template that it takes; SLOTS if none is left. */
static unsigned find_slot(const struct ia64_listing *listing, const struct listing_fact *fact)
{
    const struct listing_bundle *bundle = &listing->bundle;
    unsigned slot = bundle->slots;
    if (bundle->template_number < 0)
        return slot;
    const char *letters = ia64_templates[bundle->template_number];
    if (is_stop_pending(listing) && slot < slot_after_stop(bundle->template_number))
        slot = slot_after_stop(bundle->template_number);
    while (slot < SLOTS && !fits(letters[slot], fact->slot))
        slot++;
    return slot;
}

static void make_bytes(struct ia64_listing *listing)
{
    struct listing_section *section = listing_section_now(listing);
    section->is_code = true;
    listing->bundle.offset = section->code.count;
    uint8_t *bytes = array_add_many(&section->code, BUNDLE_BYTES);
    bytes[BUNDLE_TEMPLATE] = (uint8_t)(listing->bundle.template_number + 1);
}

/* Only a bundle in braces can have too many instructions: after a template alone, a new bundle starts when
   the next one does not fit. */
static bool is_full(const struct listing_bundle *bundle, const struct listing_fact *fact, unsigned slot)
{
    return bundle->count >= SLOTS || bundle->slots + 1 + fact->is_long > SLOTS ||
           (bundle->count && slot >= SLOTS);
}

/* Makes room for one more; a full bundle in braces is a problem. */
static void make_room(struct ia64_listing *listing, const struct listing_fact *fact, struct words raw)
{
    struct listing_bundle *bundle = &listing->bundle;
    unsigned slot = find_slot(listing, fact);
    bool is_long_one = bundle->count && fact->is_long && bundle->slots + 2 > SLOTS;
    char word[64];
    if (bundle->kind == BUNDLE_EXPLICIT && bundle->count >= SLOTS) {
        if (!bundle->is_overfull)
            listing_note(listing, problem_kind_LISTING, raw.start,
                         "more than three instructions in a bundle: '%s'", listing_word(word, raw));
        struct listing_bundle again = *bundle;
        forget_bundle(listing);
        *bundle = (struct listing_bundle){.kind = BUNDLE_EXPLICIT,
                                          .template_number = -1,
                                          .line = again.line,
                                          .column = again.column,
                                          .is_overfull = true};
    } else if (bundle->kind == BUNDLE_NONE ||
               (bundle->kind != BUNDLE_EXPLICIT && is_full(bundle, fact, slot))) {
        if (bundle->kind != BUNDLE_NONE)
            forget_bundle(listing);
        bundle->kind = BUNDLE_IMPLICIT;
    } else if (bundle->template_number >= 0 && slot >= SLOTS) {
        listing_note(listing, problem_kind_LISTING, raw.start,
                     "this does not fit the rest of a bundle %s: '%s'",
                     ia64_templates[bundle->template_number], listing_word(word, raw));
    } else if (is_long_one) {
        listing_note(listing, problem_kind_LISTING, raw.start, "no room for a long instruction: '%s'",
                     listing_word(word, raw));
    }
}

/* A stop before the next instruction is inside the bundle. */
static void check_stop(struct ia64_listing *listing, struct words raw)
{
    const struct listing_bundle *bundle = &listing->bundle;
    char word[64];
    if (bundle->template_number >= 0 && is_stop_pending(listing) && bundle->slots < SLOTS &&
        bundle->slots > slot_after_stop(bundle->template_number))
        listing_note(listing, problem_kind_LISTING, raw.start, "a bundle %s has no stop before this: '%s'",
                     ia64_templates[bundle->template_number], listing_word(word, raw));
}

static void add_row(struct ia64_listing *listing, uint64_t address, const struct listing_fact *fact,
                    struct words raw)
{
    struct listing_instruction *row = array_push(&listing->model->listing_instructions);
    size_t column = listing->depth ? listing->call_column : (size_t)(raw.start - listing->line_start) + 1;
    *row = (struct listing_instruction){.file = listing->source->file,
                                        .line = listing->line,
                                        .column = (uint32_t)column,
                                        .cycle = NO_NUMBER,
                                        .number = NO_NUMBER,
                                        .latency = NO_NUMBER,
                                        .probability = NAN,
                                        .address = address,
                                        .program = listing->program};
    if (fact->flow != flow_NEXT && !isnan(listing->probability)) {
        row->probability = listing->probability;
        listing->probability = NAN;
    }
    listing->last = listing->last_on_line = (uint32_t)listing->model->listing_instructions.count;
    listing->has_stopped = false;
}

/* Blocks that the compiler announced, and lines of .loc, start here. */
static void mark_start(struct ia64_listing *listing, uint64_t address)
{
    struct model *model = listing->model;
    for (; listing->waiting_blocks; listing->waiting_blocks--)
        model_compiler_block(model, (uint32_t)(model->compiler_blocks.count - listing->waiting_blocks))
            ->address = address;
    if (listing->loc_line)
        listing_set_line(listing, address, listing->loc_file, listing->loc_line, listing->loc_column);
}

void listing_add_instruction(struct ia64_listing *listing, struct written_text *text, struct words raw)
{
    const struct listing_fact *fact = listing_fact(listing, text);
    struct listing_bundle *bundle = &listing->bundle;
    make_room(listing, fact, raw);
    if (!bundle->count)
        make_bytes(listing);
    check_stop(listing, raw);
    unsigned slot = find_slot(listing, fact);
    bundle->slots = (slot < SLOTS ? slot : bundle->slots) + 1 + fact->is_long;
    size_t place = bundle->offset + bundle->count * SLOT_BYTES;
    write_number(bundle_bytes(listing, place), text->number);
    uint64_t address = encode_address(listing->section, place);
    add_row(listing, address, fact, raw);
    listing->goes_on = text->text[0] == '(' ||
                       (fact->flow != flow_JUMP && fact->flow != flow_RETURN && fact->flow != flow_STOP);
    mark_start(listing, address);
    if (text->target || text->direction)
        listing_add_reference(listing, text, address);
    listing->last_bundle = bundle->offset;
    listing->open_group = bundle->offset + 1;
    listing->last_slot = bundle->count++;
    if (bundle->kind != BUNDLE_EXPLICIT && (bundle->count == SLOTS || bundle->slots >= SLOTS))
        forget_bundle(listing);
}

void listing_stop(struct ia64_listing *listing)
{
    if (!listing->last)
        return; /* the start of something */
    if (listing->has_stopped) {
        /* GCC writes several, on separate lines, around volatile accesses. */
        if (listing->bundle.kind == BUNDLE_EXPLICIT || listing->stop_line == listing->line)
            listing_note(listing, problem_kind_LISTING, listing->at - 2,
                         "a second stop at the same place: ';;'");
        return;
    }
    listing->has_stopped = true;
    listing->stop_line = listing->line;
    model_listing_instruction(listing->model, listing->last - 1)->is_stop = 1;
    bundle_bytes(listing, listing->last_bundle)[BUNDLE_STOPS] |= (uint8_t)(1u << listing->last_slot);
}

void listing_imply_stop(struct ia64_listing *listing)
{
    if (listing->open_group)
        bundle_bytes(listing, listing->open_group - 1)[BUNDLE_STOPS] |= 1u << (SLOTS - 1);
    listing->open_group = 0;
}
