/* What numbers each item works on, and how many of them at a time.

   The encoding tells it for instructions that compute.  Loads, stores, moves, shuffles and logic are typed by
   habit only: compilers load doubles with movups, copy them with movdqa, and change their sign with xorps;
   AArch64 loads whatever it is into q registers.  So types go from instructions that compute along the
   dependences: from what made a value forward, and from what uses it backward.  A load is what its users take
   it for, a store is what made the stored value; where nobody computes, the encoding's word stands.

   The same way tells whether one number or many are meant.  A packed instruction between scalars works on a
   scalar: xorps and andps for signs, cvtps2pd after unpcklps for one float.  A scalar load of 64 bits whose
   users take it for floats has two of them.

   What counts as vectorisable work, and what does not:
   - Moves between registers do no work; selections by a condition do.  Zeroing and setting registers is none.
   - Shuffles, masks, broadcasts and what is done with the mask of a vector in general registers (movmskpd,
     test) exist because code is vectorised: they count neither way.  A scalar load that is only there to be
     broadcast, or taken by a lane of a vector multiply, is a broadcast too.
   - A shuffle with an operand in memory (movhpd, vinsertf128, pinsrd) is a load or a store of so many bytes.
   - A gather is a vectorised load, and a scatter a vectorised store: they move a vector.
   - An integer instruction on general registers is scalar work like that of a scalar in a vector register.
     Whether it computes data or only addresses is for purposes.c to say.
   - x87 code is scalar. */
#include "quality/subject.h"

#include <stddef.h>
#include <string.h>

enum lanes { lanes_UNKNOWN, lanes_ONE, lanes_MANY, lanes_BOTH };

/* What is known of a node of the dependences. */
struct typed {
    uint8_t made, wanted;             /* enum element; NONE: not known */
    uint8_t made_lanes, wanted_lanes; /* enum lanes */
    bool is_of_mask;                  /* in a general register: made of the lanes of a vector */
};

struct typing {
    const struct subject *subject;
    struct subject_item *items;
    const struct cost_dependences *graph;
    const struct dependence_node *nodes;
    const struct ratio_edge *edges;
    size_t edge_count;
    struct typed *typed;
    uint8_t *inputs; /* by item: enum element of what it takes, where it computes */
    bool is_second;  /* words of instructions that do not compute count too */
};

static unsigned bits_of(enum element element)
{
    switch (element) {
    case element_INT8:
        return 8;
    case element_INT16:
    case element_FP16:
    case element_BF16:
        return 16;
    case element_INT32:
    case element_FP32:
        return 32;
    case element_INT64:
    case element_FP64:
        return 64;
    case element_X87:
        return 80;
    default: /* 128 bits are a whole register, of whatever */
        return 0;
    }
}

static bool is_fp(enum element element)
{
    return element >= element_FP16;
}

static bool computes(const struct encoding *row)
{
    switch (row->class) {
    case class_ADD:
    case class_MULTIPLY:
    case class_FMA:
    case class_DIVIDE:
    case class_SQRT:
    case class_ESTIMATE:
    case class_COMPARE:
    case class_MINMAX:
    case class_CONVERT:
    case class_MATH:
    case class_SHIFT:
    case class_BIT:
        return bits_of((enum element)row->element);
    default:
        return false;
    }
}

static const char *name_of(const struct typing *typing, const struct subject_item *item)
{
    const char *name = model_text(typing->subject->model, item->row->name);
    return name ? name : "";
}

static bool starts_with(const char *text, const char *start)
{
    return !strncmp(text, start, strlen(start));
}

static enum register_kind kind_of_register(const struct typing *typing, uint32_t row)
{
    return (enum register_kind)model_register(typing->subject->model, row)->kind;
}

/* Conversions, by what stands for the source in their names: x86 has it between cvt and 2, or behind
   pmovsx. */
