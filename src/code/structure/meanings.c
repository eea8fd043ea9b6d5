#include "code/structure/meanings.h"

#include "base/workers.h"

#include <stdlib.h>
#include <string.h>

enum { BATCH = 4096, FEW = 64 };

struct batch {
    const struct isa_reader *reader;
    bool is_brief;
    const struct key *keys;
    struct description *descriptions;
};

static void describe_one(void *context, size_t item, unsigned worker)
{
    struct batch *batch = context;
    (void)worker;
    struct description *description = &batch->descriptions[item];
    if (batch->is_brief && batch->reader->describe_briefly) {
        batch->reader->describe_briefly(batch->reader, &batch->keys[item], description);
        return;
    }
    memset(&description->encoding, 0, sizeof description->encoding);
    description->operand_count = description->use_count = 0;
    description->is_undefined = false;
    description->long_text = NULL;
    description->completers[0] = description->form[0] = 0;
    batch->reader->describe(batch->reader, &batch->keys[item], description);
}

static void add_registers(struct meanings *meanings, struct model *model, const struct isa_reader *reader)
{
    if (meanings->first_register[reader->isa])
        return;
    uint32_t before = model_last(&model->registers);
    meanings->first_register[reader->isa] = before + 1;
    for (unsigned number = 1; number < reader->register_count; number++) {
        const struct register_fact *fact = &reader->registers[number];
        struct register_ *row = model_add(&model->registers);
        *row = (struct register_){.isa = (uint8_t)reader->isa,
                                  .kind = fact->kind,
                                  .bits = fact->bits,
                                  .full = before + fact->full,
                                  .bit_offset = fact->bit_offset};
        row->name = model_string(model, fact->name);
    }
}

struct vocabulary *meanings_vocabulary(struct meanings *meanings, const struct isa_reader *reader)
{
    if (!meanings->vocabularies.width)
        meanings->vocabularies = ARRAY_OF(struct vocabulary);
    for (size_t i = 0; i < meanings->vocabularies.count; i++) {
        struct vocabulary *vocabulary = array_at(&meanings->vocabularies, i);
        if (vocabulary->reader == reader)
            return vocabulary;
    }
    struct vocabulary *vocabulary = array_add(&meanings->vocabularies);
    *vocabulary = (struct vocabulary){.reader = reader, .encoding_of = ARRAY_OF(uint32_t)};
    return vocabulary;
}

static uint32_t add_encoding(struct meanings *meanings, struct model *model, const struct isa_reader *reader,
                             const struct key *key, const struct description *description)
{
    uint32_t before = meanings->first_register[reader->isa] - 1;
    struct encoding *row = model_add(&model->encodings);
    *row = description->encoding;
    row->isa = (uint8_t)reader->isa;
    row->size = key->size;
    row->name = model_string(model, description->name);
    const char *text = description->long_text ? description->long_text : description->text;
    row->text = text[0] ? model_string(model, text) : 0;
    row->completers = description->completers[0] ? model_string(model, description->completers) : 0;
    row->form = description->form[0] ? model_string(model, description->form) : 0;
    row->predicate = row->predicate ? before + row->predicate : 0;
    if (row->predicate && row->flow == flow_JUMP)
        row->flow = flow_BRANCH;
    uint32_t id = model_last(&model->encodings);
    *(uint32_t *)array_add(&meanings->first_operand) = (uint32_t)model->operands.count;
    *(uint32_t *)array_add(&meanings->first_use) = (uint32_t)model->register_uses.count;
    for (unsigned i = 0; i < description->operand_count; i++) {
        struct operand *operand = model_add(&model->operands);
        *operand = description->operands[i];
        operand->encoding = id;
        operand->position = (uint8_t)(i + 1);
        operand->register_ = operand->register_ ? before + operand->register_ : 0;
        operand->base_register = operand->base_register ? before + operand->base_register : 0;
        operand->index_register = operand->index_register ? before + operand->index_register : 0;
    }
    for (unsigned i = 0; i < description->use_count; i++) {
        struct register_use *use = model_add(&model->register_uses);
        *use = description->uses[i];
        use->encoding = id;
        use->register_ += before;
    }
    return id;
}

