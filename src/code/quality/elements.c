/* What numbers each item works on, and how many of them at a time. The encoding says so for instructions that
   compute.  Loads, stores, moves, shuffles and logic are typed by habit only: compilers load doubles with
   movups, copy them with movdqa, and change their sign with xorps; AArch64 loads whatever it is into q
   registers.  So types go from instructions that compute along the dependences: from what made a value
   forward, and from what uses it backward.  A load is what its users take it for, a store is what made the
   stored value; where no instruction computes, the encoding's type stands. The same method finds whether one
   number or many are meant.  A packed instruction between scalars works on a scalar: xorps and andps for
   signs, cvtps2pd after unpcklps for one float.  A scalar load of 64 bits whose users take it for floats has
   two of them.  A vector of which only the lower half is stored uses that half.

   What counts as vectorisable work, and what does not:
   - Moves between registers do no work; selections by a condition do.  Zeroing and setting registers is not
   work.
   - Shuffles, masks, broadcasts and what is done with the mask of a vector in general registers (movmskpd,
     test) exist because code is vectorised: they count neither way.  A scalar load that is only there to be
     broadcast, or taken by a lane of a vector multiply, is a broadcast too.
   - A shuffle with an operand in memory (movhpd, vinsertf128, pinsrd) is a load or a store of so many bytes.
   - A gather is a vectorised load, and a scatter a vectorised store: they move a vector.
   - An integer instruction on general registers is scalar work like that of a scalar in a vector register.
     Whether it computes data or only addresses is for purposes.c to say.
   - x87 code is scalar. */
#include "model/elements.h"
#include "model/isa.h"
#include "code/quality/subject.h"

enum lanes { lanes_UNKNOWN, lanes_ONE, lanes_MANY, lanes_BOTH };
enum { ALL_BITS = UINT16_MAX };

/* What is known of a node of the dependences. */
struct typed {
    uint8_t made, wanted;             /* enum element; NONE: unknown */
    uint8_t made_lanes, wanted_lanes; /* enum lanes */
    uint16_t wanted_bits;             /* from bit 0 on; 0: all, or unknown */
    bool is_of_mask;                  /* in a general register: made of the lanes of a vector */
    bool is_raw;                      /* loaded by an instruction whose name says nothing about the type */
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
        return element_bits((enum element)row->element);
    default:
        return false;
    }
}

static enum register_kind kind_of_register(const struct typing *typing, uint32_t row)
{
    return (enum register_kind)model_register(typing->subject->model, row)->kind;
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

/* Zeroing and setting: a result that does not depend on the equal registers that it is computed from. */
static bool is_idiom(const struct subject_item *item)
{
    uint32_t first = 0;
    unsigned operation = item->row->operation, reads = 0;
    for (unsigned i = 0; i < item->operand_count; i++) {
        const struct operand *operand = &item->operands[i];
        if (operand->kind == operand_kind_MEMORY)
            return false;
        if (operand->kind == operand_kind_IMMEDIATE && operation == operation_TERNARY &&
            ((operand->value & 0xff) == 0xff || !(operand->value & 0xff)))
            return true;
        if (operand->kind != operand_kind_REGISTER || !(operand->access & access_READ))
            continue;
        if (first && first != operand->register_)
            return false;
        first = operand->register_;
        reads++;
    }
    return reads > 1 && (operation == operation_EXCLUSIVE_OR || operation == operation_AND_NOT ||
                         operation == operation_SUBTRACT || operation == operation_COMPARE_LANES);
}

/* A store of the lowest bits of a vector register. */
static bool is_low_store(const struct typing *typing, const struct subject_item *item)
{
    for (unsigned i = 0; i < item->operand_count && item->row->operation == operation_COPY; i++)
        if (item->operands[i].kind == operand_kind_REGISTER &&
            kind_of_register(typing, item->operands[i].register_) == register_kind_VECTOR)
            return item->operands[i].bits > item->row->store_bytes * 8;
    return false;
}

static struct typed *typed_at(const struct typing *typing, uint32_t node)
{
    return &typing->typed[node];
}

/* Compilers write pd where they mean doubles, and store with ps whatever it is: the shorter code. */
static bool has_word(const struct typing *typing, const struct encoding *row)
{
    return typing->is_second && (row->element == element_FP64 ||
                                 (row->class == class_LOAD && element_bits((enum element)row->element)));
}

/* Shuffles of integers are of the lanes that they move, unless floating-point numbers go through them. */
static bool moves_integers(const struct encoding *row, enum element wanted)
{
    return row->class == class_SHUFFLE && !element_is_fp((enum element)row->element) &&
           element_bits((enum element)row->element) && !element_is_fp(wanted);
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
    } else if (item->row->class == class_LOAD && kind == register_kind_VECTOR) {
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
        to->made = has_word(typing, item->row) ? item->row->element : from->made;
    to->is_raw |= from->is_raw;
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
                       : has_word(typing, item->row)                       ? item->row->element
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

/* Twice, because values go around the loop; whatever goes around twice unchanged is not a number.  Then the
   rest, by the words of their instructions. */
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
        const struct encoding *row = typing->items[typing->nodes[node].item].row;
        if (typed->made || typed->wanted)
            continue;
        if (has_word(typing, row))
            typed->made = row->element;
        else
            typed->is_raw = row->class == class_LOAD;
    }
    spread_once(typing);
}