static enum element x86_source(const char *name)
{
    static const struct {
        const char *word;
        enum element element;
    } words[] = {
        {"ss", element_FP32},  {"ps", element_FP32},   {"sd", element_FP64},  {"pd", element_FP64},
        {"sh", element_FP16},  {"ph", element_FP16},   {"si", element_INT32}, {"usi", element_INT32},
        {"dq", element_INT32}, {"udq", element_INT32}, {"qq", element_INT64}, {"uqq", element_INT64},
        {"w", element_INT16},  {"uw", element_INT16},  {"pi", element_INT32}, {"neps", element_FP32}};
    const char *at = name + (*name == 'v');
    if (starts_with(at, "pmovsx") || starts_with(at, "pmovzx"))
        return at[6] == 'b' ? element_INT8 : at[6] == 'w' ? element_INT16 : element_INT32;
    if (!starts_with(at, "cvt"))
        return element_NONE;
    at += 3 + (at[3] == 't');
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (starts_with(at, words[i].word) && at[strlen(words[i].word)] == '2')
            return words[i].element;
    return element_NONE;
}

static enum element number_of_bits(unsigned bits, bool is_floating)
{
    switch (bits) {
    case 8:
        return is_floating ? element_NONE : element_INT8;
    case 16:
        return is_floating ? element_FP16 : element_INT16;
    case 32:
        return is_floating ? element_FP32 : element_INT32;
    case 64:
        return is_floating ? element_FP64 : element_INT64;
    default:
        return element_NONE;
    }
}

/* AArch64 has the width in the operand of a scalar; vectors keep the width of their lanes, but for fcvtl and
   fcvtn. */
static enum element aarch64_source(const struct subject_item *item, const char *name)
{
    bool is_floating = *name == 'f' || *name == 'b';
    unsigned bits = bits_of((enum element)item->row->element);
    if (starts_with(name, "fcvtl"))
        bits /= 2;
    else if (starts_with(name, "fcvtn") && name[5] != 's' && name[5] != 'u')
        bits *= 2;
    else if (!item->row->is_vector && item->operand_count > 1)
        bits = item->operands[1].bits;
    return number_of_bits(bits, is_floating);
}

static enum element source_of(const struct typing *typing, const struct subject_item *item)
{
    if (item->row->class != class_CONVERT)
        return (enum element)item->row->element;
    const char *name = name_of(typing, item);
    return item->row->isa == isa_AARCH64 ? aarch64_source(item, name) : x86_source(name);
}

/* How many vector registers are sources, counting equal ones once. */
static unsigned distinct_sources(const struct typing *typing, const struct subject_item *item)
{
    uint32_t first = 0;
    unsigned count = 0;
    for (unsigned i = 0; i < item->operand_count; i++) {
        const struct operand *operand = &item->operands[i];
        if (operand->kind != operand_kind_REGISTER || !(operand->access & access_READ) ||
            kind_of_register(typing, operand->register_) != register_kind_VECTOR ||
            operand->register_ == first)
            continue;
        first = first ? first : operand->register_;
        count++;
    }
    return count;
}

/* Results that do not depend on the equal registers that they are computed from: xor, subtraction and
   comparison with itself; ternary logic that yields ones. */
static bool is_idiom(const struct typing *typing, const struct subject_item *item)
{
    static const char *const stems[] = {"xor",    "eor",    "pxor", "sub",   "psub",
                                        "pcmpeq", "pcmpgt", "andn", "pandn", NULL};
    const char *name = name_of(typing, item);
    const struct operand *first = NULL;
    unsigned class = item->row->class, reads = 0;
    if (class != class_LOGIC && class != class_ADD && class != class_COMPARE)
        return false;
    for (unsigned i = 0; i < item->operand_count; i++) {
        const struct operand *operand = &item->operands[i];
        if (operand->kind == operand_kind_MEMORY)
            return false;
        if (operand->kind == operand_kind_IMMEDIATE && starts_with(name, "vpternlog") &&
            (operand->value & 0xff) == 0xff)
            return true;
        if (operand->kind != operand_kind_REGISTER || !(operand->access & access_READ))
            continue;
        if (first && first->register_ != operand->register_)
            return false;
        first = operand;
        reads++;
    }
    name += *name == 'v';
    for (unsigned i = 0; reads > 1 && stems[i]; i++)
        if (starts_with(name, stems[i]))
            return true;
    return false;
}

