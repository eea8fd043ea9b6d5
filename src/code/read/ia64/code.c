/* The decoder of IA-64 listings for code/structure/; code.h describes the bytes.

   A key is the number of the text, with a mark in its last byte that distinguishes it from keys of real IA-64
   code.  Its size is the distance to the next instruction. */
#include "code/read/ia64/code.h"

#include <stdlib.h>
#include <string.h>

enum { NUMBER_BYTES = 4, LISTING_MARK = 1 };

static uint32_t read_number(const uint8_t *bytes)
{
    return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

/* Up to the next slot in use, or to the end of the bundle. */
static size_t slot_size(const uint8_t *bytes, size_t left, size_t place)
{
    size_t rest = BUNDLE_BYTES - place;
    if (left < rest)
        rest = left;
    if (rest >= SLOT_BYTES + NUMBER_BYTES && read_number(bytes + SLOT_BYTES))
        return SLOT_BYTES;
    /* If a piece ends inside a bundle, the rest starts with the next slot. */
    return rest < SLOT_BYTES + NUMBER_BYTES && rest > SLOT_BYTES ? SLOT_BYTES : rest;
}

static bool code_step(const uint8_t *bytes, size_t left, uint64_t address, struct step *step)
{
    size_t place = address % BUNDLE_BYTES;
    if (place % SLOT_BYTES || left < NUMBER_BYTES || !read_number(bytes))
        return false;
    memset(step, 0, sizeof *step);
    memcpy(step->key.bytes, bytes, NUMBER_BYTES);
    step->key.bytes[KEY_BYTES - 1] = LISTING_MARK;
    step->key.size = (uint8_t)slot_size(bytes, left, place);
    step->target = NO_ADDRESS;
    return true;
}

static void code_describe(const struct isa_reader *reader, const struct key *key,
                          struct description *description)
{
    const struct ia64_texts *texts = reader->context;
    uint32_t number = read_number(key->bytes);
    if (!number || number >= texts->texts.count) {
        description->is_undefined = true;
        return;
    }
    const struct ia64_text *text = ARRAY_AT(struct ia64_text, &texts->texts, number);
    ia64_describe(text->resolved, description, NULL);
    size_t length = strlen(text->written);
    if (length < sizeof description->text)
        memcpy(description->text, text->written, length + 1);
    else
        description->long_text = text->written;
}

static bool code_relocated(const struct relocation *relocation, uint64_t end, uint64_t *target)
{
    (void)end;
    if (relocation->type != LISTING_TARGET || relocation->value == NO_ADDRESS)
        return false;
    *target = relocation->value + (uint64_t)relocation->addend;
    return true;
}

static void code_bundle(const uint8_t bytes[16], char template[4], uint8_t *stops)
{
    unsigned number = bytes[BUNDLE_TEMPLATE];
    memset(template, 0, 4);
    if (number && number <= IA64_TEMPLATES)
        memcpy(template, ia64_templates[number - 1], 4);
    *stops = bytes[BUNDLE_STOPS];
}

const struct isa_reader *ia64_listing_reader(struct model *model, const struct ia64_texts *texts)
{
    struct isa_reader *reader = memory_get(sizeof *reader);
    *reader = (struct isa_reader){.isa = isa_IA64,
                                  .alignment = 2,
                                  .step = code_step,
                                  .describe = code_describe,
                                  .relocated = code_relocated,
                                  .bundle = code_bundle,
                                  .registers = ia64_registers,
                                  .register_count = ia64_register_count,
                                  .context = texts};
    model_keep(model, reader, free);
    return reader;
}