void meanings_describe(struct meanings *meanings, struct model *model, const struct isa_reader *reader,
                       unsigned threads)
{
    struct vocabulary *vocabulary = meanings_vocabulary(meanings, reader);
    struct key_table *keys = &vocabulary->keys;
    struct array *encoding_of = &vocabulary->encoding_of;
    if (!meanings->first_operand.width) {
        meanings->first_operand = ARRAY_OF(uint32_t);
        meanings->first_use = ARRAY_OF(uint32_t);
        array_add(&meanings->first_operand); /* row 0 of encodings */
        array_add(&meanings->first_use);
    }
    add_registers(meanings, model, reader);
    size_t new_keys = keys->keys.count - encoding_of->count;
    struct batch batch = {.reader = reader, .is_brief = meanings->is_brief};
    meanings->descriptions.width = sizeof *batch.descriptions;
    array_reserve(&meanings->descriptions, new_keys < BATCH ? new_keys : BATCH);
    batch.descriptions = meanings->descriptions.data;
    while (encoding_of->count < keys->keys.count) {
        size_t from = encoding_of->count, count = keys->keys.count - from;
        if (count > BATCH)
            count = BATCH;
        batch.keys = array_at(&keys->keys, from);
        workers_run(threads, count, describe_one, &batch);
        uint32_t *encodings = array_add_many(encoding_of, count);
        for (size_t i = 0; i < count; i++)
            encodings[i] =
                batch.descriptions[i].is_undefined
                    ? 0
                    : add_encoding(meanings, model, reader, &batch.keys[i], &batch.descriptions[i]);
    }
    if (meanings->descriptions.capacity > FEW)
        array_free(&meanings->descriptions);
}

void meanings_add_text(struct model *model, const struct isa_reader *reader, const struct key *key,
                       uint32_t encoding)
{
    struct encoding *row = model_encoding(model, encoding);
    struct description description = {0};
    if (row->text)
        return;
    reader->describe(reader, key, &description);
    row->text = model_string(model, description.long_text ? description.long_text : description.text);
}

const struct operand *meanings_operands(const struct meanings *meanings, const struct model *model,
                                        uint32_t encoding, unsigned *count)
{
    uint32_t first = *ARRAY_AT(uint32_t, &meanings->first_operand, encoding);
    uint32_t end = encoding + 1 < meanings->first_operand.count
                       ? *ARRAY_AT(uint32_t, &meanings->first_operand, encoding + 1)
                       : (uint32_t)model->operands.count;
    *count = end - first;
    return model_operand(model, first);
}

const struct register_use *meanings_uses(const struct meanings *meanings, const struct model *model,
                                         uint32_t encoding, unsigned *count)
{
    uint32_t first = *ARRAY_AT(uint32_t, &meanings->first_use, encoding);
    uint32_t end = encoding + 1 < meanings->first_use.count
                       ? *ARRAY_AT(uint32_t, &meanings->first_use, encoding + 1)
                       : (uint32_t)model->register_uses.count;
    *count = end - first;
    return model_register_use(model, first);
}

void meanings_count_uses(struct model *model)
{
    for (uint32_t id = 1; id < model->code.count; id++)
        model_encoding(model, model_instruction(model, id)->encoding)->uses++;
}

void meanings_forget_keys(struct meanings *meanings)
{
    for (size_t i = 0; i < meanings->vocabularies.count; i++) {
        struct vocabulary *vocabulary = array_at(&meanings->vocabularies, i);
        key_table_free(&vocabulary->keys);
        array_free(&vocabulary->encoding_of);
    }
    array_free(&meanings->vocabularies);
}

void meanings_free(struct meanings *meanings)
{
    meanings_forget_keys(meanings);
    array_free(&meanings->descriptions);
    array_free(&meanings->first_operand);
    array_free(&meanings->first_use);
}