static struct typed *typed_at(const struct typing *typing, uint32_t node)
{
    return &typing->typed[node];
}

/* Compilers write pd where they mean doubles, and ps for whatever it is: the shorter code. */
static bool has_word(const struct typing *typing, const struct encoding *row)
{
    return typing->is_second && row->element == element_FP64;
}

/* Shuffles of integers are of the lanes that they move, unless floating-point numbers go through them. */
static bool moves_integers(const struct encoding *row, enum element wanted)
{
    return row->class == class_SHUFFLE && !is_fp((enum element)row->element) &&
           bits_of((enum element)row->element) && !is_fp(wanted);
}

static bool is_number_way(const struct ratio_edge *edge)
{
    return edge->way == way_REGISTER || edge->way == way_MEMORY;
}

static enum lanes lanes_of(const struct encoding *row)
{
    return row->is_vector ? lanes_MANY : lanes_ONE;
}

/* What an instruction that computes, or puts numbers into lanes, makes. */
static void type_result(const struct typing *typing, uint32_t node)
{
    const struct subject_item *item = &typing->items[typing->nodes[node].item];
    struct typed *typed = typed_at(typing, node);
    enum register_kind kind =
        (enum register_kind)typing->subject->registers->kind[typing->nodes[node].resource];
    bool is_vector =
        item->row->is_vector && (item->row->class == class_SHUFFLE || item->row->class == class_COMPARE ||
                                 item->row->class == class_MASK);
    typed->is_of_mask = is_vector && (kind == register_kind_GENERAL || kind == register_kind_FLAGS);
    if (kind == register_kind_MASK || kind == register_kind_FLAGS)
        return;
    if (computes(item->row)) {
        typed->made = item->row->element;
        typed->made_lanes = lanes_of(item->row);
    }
}

/* Forward: what is moved stays what it is. */
static void pass_on(const struct typing *typing, const struct ratio_edge *edge)
{
    const struct typed *from = typed_at(typing, edge->from);
    struct typed *to = typed_at(typing, edge->to);
    const struct subject_item *item = &typing->items[typing->nodes[edge->to].item];
    to->is_of_mask |= from->is_of_mask;
    if (computes(item->row))
        return;
    if (!to->made)
        to->made = has_word(typing, item->row) ? (uint8_t)element_FP64 : from->made;
    if (item->row->class != class_SHUFFLE || distinct_sources(typing, item) < 2)
        to->made_lanes |= from->made_lanes;
    else
        to->made_lanes |= lanes_MANY;
}

/* Backward: a value is what its users take it for. */
static void ask_back(const struct typing *typing, const struct ratio_edge *edge)
{
    const struct typed *to = typed_at(typing, edge->to);
    struct typed *from = typed_at(typing, edge->from);
    uint32_t number = typing->nodes[edge->to].item;
    const struct subject_item *item = &typing->items[number];
    if (computes(item->row)) {
        if (!from->wanted)
            from->wanted = typing->inputs[number];
        from->wanted_lanes |= lanes_of(item->row);
        return;
    }
    if (!from->wanted)
        from->wanted = moves_integers(item->row, (enum element)to->wanted) ? item->row->element
                       : to->wanted                                        ? to->wanted
                       : has_word(typing, item->row)                       ? (uint8_t)element_FP64
                                                                           : to->wanted;
    if (item->row->class == class_SHUFFLE)
        from->wanted_lanes |=
            distinct_sources(typing, item) < 2 && item->row->is_vector ? lanes_MANY : lanes_ONE;
    else if (item->row->class == class_STORE)
        from->wanted_lanes |= lanes_of(item->row);
    else
        from->wanted_lanes |= to->wanted_lanes;
}

