/* Uses are the rows of register_uses, by unit: where an encoding names several parts of one register (ah and
   al), the unit is read if one is, and kept if all writes keep something. */
#include "code/flow/meaning.h"

#include "base/workers.h"
#include "code/flow/shapes.h"
#include "model/isa.h"

#include <stdlib.h>
#include <string.h>

struct making {
    struct flow_meanings *meanings;
    const struct model *model;
    struct array uses; /* of struct unit_use */
    size_t first;      /* of the encoding at hand */
    uint8_t what;
};

static void add_use(void *context, uint16_t unit)
{
    struct making *making = context;
    struct unit_use *uses = making->uses.data;
    for (size_t i = making->first; i < making->uses.count; i++) {
        if (uses[i].unit != unit)
            continue;
        bool kills = (uses[i].what & (USE_WRITES | USE_KEEPS)) == USE_WRITES ||
                     (making->what & (USE_WRITES | USE_KEEPS)) == USE_WRITES;
        bool keeps_little = uses[i].what & making->what & USE_KEEPS_WIDE;
        uses[i].what |= making->what;
        if (kills)
            uses[i].what &= (uint8_t)~USE_KEEPS;
        if (!keeps_little)
            uses[i].what &= (uint8_t)~USE_KEEPS_WIDE;
        return;
    }
    *(struct unit_use *)array_push(&making->uses) = (struct unit_use){unit, making->what};
}

static void add_row(struct making *making, const struct units *units, const struct register_use *row)
{
    making->what = 0;
    const struct register_ *accessed = model_register(making->model, row->register_);
    bool is_vector = accessed->kind == register_kind_VECTOR;
    if (is_vector && accessed->bits > 128)
        making->what |= USE_IS_WIDE;
    if (row->access & access_READ)
        making->what |= USE_READS;
    if (row->access & access_WRITE) {
        making->what |= USE_WRITES;
        if (row->keeps_rest || row->is_conditional)
            making->what |= USE_KEEPS;
        if (row->keeps_rest && !row->is_conditional && is_vector && accessed->bits == 128)
            making->what |= USE_KEEPS_WIDE;
    }
    /* A named bit is a unit of its own: writing it leaves nothing of it. */
    uint16_t unit = units_of(units, row->register_);
    if (unit != NO_UNIT && units->registers[unit] == row->register_ && !row->is_conditional &&
        units->bits[unit] <= 2)
        making->what &= (uint8_t)~USE_KEEPS;
    if (making->what)
        units_each(units, making->model, row->register_, add_use, making);
}

static void describe(struct making *making, uint32_t id, size_t *next_row)
{
    const struct model *model = making->model;
    const struct encoding *encoding = model_encoding(model, id);
    struct encoding_meaning *meaning = &making->meanings->encodings[id];
    const struct units *units = &making->meanings->units[encoding->isa < isa_COUNT ? encoding->isa : 0];
    *meaning =
        (struct encoding_meaning){.first_use = (uint32_t)making->uses.count,
                                  .flow = encoding->flow,
                                  .class = encoding->class,
                                  .is_conditional = encoding->predicate != 0,
                                  .is_unknown = encoding->is_unknown,
                                  .accesses_memory = encoding->load_bytes || encoding->store_bytes,
                                  .stores = encoding->store_bytes != 0,
                                  .rotates = isa_operation_rotates((enum operation)encoding->operation),
                                  .clears_rotation = encoding->operation == operation_CLEAR_ROTATION,
                                  .is_alloc = encoding->operation == operation_ALLOCATE};
    making->first = making->uses.count;
    for (; *next_row < model->register_uses.count; ++*next_row) {
        const struct register_use *row = model_register_use(model, (uint32_t)*next_row);
        if (row->encoding > id)
            break;
        if (row->encoding == id)
            add_row(making, units, row);
    }
    const struct unit_use *uses = making->uses.data;
    for (size_t i = making->first; i < making->uses.count; i++)
        if (units->kind[uses[i].unit] == register_kind_GENERAL)
            meaning->touched |= UINT64_C(1) << uses[i].unit % 64;
}

enum { ENCODINGS_AT_ONCE = 4096 };

static void shape_some(void *context, size_t item, unsigned worker)
{
    (void)worker;
    struct making *making = context;
    uint32_t first = (uint32_t)item * ENCODINGS_AT_ONCE;
    size_t left = making->model->encodings.count - first;
    shapes_make(making->meanings, making->model, first,
                first + (uint32_t)(left < ENCODINGS_AT_ONCE ? left : ENCODINGS_AT_ONCE));
}

void flow_meanings_make(struct flow_meanings *meanings, const struct model *model, unsigned threads)
{
    struct making making = {.meanings = meanings, .model = model, .uses = ARRAY_OF(struct unit_use)};
    for (unsigned isa = 0; isa < isa_COUNT; isa++)
        units_make(&meanings->units[isa], model, isa);
    size_t count = model->encodings.count, next_row = 0;
    meanings->encodings = memory_get((count + 1) * sizeof *meanings->encodings);
    meanings->shapes = memory_get((count + 1) * sizeof *meanings->shapes);
    array_reserve(&making.uses, model->register_uses.count + 1);
    for (uint32_t id = 1; id < count; id++)
        describe(&making, id, &next_row);
    meanings->encodings[count].first_use = (uint32_t)making.uses.count;
    meanings->uses = making.uses;
    workers_run(threads, (count + ENCODINGS_AT_ONCE - 1) / ENCODINGS_AT_ONCE, shape_some, &making);
}

void flow_meanings_free(struct flow_meanings *meanings)
{
    for (unsigned isa = 0; isa < isa_COUNT; isa++)
        units_free(&meanings->units[isa]);
    free(meanings->encodings);
    free(meanings->shapes);
    array_free(&meanings->uses);
}
