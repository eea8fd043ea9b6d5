/* Turns an item into one or more instructions on vectors.

   A number may be as wide in memory as in its register or narrower; if the instruction that makes a value and
   the one that uses it have different widths (only for integers in general registers), the value is widened
   or narrowed in between, as lanes require. A vector instruction becomes the same instruction on longer
   vectors.

   Values that the loop does not change (constants, registers from outside) are in vectors before the loop:
   they cost nothing here. Shifted sources (AArch64) and address sums (lea) are split into separate
   instructions.

   This file compares mnemonics, because machine files are asked by the text of a form and vector/forms.def
   spells forms. */
#include "code/quality/vector/forms.h"

#include "model/isa.h"
#include "code/quality/vector/emit.h"

#include <string.h>

enum { OTHER = 1, BASELINE = 128 };

static const struct vector_operation operations[] = {
#define X86 false
#define ARM true
#define OPERATION(isa, name, shape, vector, result, source, carry)                                           \
    {isa, name, shape_##shape, vector, result, source, carry_##carry},
#include "code/quality/vector/forms.def"
#undef OPERATION
#undef X86
#undef ARM
};

static const struct register_ *register_of(const struct subject *subject, uint32_t row)
{
    return model_register(subject->model, row < subject->model->registers.count ? row : 0);
}

static bool is_general(const struct subject *subject, const struct operand *operand)
{
    return operand->kind == operand_kind_REGISTER && operand->register_ &&
           register_of(subject, operand->register_)->kind == register_kind_GENERAL;
}

/* Bits of a number in an operand, if the operand shows it: vector registers are longer than a number. */
static unsigned said_bits(const struct subject *subject, const struct operand *operand)
{
    if (operand->kind == operand_kind_REGISTER && !is_general(subject, operand) && operand->bits > 64)
        return 0;
    return operand->kind == operand_kind_IMMEDIATE || operand->bits > 64 ? 0 : operand->bits;
}

static const struct operand *written_operand(const struct subject_item *item)
{
    for (unsigned i = 0; i < item->operand_count; i++)
        if (item->operands[i].access & access_WRITE && (item->operands[i].kind == operand_kind_REGISTER ||
                                                        item->operands[i].kind == operand_kind_MEMORY))
            return &item->operands[i];
    return NULL;
}

static const struct operand *memory_operand(const struct subject_item *item)
{
    for (unsigned i = 0; i < item->operand_count; i++)
        if (item->operands[i].kind == operand_kind_MEMORY)
            return &item->operands[i];
    return NULL;
}

/* Operands that are read and are values, in order. */
static unsigned list_sources(const struct subject_item *item, const struct operand *sources[8],
                             unsigned *immediates)
{
    unsigned count = 0;
    *immediates = 0;
    for (unsigned i = 0; i < item->operand_count && count < 8; i++) {
        const struct operand *operand = &item->operands[i];
        *immediates += operand->kind == operand_kind_IMMEDIATE;
        if (operand->kind == operand_kind_IMMEDIATE ||
            (operand->access & access_READ &&
             (operand->kind == operand_kind_REGISTER || operand->kind == operand_kind_MEMORY)))
            sources[count++] = operand;
    }
    return count;
}

static bool fits(const struct subject *subject, const struct subject_item *item,
                 const struct vector_operation *operation)
{
    const struct operand *sources[8], *written = written_operand(item);
    unsigned immediates, count = list_sources(item, sources, &immediates);
    unsigned said = written ? said_bits(subject, written) : 0;
    if (operation->shape == shape_SHIFT && !immediates)
        return false;
    if (operation->result > OTHER && said && said != operation->result)
        return false;
    if (operation->source > OTHER && count) {
        said = said_bits(subject, sources[count - 1]);
        if (said && said != operation->source)
            return false;
    }
    return true;
}

/* Whether the text up to a | is this name. */
static bool is_vector_name(const char *name, const char *vector)
{
    size_t length = strcspn(vector, "|?!");
    return !strncmp(name, vector, length) && !name[length] && length;
}

const struct vector_operation *vector_operation(const struct subject *subject,
                                                const struct subject_item *item)
{
    const char *name = model_text(subject->model, item->row->name);
    bool is_arm = item->row->isa == isa_AARCH64;
    if (!name || (!is_arm && isa_facts((enum isa)item->row->isa)->machine != isa_X86_64))
        return NULL;
    if (!is_arm && name[0] == 'v')
        name++;
    const struct vector_operation *longer = NULL;
    for (size_t i = 0; i < sizeof operations / sizeof *operations; i++) {
        const struct vector_operation *operation = &operations[i];
        if (operation->is_arm != is_arm)
            continue;
        if (!strcmp(operation->name, name) && fits(subject, item, operation))
            return operation;
        if (!longer && item->row->is_vector && is_vector_name(name, operation->vector))
            longer = operation;
    }
    return longer;
}

void vector_maker_begin(struct vector_maker *maker, struct altered *altered,
                        const struct vector_dialect *dialect, unsigned bits)
{
    const struct subject *subject = altered->subject;
    if (subject->made->machine != subject->machine || subject->made->model != subject->model) {
        if (subject->made->machine)
            machine_costs_end(subject->made);
        machine_costs_begin(subject->made, subject->machine, subject->model);
    }
    *maker = (struct vector_maker){.subject = subject,
                                   .altered = altered,
                                   .made = subject->made,
                                   .dialect = dialect,
                                   .bits = bits,
                                   .iterations = altered->iterations};
}

static uint16_t resource_of(const struct vector_maker *maker, uint32_t row)
{
    return row < maker->made->register_count ? maker->made->resource_of[row] : (uint16_t)RESOURCE_NONE;
}

static unsigned width_of(const struct vector_maker *maker, uint32_t row)
{
    return maker->widths[resource_of(maker, row)];
}

static void set_width(struct vector_maker *maker, uint32_t row, unsigned bits)
{
    if (resource_of(maker, row))
        maker->widths[resource_of(maker, row)] = (uint8_t)bits;
}

/* Vector instructions; copies and shuffles next to them are of whole vectors as well. */
static bool is_packed(const struct vector_maker *maker, const struct subject_item *item)
{
    unsigned class = item->row->class;
    bool goes_along = class == class_MOVE || class == class_LOGIC || class == class_SHUFFLE;
    return item->row->is_vector && (item->is_vectorised || (goes_along && maker->has_vectors));
}

static unsigned element_of(const struct vector_maker *maker, const struct subject_item *item)
{
    return item->element_bits ? item->element_bits : maker->element;
}

/* ---- Memory. ---- */

static unsigned length_place(unsigned bits)
{
    return bits <= 32 ? 0 : bits <= 64 ? 1 : bits <= 128 ? 2 : bits <= 256 ? 3 : 4;
}

static unsigned element_place(unsigned bits)
{
    return bits <= 8 ? 0 : bits <= 16 ? 1 : bits <= 32 ? 2 : 3;
}

/* A number, or a vector of the path, in memory. */
struct place {
    const struct operand *memory;
    unsigned bits;    /* of it in memory */
    unsigned element; /* bits of its elements there */
    unsigned width;   /* of an element in the register */
    bool is_signed;
    enum vector_memory way;
};

static bool rearrange(struct vector_maker *maker, unsigned item, const char *const forms[VECTOR_LENGTHS],
                      unsigned bits, unsigned element, uint32_t row)
{
    unsigned place = length_place(bits);
    struct vector_whole whole = {.form = forms[place ? place - 1 : 0],
                                 .class = class_SHUFFLE,
                                 .narrow = element,
                                 .wide = element,
                                 .bits = bits,
                                 .written = row,
                                 .read = row};
    return vector_emit_whole(maker, item, &whole);
}

/* If shuffles work within 128 bits, crossing that boundary takes one more. */
static bool shuffle(struct vector_maker *maker, unsigned item, unsigned bits, unsigned element, uint32_t row)
{
    const struct vector_dialect *dialect = maker->dialect;
    return rearrange(maker, item, dialect->shuffle, bits, element, row) &&
           (bits <= 128 || !dialect->has_borders ||
            rearrange(maker, item, dialect->reverse, bits, element, row));
}

/* Whether it is already a vector, which is loaded or stored unchanged. */
static bool is_piece(const struct vector_maker *maker, const struct place *place)
{
    return place->bits >= 128 && maker->dialect->join[length_place(256) - 1];
}

/* Vectors of the path, each loaded from its own place, then joined. */
static bool put_pieces(struct vector_maker *maker, unsigned item, const struct place *place, uint32_t row,
                       bool stores)
{
    const struct vector_dialect *dialect = maker->dialect;
    unsigned total = maker->iterations * place->bits;
    struct vector_whole whole = {.form =
                                     (stores ? dialect->stores : dialect->loads)[length_place(place->bits)],
                                 .class = stores ? class_STORE : class_LOAD,
                                 .narrow = place->element,
                                 .wide = place->element,
                                 .bits = place->bits,
                                 .memory = place->memory,
                                 .bytes = place->bits / 8,
                                 .stores = stores,
                                 .written = stores ? 0 : row,
                                 .read = stores ? row : 0};
    for (unsigned i = 0; i < maker->iterations; i++)
        if (!vector_emit_whole(maker, item, &whole))
            return false;
    for (unsigned length = 2 * place->bits; length <= maker->bits; length *= 2)
        for (unsigned i = length; i <= total; i += length)
            if (!rearrange(maker, item, stores ? dialect->split : dialect->join, length, place->element, row))
                return false;
    return true;
}

/* Lanes of 128 bits one by one, then the halves of longer vectors. */
static bool put_lanes(struct vector_maker *maker, unsigned item, const struct place *place, uint32_t row,
                      bool stores)
{
    const struct vector_dialect *dialect = maker->dialect;
    unsigned at = element_place(place->element);
    unsigned lanes = maker->iterations * place->bits / place->element, chunk = 128 / place->element;
    const char *const *joins = stores ? dialect->split : dialect->join;
    struct vector_whole whole = {.class = stores ? class_STORE : class_LOAD,
                                 .narrow = place->element,
                                 .wide = place->element,
                                 .bits = 128,
                                 .memory = place->memory,
                                 .bytes = place->element / 8,
                                 .stores = stores,
                                 .written = row};
    if (is_piece(maker, place))
        return put_pieces(maker, item, place, row, stores);
    for (unsigned lane = 0; lane < lanes; lane++) {
        bool is_first = lane % chunk == 0;
        whole.form = stores     ? is_first ? dialect->store_first[at] : dialect->store_next[at]
                         : is_first ? dialect->first_lane[at]
                                : dialect->next_lane[at];
        whole.read = stores || !is_first ? row : 0;
        whole.class = is_first || stores ? whole.class : class_SHUFFLE;
        if (!vector_emit_whole(maker, item, &whole))
            return false;
    }
    for (unsigned length = 256; length <= maker->bits; length *= 2)
        for (unsigned i = length; i <= lanes * place->element; i += length)
            if (!rearrange(maker, item, joins, length, place->element, row))
                return false;
    return true;
}

static bool put_gather(struct vector_maker *maker, unsigned item, const struct place *place, uint32_t row,
                       bool stores)
{
    const struct vector_dialect *dialect = maker->dialect;
    unsigned at = element_place(place->element);
    if (maker->iterations * place->bits != maker->bits || is_piece(maker, place))
        return put_lanes(maker, item, place, row, stores);
    struct vector_whole mask = {.form = dialect->gather_mask, .class = class_MASK, .bits = maker->bits};
    struct vector_whole whole = {.form = stores ? dialect->scatter[at] : dialect->gather[at],
                                 .class = stores ? class_SCATTER : class_GATHER,
                                 .narrow = place->element,
                                 .wide = place->element,
                                 .bits = maker->bits,
                                 .memory = place->memory,
                                 .bytes = place->element / 8,
                                 .stores = stores,
                                 .written = row,
                                 .read = stores ? row : 0};
    return (!mask.form || vector_emit_whole(maker, item, &mask)) && vector_emit_whole(maker, item, &whole);
}

static bool convert(struct vector_maker *maker, unsigned item, uint32_t row, unsigned from, unsigned to,
                    bool is_signed)
{
    const struct vector_dialect *dialect = maker->dialect;
    while (from != to) {
        bool widens = to > from;
        unsigned next = !dialect->by_steps ? to : widens ? from * 2 : from / 2;
        unsigned wide = widens ? next : from, bits = vector_total(maker, wide);
        struct vector_whole whole = {.class = class_CONVERT,
                                     .narrow = widens ? from : next,
                                     .wide = wide,
                                     .bits = dialect->by_steps && bits < 128 ? 128 : bits,
                                     .written = row,
                                     .read = row};
        bool is_done = false;
        if (widens) {
            whole.form = dialect->widen[!is_signed];
            is_done = vector_emit_whole(maker, item, &whole);
        }
        for (unsigned way = 0; !widens && !is_done && way < 2; way++) {
            whole.form = dialect->narrow[way][0];
            is_done = vector_emit_whole(maker, item, &whole);
            whole.form = dialect->narrow[way][1];
            if (is_done && whole.form && whole.bits > 128)
                is_done = vector_emit_whole(maker, item, &whole);
        }
        if (!is_done)
            return false;
        from = next;
    }
    return true;
}

static bool put_apart(struct vector_maker *maker, unsigned item, const struct place *place, bool stores)
{
    const struct vector_dialect *dialect = maker->dialect;
    unsigned at = element_place(place->element);
    struct vector_whole whole = {.form = stores ? dialect->store_first[at] : dialect->first_lane[at],
                                 .class = stores ? class_STORE : class_LOAD,
                                 .memory = place->memory,
                                 .bytes = place->element / 8,
                                 .stores = stores};
    for (unsigned i = 0; i < maker->iterations; i++)
        if (!vector_emit_whole(maker, item, &whole))
            return false;
    return true;
}

static bool load(struct vector_maker *maker, unsigned item, const struct place *place, uint32_t row)
{
    const struct vector_dialect *dialect = maker->dialect;
    unsigned bits = vector_total(maker, place->bits);
    if (place->way == memory_APART)
        return put_apart(maker, item, place, false);
    if (place->way == memory_LANES) {
        bool is_put = maker->gathers ? put_gather(maker, item, place, row, false)
                                     : put_lanes(maker, item, place, row, false);
        return is_put && convert(maker, item, row, place->element, place->width, place->is_signed);
    }
    bool widens = place->width > place->element;
    struct vector_whole whole = {.form = dialect->loads[length_place(bits)],
                                 .class = class_LOAD,
                                 .narrow = place->element,
                                 .wide = dialect->converts_in_memory ? place->width : place->element,
                                 .bits = bits,
                                 .memory = place->memory,
                                 .bytes = bits / 8 < 4 && !dialect->converts_in_memory ? 4 : bits / 8,
                                 .written = row};
    bool is_widened = false;
    if (widens && dialect->widen_memory[0]) {
        struct vector_whole both = whole;
        both.form = dialect->widen_memory[!place->is_signed];
        both.class = class_CONVERT;
        both.wide = place->width;
        both.bits = vector_total(maker, place->width);
        both.bytes = bits / 8;
        is_widened = vector_emit_whole(maker, item, &both);
    }
    if (!is_widened && !vector_emit_whole(maker, item, &whole))
        return false;
    if (widens && !is_widened && !dialect->converts_in_memory &&
        !convert(maker, item, row, place->element, place->width, place->is_signed))
        return false;
    if (place->way == memory_REVERSED)
        return rearrange(maker, item, dialect->reverse, bits, place->element, row);
    return place->way != memory_SHUFFLED || shuffle(maker, item, bits, place->element, row);
}

static bool store(struct vector_maker *maker, unsigned item, const struct place *place, uint32_t row)
{
    const struct vector_dialect *dialect = maker->dialect;
    unsigned bits = vector_total(maker, place->bits);
    if (place->way == memory_APART)
        return put_apart(maker, item, place, true);
    if (place->width > place->element && !dialect->converts_in_memory &&
        !convert(maker, item, row, place->width, place->element, false))
        return false;
    if (place->way == memory_LANES)
        return maker->gathers && dialect->scatter[element_place(place->element)]
                   ? put_gather(maker, item, place, row, true)
                   : put_lanes(maker, item, place, row, true);
    if (place->way == memory_REVERSED && !rearrange(maker, item, dialect->reverse, bits, place->element, row))
        return false;
    if (place->way == memory_SHUFFLED && !shuffle(maker, item, bits, place->element, row))
        return false;
    struct vector_whole whole = {.form = dialect->stores[length_place(bits)],
                                 .class = class_STORE,
                                 .narrow = place->element,
                                 .wide = dialect->converts_in_memory ? place->width : place->element,
                                 .bits = bits,
                                 .memory = place->memory,
                                 .bytes = bits / 8 < 4 && !dialect->converts_in_memory ? 4 : bits / 8,
                                 .stores = true,
                                 .read = row};
    return vector_emit_whole(maker, item, &whole);
}

/* Registers that a load writes or a store reads: one, or two of a pair. */
static unsigned list_moved(const struct subject_item *item, bool stores, const struct operand *moved[4])
{
    unsigned count = 0;
    for (unsigned i = 0; i < item->operand_count && count < 4; i++)
        if (item->operands[i].kind == operand_kind_REGISTER &&
            item->operands[i].access & (stores ? access_READ : access_WRITE))
            moved[count++] = &item->operands[i];
    return count;
}

static bool put_transfer(struct vector_maker *maker, unsigned item, enum vector_memory way, bool stores)
{
    const struct subject *subject = maker->subject;
    const struct subject_item *row = &subject->items[item];
    const struct operand *moved[4], *memory = memory_operand(row);
    unsigned count = list_moved(row, stores, moved);
    unsigned bytes = stores ? row->row->store_bytes : row->row->load_bytes;
    if (!memory || !bytes)
        return false;
    for (unsigned i = 0; i < (count ? count : 1); i++) {
        struct place place = {.memory = memory, .bits = bytes * 8 / (count ? count : 1), .way = way};
        uint32_t moved_row = count ? moved[i]->register_ : 0;
        bool packs = is_packed(maker, row);
        place.element = place.width = packs ? element_of(maker, row) : place.bits;
        place.is_signed = row->row->extends_sign;
        if (place.bits > 64 && !packs)
            return false;
        if (count && !packs && is_general(subject, moved[i])) {
            unsigned width = width_of(maker, moved_row);
            place.width = !stores ? moved[i]->bits : width > place.element ? width : place.element;
        }
        for (unsigned k = 0; k < vector_copies(maker, place.bits); k++)
            if (!(stores ? store : load)(maker, item, &place, moved_row))
                return false;
        if (!stores)
            set_width(maker, moved_row, place.width);
    }
    return true;
}

/* ---- Arithmetic. ---- */

/* A source, as wide as the operation needs it. */
static bool take_source(struct vector_maker *maker, unsigned item, const struct operand *operand,
                        unsigned element, unsigned bits, enum vector_memory way, bool may_be_memory,
                        struct vector_value *value)
{
    const struct subject *subject = maker->subject;
    *value = (struct vector_value){.element = element, .bits = bits};
    if (operand->kind == operand_kind_MEMORY) {
        struct place place = {
            .memory = operand, .bits = bits, .element = element, .width = element, .way = way};
        if (way == memory_WHOLE && may_be_memory && maker->dialect->takes_memory) {
            value->memory = operand;
            return true;
        }
        return load(maker, item, &place, 0);
    }
    if (operand->kind != operand_kind_REGISTER)
        return true;
    value->row = operand->register_;
    unsigned width = width_of(maker, operand->register_);
    if (is_general(subject, operand) && width && width != element &&
        !convert(maker, item, operand->register_, width, element, true))
        return false;
    if (!operand->value || !is_general(subject, operand))
        return true;
    struct vector_arithmetic shift = {.name = maker->dialect->shift,
                                      .shape = shape_SHIFT,
                                      .class = class_SHIFT,
                                      .result = {.element = element, .bits = bits},
                                      .sources = {*value},
                                      .source_count = 1};
    value->row = 0;
    return vector_emit(maker, item, &shift);
}

static uint32_t flags_row(const struct subject *subject, const struct subject_item *item, unsigned access)
{
    for (unsigned i = 0; i < item->use_count; i++)
        if (item->uses[i].access & access &&
            register_of(subject, item->uses[i].register_)->kind == register_kind_FLAGS)
            return item->uses[i].register_;
    return 0;
}

/* The sources that a shape uses: the last one for one, the first two for two. The last of four operands is
   the addend, which comes first here. */
static unsigned choose_sources(const struct subject_item *item, enum vector_shape shape,
                               const struct operand *sources[8])
{
    unsigned immediates, count = list_sources(item, sources, &immediates);
    bool is_apart = count && written_operand(item) != sources[0];
    if (shape == shape_UNARY) {
        while (count && sources[count - 1]->kind == operand_kind_IMMEDIATE)
            count--;
        if (count)
            sources[0] = sources[count - 1];
        return count ? 1 : 0;
    }
    if (shape == shape_SHIFT || shape == shape_WITH_CONSTANT)
        return count ? 1 : 0;
    if (shape == shape_FUSED && count >= 3 && is_apart) {
        const struct operand *added = sources[2];
        sources[2] = sources[1];
        sources[1] = sources[0];
        sources[0] = added;
    }
    return count < MOST_VECTOR_SOURCES ? count : shape == shape_FUSED ? MOST_VECTOR_SOURCES : 2;
}

/* Element bits of result and sources of a scalar operation. */
static void find_widths(const struct vector_maker *maker, const struct subject_item *item,
                        const struct vector_operation *operation, const struct operand *const *sources,
                        unsigned count, unsigned *result, unsigned *source)
{
    const struct operand *written = written_operand(item);
    unsigned said = written ? said_bits(maker->subject, written) : 0;
    *result = operation->result > OTHER ? operation->result : said;
    *source = operation->source > OTHER ? operation->source : 0;
    for (unsigned i = 0; i < count && !*source && operation->source != OTHER; i++)
        *source = said_bits(maker->subject, sources[i]);
    if (!*source)
        *source = *result;
    if (!*result)
        *result = *source;
    if (!*result)
        *result = *source = element_of(maker, item);
}

/* One step of an operation: two sources, or a shift or shuffle of one. */
static bool emit_step(struct vector_maker *maker, unsigned item, const struct vector_arithmetic *whole,
                      const char *name, struct vector_value one, struct vector_value other, uint32_t result)
{
    struct vector_arithmetic step = {.name = name,
                                     .shape = strcmp(name, "psrlq") ? shape_BINARY : shape_SHIFT,
                                     .class = whole->class,
                                     .result = whole->result,
                                     .sources = {one, other},
                                     .source_count = 2};
    step.result.row = result;
    return vector_emit(maker, item, &step);
}

/* The baseline of x86-64 is SSE2: a selection takes three operations on bits, a product of 32-bit integers
   seven instructions, and 64-bit integers cannot be compared. */
static bool emit_for_baseline(struct vector_maker *maker, unsigned item,
                              const struct vector_arithmetic *whole)
{
    const struct vector_value *sources = whole->sources;
    struct vector_value none = sources[0], result = whole->result, mask = sources[0];
    none.row = 0;
    none.memory = NULL;
    mask.row = whole->mask;
    mask.memory = NULL;
    if (whole->shape == shape_SELECT) {
        struct vector_value first = sources[0];
        first.memory = NULL;
        return emit_step(maker, item, whole, "pand", first, mask, result.row) &&
               emit_step(maker, item, whole, "pandn", mask, sources[1], 0) &&
               emit_step(maker, item, whole, "por", result, none, result.row);
    }
    if (!strcmp(whole->name, "pcmpgt?") && sources[0].element == 64)
        return false;
    if (strcmp(whole->name, "pmull?") || sources[0].element != 32)
        return vector_emit(maker, item, whole);
    return emit_step(maker, item, whole, "pmuludq", sources[0], sources[1], result.row) &&
           emit_step(maker, item, whole, "psrlq", none, none, 0) &&
           emit_step(maker, item, whole, "psrlq", none, none, 0) &&
           emit_step(maker, item, whole, "pmuludq", none, none, 0) &&
           emit_step(maker, item, whole, "punpckldq", none, none, 0) &&
           emit_step(maker, item, whole, "punpckldq", none, none, 0) &&
           emit_step(maker, item, whole, "punpckldq", result, none, result.row);
}

static bool put_arithmetic(struct vector_maker *maker, unsigned item,
                           const struct vector_operation *operation, const char *name,
                           enum vector_shape shape, enum vector_memory way)
{
    const struct subject_item *row = &maker->subject->items[item];
    const struct operand *sources[8], *written = written_operand(row);
    unsigned count = choose_sources(row, shape, sources), result, source;
    bool packs = is_packed(maker, row);
    if (packs) {
        result = source = element_of(maker, row);
    } else {
        find_widths(maker, row, operation, sources, count, &result, &source);
    }
    unsigned vector = packs ? row->row->vector_bits : 0;
    struct vector_arithmetic arithmetic = {.name = name,
                                           .shape = shape,
                                           .class = (enum class)row->row->class,
                                           .result = {.element = result, .bits = vector ? vector : result},
                                           .source_count = count};
    for (unsigned k = 0; k < vector_copies(maker, vector ? vector : source); k++) {
        for (unsigned i = 0; i < MOST_VECTOR_SOURCES; i++)
            arithmetic.sources[i] =
                (struct vector_value){.element = source, .bits = vector ? vector : source};
        for (unsigned i = 0; i < count; i++)
            if (!take_source(maker, item, sources[i], source, vector ? vector : source, way, i == count - 1,
                             &arithmetic.sources[i]))
                return false;
        bool to_memory = written && written->kind == operand_kind_MEMORY;
        arithmetic.result.row = shape == shape_COMPARE && !written
                                    ? flags_row(maker->subject, row, access_WRITE)
                                : written && !to_memory ? written->register_
                                                        : 0;
        if (shape == shape_SELECT)
            arithmetic.mask = flags_row(maker->subject, row, access_READ);
        bool is_baseline = !maker->dialect->is_arm && maker->dialect->bits == BASELINE && !packs;
        if (!(is_baseline ? emit_for_baseline : vector_emit)(maker, item, &arithmetic))
            return false;
        struct place place = {.memory = written,
                              .bits = vector ? vector : result,
                              .element = result,
                              .width = result,
                              .way = way};
        if (to_memory && !store(maker, item, &place, 0))
            return false;
    }
    if (written && written->kind == operand_kind_REGISTER)
        set_width(maker, written->register_, result);
    return true;
}

/* lea: additions, and a shift where the index is scaled. */
static bool put_sum(struct vector_maker *maker, unsigned item)
{
    const struct subject_item *row = &maker->subject->items[item];
    const struct operand *written = written_operand(row), *address = NULL;
    for (unsigned i = 0; i < row->operand_count; i++)
        if (row->operands[i].kind == operand_kind_ADDRESS)
            address = &row->operands[i];
    if (!written || !address || address->is_relative)
        return false;
    unsigned element = written->bits;
    struct vector_value base = {address->base_register, NULL, element, element},
                        index = {address->index_register, NULL, element, element},
                        sum = {written->register_, NULL, element, element};
    struct vector_arithmetic add = {.name = maker->dialect->shift,
                                    .shape = shape_SHIFT,
                                    .class = class_ADD,
                                    .result = {.element = element, .bits = element},
                                    .sources = {index},
                                    .source_count = 1};
    if (address->index_register && address->scale > 1) {
        add.result.row = base.row ? 0 : sum.row;
        if (!vector_emit(maker, item, &add))
            return false;
        index.row = add.result.row;
    }
    add.name = maker->dialect->add;
    add.shape = shape_BINARY;
    add.result = sum;
    add.source_count = 2;
    add.sources[0] = base.row ? base : index;
    add.sources[1] = base.row ? index : (struct vector_value){0, NULL, element, element};
    if (address->base_register && address->index_register && !vector_emit(maker, item, &add))
        return false;
    if (address->base_register && address->index_register)
        add.sources[0] = sum;
    add.sources[1] = (struct vector_value){0, NULL, element, element};
    set_width(maker, written->register_, element);
    return !address->displacement || vector_emit(maker, item, &add);
}

static bool put_move(struct vector_maker *maker, unsigned item, enum vector_memory way)
{
    const struct subject *subject = maker->subject;
    const struct subject_item *row = &subject->items[item];
    const struct operand *sources[8], *written = written_operand(row);
    unsigned immediates, count = list_sources(row, sources, &immediates);
    static const struct vector_operation selection = {.shape = shape_SELECT};
    if (flags_row(subject, row, access_READ))
        return put_arithmetic(maker, item, &selection, maker->dialect->select, shape_SELECT, way);
    if (!written || written->kind != operand_kind_REGISTER)
        return false;
    const struct operand *source = count ? sources[count - 1] : NULL;
    if (!source || source->kind != operand_kind_REGISTER || !source->register_)
        return true; /* a constant */
    unsigned from = width_of(maker, source->register_);
    struct vector_whole copy = {.form = maker->dialect->copy,
                                .class = class_MOVE,
                                .narrow = maker->element,
                                .wide = maker->element,
                                .bits = maker->bits,
                                .written = written->register_,
                                .read = source->register_};
    if (!vector_emit_whole(maker, item, &copy))
        return false;
    if (is_general(subject, written) && is_general(subject, source) && written->bits > source->bits) {
        unsigned width = from ? from : source->bits;
        if (width < written->bits &&
            !convert(maker, item, written->register_, width, written->bits, row->row->extends_sign))
            return false;
        from = written->bits > width ? written->bits : width;
    }
    set_width(maker, written->register_, from);
    return true;
}

/* A vector instruction that vector/forms.def lacks becomes the same instruction on longer vectors. */
static bool put_longer(struct vector_maker *maker, unsigned item, enum vector_memory way)
{
    const struct subject_item *row = &maker->subject->items[item];
    const struct operand *sources[8];
    const char *name = model_text(maker->subject->model, row->row->name);
    static const struct vector_operation any = {0};
    unsigned immediates, count = list_sources(row, sources, &immediates);
    if (!name || row->row->is_masked || count - immediates > 3 || count == immediates)
        return false;
    if (name[0] == 'v' && maker->dialect->prefix[0] == 'v')
        name++;
    enum vector_shape shape = count - immediates == 1   ? shape_UNARY
                              : count - immediates == 2 ? shape_BINARY
                                                        : shape_FUSED;
    return put_arithmetic(maker, item, &any, name, shape, way);
}

bool vector_put(struct vector_maker *maker, unsigned item, enum vector_memory memory)
{
    const struct subject_item *row = &maker->subject->items[item];
    if (row->row->class == class_LOAD || row->row->class == class_STORE)
        return put_transfer(maker, item, memory, row->row->class == class_STORE);
    const struct vector_operation *operation = vector_operation(maker->subject, row);
    if (operation && operation->shape == shape_SUM)
        return put_sum(maker, item);
    if (operation && operation->shape == shape_SELECT)
        return put_arithmetic(maker, item, operation, maker->dialect->select, shape_SELECT, memory);
    if (operation)
        return put_arithmetic(maker, item, operation, operation->vector, operation->shape, memory);
    if (row->row->class == class_MOVE)
        return put_move(maker, item, memory);
    return row->row->is_vector && put_longer(maker, item, memory);
}

bool vector_put_overhead(struct vector_maker *maker, unsigned item)
{
    struct vector_whole whole = {.form = maker->dialect->each_iteration, .class = class_MASK};
    return !whole.form || vector_emit_whole(maker, item, &whole);
}

bool vector_put_counter(struct vector_maker *maker, unsigned item)
{
    struct vector_value value = {.element = maker->element, .bits = maker->element};
    struct vector_arithmetic add = {.name = maker->dialect->add,
                                    .shape = shape_BINARY,
                                    .class = class_ADD,
                                    .result = value,
                                    .sources = {value, value},
                                    .source_count = 2};
    return vector_emit(maker, item, &add);
}