static void spread_once(const struct typing *typing)
{
    for (size_t i = 0; i < typing->edge_count; i++)
        if (is_number_way(&typing->edges[i]))
            pass_on(typing, &typing->edges[i]);
    for (size_t i = typing->edge_count; i--;)
        if (is_number_way(&typing->edges[i]))
            ask_back(typing, &typing->edges[i]);
}

/* Twice, because values go around the loop; whatever goes around twice unchanged is no number.  Then what is
   left, by words. */
static void spread(struct typing *typing)
{
    size_t count = typing->graph->nodes.count;
    for (size_t node = 0; node < count; node++)
        type_result(typing, (uint32_t)node);
    spread_once(typing);
    spread_once(typing);
    typing->is_second = true;
    for (size_t node = 0; node < count; node++) {
        struct typed *typed = typed_at(typing, (uint32_t)node);
        if (!typed->made && !typed->wanted && has_word(typing, typing->items[typing->nodes[node].item].row))
            typed->made = element_FP64;
    }
    spread_once(typing);
}

/* The nodes of an item that hold its numbers, taken together. */
static struct typed typed_of(const struct typing *typing, unsigned number)
{
    const uint32_t *first = typing->graph->first_nodes.data;
    struct typed all = {0};
    const struct machine_cost *cost = ARRAY_AT(struct cost_item, &typing->subject->work->items, number)->cost;
    for (uint32_t node = first[number]; node < first[number + 1]; node++) {
        const struct typed *typed = typed_at(typing, node);
        uint16_t resource = typing->nodes[node].resource;
        all.is_of_mask |= typed->is_of_mask;
        if (cost->access_count && resource == cost->accesses[0].base)
            continue;
        all.made = all.made ? all.made : typed->made;
        all.wanted = all.wanted ? all.wanted : typed->wanted;
        all.made_lanes |= typed->made_lanes;
        all.wanted_lanes |= typed->wanted_lanes;
    }
    return all;
}

static enum vector_class vector_class_of(const struct subject_item *item)
{
    switch (item->row->class) {
    case class_LOAD:
    case class_POP:
    case class_GATHER:
        return vector_class_LOAD;
    case class_STORE:
    case class_PUSH:
    case class_SCATTER:
        return vector_class_STORE;
    case class_SHUFFLE:
        return item->row->store_bytes  ? vector_class_STORE
               : item->row->load_bytes ? vector_class_LOAD
                                       : vector_class_OTHER;
    case class_ADD:
    case class_ADDRESS:
        return vector_class_ADD;
    case class_MULTIPLY:
        return vector_class_MULTIPLY;
    case class_FMA:
        return vector_class_FMA;
    case class_DIVIDE:
    case class_SQRT:
        return vector_class_DIVIDE;
    default:
        return vector_class_OTHER;
    }
}

static bool is_transfer(const struct subject_item *item)
{
    return item->vector_class == vector_class_LOAD || item->vector_class == vector_class_STORE;
}

/* Registers that a load fills or a store empties; the general and vector ones among them. */
static unsigned data_registers(const struct typing *typing, const struct subject_item *item, bool *is_general)
{
    unsigned count = 0;
    bool stores = item->vector_class == vector_class_STORE;
    *is_general = false;
    for (unsigned i = 0; i < item->operand_count; i++) {
        const struct operand *operand = &item->operands[i];
        if (operand->kind == operand_kind_IMMEDIATE)
            *is_general |= stores && !count;
        if (operand->kind != operand_kind_REGISTER ||
            !(operand->access & (stores ? access_READ : access_WRITE)))
            continue;
        enum register_kind kind = kind_of_register(typing, operand->register_);
        if (kind != register_kind_VECTOR && kind != register_kind_GENERAL)
            continue;
        *is_general = kind == register_kind_GENERAL;
        count++;
    }
    return count ? count : 1;
}

static unsigned vector_bits(const struct typing *typing, const struct encoding *row)
{
    unsigned length = typing->subject->machine->core.vector_bits;
    return row->is_scalable && length > row->vector_bits ? length : row->vector_bits;
}