/* How many low bits of a register its users take: complex numbers of two floats are worked on in the lower
   halves of vectors, which only the stores show. Unknown users take all bits. */
static void find_widths(const struct typing *typing)
{
    for (size_t i = typing->edge_count; i--;) {
        const struct ratio_edge *edge = &typing->edges[i];
        const struct subject_item *item = &typing->items[typing->nodes[edge->to].item];
        struct typed *from = typed_at(typing, edge->from);
        unsigned bits = typed_at(typing, edge->to)->wanted_bits;
        if (!is_number_way(edge))
            continue;
        if (item->row->class == class_STORE)
            bits = is_low_store(typing, item) ? item->row->store_bytes * 8u : ALL_BITS;
        else if (!bits || !(item->row->is_vector || item->row->class == class_MOVE) ||
                 item->row->class == class_CONVERT)
            bits = ALL_BITS;
        if (bits > from->wanted_bits)
            from->wanted_bits = (uint16_t)bits;
    }
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
        all.is_raw |= typed->is_raw;
        if (cost->access_count && resource == cost->accesses[0].base)
            continue;
        all.made = all.made ? all.made : typed->made;
        all.wanted = all.wanted ? all.wanted : typed->wanted;
        all.made_lanes |= typed->made_lanes;
        all.wanted_lanes |= typed->wanted_lanes;
        uint16_t bits = typed->wanted_bits ? typed->wanted_bits : (uint16_t)ALL_BITS;
        all.wanted_bits = bits > all.wanted_bits ? bits : all.wanted_bits;
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

/* Registers that a load fills or a store empties.  On x86 a second one is a mask. */
static unsigned data_registers(const struct typing *typing, const struct subject_item *item, bool *is_general)
{
    unsigned count = 0, vectors = 0;
    bool stores = item->vector_class == vector_class_STORE, stores_constant = false;
    bool has_many = !isa_facts((enum isa)item->row->isa)->is_x86;
    for (unsigned i = 0; i < item->operand_count; i++) {
        const struct operand *operand = &item->operands[i];
        stores_constant |= stores && operand->kind == operand_kind_IMMEDIATE;
        if (operand->kind != operand_kind_REGISTER ||
            !(operand->access & (stores ? access_READ : access_WRITE)))
            continue;
        enum register_kind kind = kind_of_register(typing, operand->register_);
        count += kind == register_kind_GENERAL;
        vectors += kind == register_kind_VECTOR;
    }
    *is_general = !vectors && (count || stores_constant);
    count = vectors ? vectors : count;
    return has_many && count ? count : 1;
}

static unsigned vector_bits(const struct typing *typing, const struct encoding *row)
{
    unsigned length = typing->subject->machine->core.vector_bits;
    return row->is_scalable && length > row->vector_bits ? length : row->vector_bits;
}

/* Whether memory has other lanes than the register: loads that extend, stores that cut. */
static bool is_resized(const struct encoding *row, unsigned bits, unsigned whole, enum element element)
{
    unsigned told = element_bits((enum element)row->element);
    return row->is_vector && bits < whole && told && told != element_bits(element);
}

/* A load of one number that only lanes of vectors use; one that goes into a lane is not. */
static bool is_lane(const struct typing *typing, const struct subject_item *item, const struct typed *typed)
{
    if (item->row->class != class_LOAD || item->is_vectorised || typed->wanted_lanes != lanes_MANY)
        return false;
    for (unsigned i = 0; i < item->operand_count; i++)
        if (item->operands[i].access == access_BOTH && item->operands[i].kind == operand_kind_REGISTER &&
            kind_of_register(typing, item->operands[i].register_) == register_kind_VECTOR)
            return false;
    return true;
}

/* Loads and stores: as many bits as go into or come from one register. */
static void describe_transfer(const struct typing *typing, struct subject_item *item,
                              const struct typed *typed, enum element element, bool *is_broadcast)
{
    const struct encoding *row = item->row;
    bool is_general;
    unsigned registers = data_registers(typing, item, &is_general);
    unsigned bytes = item->vector_class == vector_class_STORE ? row->store_bytes : row->load_bytes;
    unsigned bits = bytes / registers * 8, whole = vector_bits(typing, row);
    *is_broadcast = row->operation == operation_BROADCAST;
    if (row->is_scalable && row->vector_bits && !*is_broadcast)
        bits = bits * (whole / row->vector_bits);
    if (is_general || row->element == element_X87) {
        item->is_fp = row->element == element_X87;
        item->element_bits = item->used_bits = bits;
        return;
    }
    bool fills = *is_broadcast || row->class == class_GATHER || row->class == class_SCATTER;
    if (is_resized(row, bits, whole, element) && !fills)
        element = (enum element)row->element;
    item->is_fp = element_is_fp(element);
    item->element_bits = element_bits(element);
    item->used_bits = fills || (whole && bits > whole) ? whole : bits;
    if (item->element_bits > bits) /* a part of a number, or not what its users take it for */
        item->element_bits = bits;
    item->is_vectorised = item->element_bits ? item->used_bits > item->element_bits : row->is_vector;
    *is_broadcast |= is_lane(typing, item, typed);
}

/* Whether a packed instruction stands among scalars: its users take one number, and it was not made of
   vectors alone, which constants are. */
static bool is_among_scalars(const struct subject_item *item, const struct typed *typed)
{
    switch (item->row->class) {
    case class_LOGIC:
    case class_MOVE:
        return typed->wanted_lanes ? typed->wanted_lanes == lanes_ONE && typed->made_lanes != lanes_MANY
                                   : typed->made_lanes == lanes_ONE;
    case class_CONVERT:
        return typed->wanted_lanes == lanes_ONE && typed->made_lanes == lanes_ONE;
    default:
        return false;
    }
}

static void describe_rest(const struct typing *typing, struct subject_item *item, const struct typed *typed,
                          enum element element, enum element input)
{
    const struct encoding *row = item->row;
    item->is_fp = element_is_fp(element) || (row->class == class_CONVERT && element_is_fp(input));
    item->element_bits = element_bits(element);
    item->is_vectorised = row->is_vector && !is_among_scalars(item, typed);
    item->used_bits = item->is_vectorised ? vector_bits(typing, row) : item->element_bits;
    if (item->is_vectorised && typed->wanted_bits && typed->wanted_bits < item->used_bits &&
        item->element_bits && typed->wanted_bits >= item->element_bits) {
        item->used_bits = typed->wanted_bits;
        item->is_vectorised = item->used_bits > item->element_bits;
    }
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
               !is_idiom(item);
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
        return !typed->is_of_mask && !is_idiom(item);
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
        return !is_idiom(item);
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
static unsigned flops_of(const struct subject_item *item)
{
    const struct encoding *row = item->row;
    unsigned lanes = item->is_vectorised && item->element_bits ? item->used_bits / item->element_bits : 1;
    if (!element_is_fp((enum element)row->element) || row->operation == operation_NEGATE ||
        row->operation == operation_ABSOLUTE)
        return 0;
    /* A sum or an extreme of all lanes, which goes into one; fadda adds one more number. */
    if (lanes > 1 && item->operand_count && item->operands[0].kind == operand_kind_REGISTER &&
        item->operands[0].bits == item->element_bits &&
        (row->class == class_ADD || row->class == class_MINMAX)) {
        for (unsigned i = 1; i < item->operand_count; i++)
            if (item->operands[i].kind == operand_kind_REGISTER &&
                item->operands[i].bits == item->element_bits)
                return lanes;
        return lanes - 1;
    }
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
        if (told || (stores && typed.is_raw))
            element = told;
    }
    if (is_transfer(item))
        describe_transfer(typing, item, &typed, element, &is_broadcast);
    else
        describe_rest(typing, item, &typed, element, typing->inputs[number]);
    item->is_arithmetic = is_arithmetic(typing, item);
    item->is_vectorisable = is_work(typing, item, &typed, is_broadcast);
    item->flops = flops_of(item);
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
        typing.inputs[i] = computes(items[i].row) ? items[i].row->source_element : (uint8_t)element_NONE;
    spread(&typing);
    find_widths(&typing);
    for (unsigned i = 0; i < subject->item_count; i++)
        describe(&typing, i);
}