/* Loads and stores: as many bits as go into or come from one register. */
static void describe_transfer(const struct typing *typing, struct subject_item *item,
                              const struct typed *typed, enum element element, bool *is_broadcast)
{
    const struct encoding *row = item->row;
    bool is_general;
    unsigned registers = data_registers(typing, item, &is_general);
    unsigned bytes = (item->vector_class == vector_class_STORE ? row->store_bytes : row->load_bytes);
    unsigned bits = bytes / registers * 8, whole = vector_bits(typing, row);
    if (row->is_scalable && row->vector_bits)
        bits = bits * (whole / row->vector_bits);
    bool is_vector_load = row->class == class_LOAD && row->is_vector && !is_general;
    *is_broadcast =
        is_vector_load && bytes * 8 < row->vector_bits && bytes * 8 == bits_of((enum element)row->element);
    if (is_general || row->element == element_X87) {
        item->is_fp = row->element == element_X87;
        item->element_bits = item->used_bits = bits;
        return;
    }
    if (*is_broadcast) /* into a vector of such elements */
        element = bits_of(element) == bytes * 8 ? element : (enum element)row->element;
    item->is_fp = is_fp(element);
    item->element_bits = bits_of(element);
    item->used_bits =
        *is_broadcast || row->class == class_GATHER || row->class == class_SCATTER ? whole : bits;
    if (whole && item->used_bits > whole)
        item->used_bits = whole;
    if (item->element_bits > item->used_bits) /* a part of a number, or not what its users take it for */
        item->element_bits = item->used_bits;
    item->is_vectorised = item->element_bits ? item->used_bits > item->element_bits : row->is_vector;
    bool is_lane = row->class == class_LOAD && !item->is_vectorised && typed->wanted_lanes == lanes_MANY;
    *is_broadcast |= is_lane;
}

/* Whether a packed instruction stands among scalars. */
static bool is_among_scalars(const struct subject_item *item, const struct typed *typed)
{
    if (item->row->class == class_LOGIC || item->row->class == class_MOVE)
        return typed->wanted_lanes == lanes_ONE || (!typed->wanted_lanes && typed->made_lanes == lanes_ONE);
    return item->row->class == class_CONVERT && typed->wanted_lanes == lanes_ONE &&
           typed->made_lanes == lanes_ONE;
}

static void describe_rest(const struct typing *typing, struct subject_item *item, const struct typed *typed,
                          enum element element, enum element input)
{
    const struct encoding *row = item->row;
    item->is_fp = is_fp(element) || (row->class == class_CONVERT && is_fp(input));
    item->element_bits = bits_of(element);
    item->is_vectorised = row->is_vector && !is_among_scalars(item, typed);
    item->used_bits = item->is_vectorised ? vector_bits(typing, row) : item->element_bits;
}

/* Moves that select by a condition do work. */
static bool is_selection(const struct typing *typing, const struct subject_item *item)
{
    for (unsigned i = 0; i < item->use_count; i++)
        if (item->uses[i].access & access_READ &&
            kind_of_register(typing, item->uses[i].register_) == register_kind_FLAGS)
            return true;
    return false;
}

static bool is_work(const struct typing *typing, const struct subject_item *item, const struct typed *typed,
                    bool is_broadcast)
{
    switch (item->row->class) {
    case class_LOAD:
        return !is_broadcast && !typed->is_of_mask;
    case class_STORE:
    case class_GATHER:
    case class_SCATTER:
        return true;
    case class_SHUFFLE:
        return is_transfer(item);
    case class_MOVE:
        return is_selection(typing, item) && !typed->is_of_mask;
    case class_COMPARE:
        return (item->element_bits || item->row->is_vector) && (!typed->is_of_mask || item->row->is_vector) &&
               !is_idiom(typing, item);
    case class_ADDRESS:
    case class_ADD:
    case class_MULTIPLY:
    case class_FMA:
    case class_DIVIDE:
    case class_SQRT:
    case class_ESTIMATE:
    case class_MINMAX:
    case class_CONVERT:
    case class_LOGIC:
    case class_SHIFT:
    case class_BIT:
    case class_MATH:
        return !typed->is_of_mask && !is_idiom(typing, item);
    default:
        return false;
    }
}

static bool is_arithmetic(const struct typing *typing, const struct subject_item *item)
{
    switch (item->row->class) {
    case class_LOGIC:
    case class_ADD:
    case class_COMPARE:
        return !is_idiom(typing, item);
    case class_ADDRESS:
    case class_CRYPTO:
        return true;
    case class_MOVE:
        return is_selection(typing, item);
    default:
        return computes(item->row);
    }
}

/* Negation and absolute value are additions by class, and logic on machines that have no instruction for
   them: no operations in either case. */
static unsigned flops_of(const struct typing *typing, const struct subject_item *item)
{
    static const char *const signs[] = {"fneg", "fabs", "fchs", NULL};
    const struct encoding *row = item->row;
    unsigned lanes = item->is_vectorised && item->element_bits ? item->used_bits / item->element_bits : 1;
    if (!is_fp((enum element)row->element))
        return 0;
    const char *name = name_of(typing, item);
    for (unsigned i = 0; signs[i]; i++)
        if (!strcmp(name, signs[i]))
            return 0;
    /* A sum or an extreme of all lanes, which goes into one. */
    if (item->is_vectorised && item->operand_count && item->operands[0].kind == operand_kind_REGISTER &&
        item->operands[0].bits == item->element_bits && lanes > 1)
        return strcmp(name, "fadda") ? lanes - 1 : lanes;
    switch (row->class) {
    case class_ADD:
    case class_MULTIPLY:
    case class_DIVIDE:
    case class_SQRT:
    case class_MINMAX:
        return lanes;
    case class_FMA:
        return 2 * lanes;
    default:
        return 0;
    }
}

static bool uses_vectors(const struct typing *typing, const struct subject_item *item)
{
    for (unsigned i = 0; i < item->operand_count; i++)
        if (item->operands[i].kind == operand_kind_REGISTER &&
            kind_of_register(typing, item->operands[i].register_) == register_kind_VECTOR)
            return true;
    return false;
}

static void describe(const struct typing *typing, unsigned number)
{
    struct subject_item *item = &typing->items[number];
    struct typed typed = typed_of(typing, number);
    enum element element = (enum element)item->row->element;
    bool is_broadcast = false;
    item->vector_class = vector_class_of(item);
    bool stores = item->vector_class == vector_class_STORE;
    if (!computes(item->row) && uses_vectors(typing, item)) {
        enum element told = stores || item->row->class == class_LOGIC
                                ? (typed.made ? typed.made : typed.wanted)
                                : (typed.wanted ? typed.wanted : typed.made);
        element = told ? told : element;
    }
    if (is_transfer(item))
        describe_transfer(typing, item, &typed, element, &is_broadcast);
    else
        describe_rest(typing, item, &typed, element, typing->inputs[number]);
    item->is_arithmetic = is_arithmetic(typing, item);
    item->is_vectorisable = is_work(typing, item, &typed, is_broadcast);
    item->flops = flops_of(typing, item);
}

void subject_find_elements(const struct subject *subject, struct subject_item *items)
{
    const struct cost_dependences *graph = &subject->work->scratch.dependences;
    struct typing typing = {.subject = subject,
                            .items = items,
                            .graph = graph,
                            .nodes = graph->nodes.data,
                            .edges = graph->edges.data,
                            .edge_count = graph->edges.count};
    typing.typed = arena_get(subject->arena, (graph->nodes.count + 1) * sizeof *typing.typed);
    typing.inputs = arena_get(subject->arena, subject->item_count + 1);
    for (unsigned i = 0; i < subject->item_count; i++)
        typing.inputs[i] = computes(items[i].row) ? (uint8_t)source_of(&typing, &items[i]) : element_NONE;
    spread(&typing);
    for (unsigned i = 0; i < subject->item_count; i++)
        describe(&typing, i);
}
