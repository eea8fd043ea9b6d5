/* What a row of encodings costs on a machine: the figures of its form, adjusted for its registers and its
   address.

   Every distinct instruction is resolved once, when it is first asked for.  Batches ask for many thousands a
   second, so nothing here searches: forms are hashed, registers are looked up in a table made at the start,
   and the rows of an encoding in operands and register_uses mostly follow those of the one before.

   Resources are numbered by the full registers of the instruction sets that the machine runs.  Flags are
   renamed in the groups that the machine file states (`flag-group`), other flags one by one.  The
   instruction pointer, segments and control registers are not resources: instructions that change them are
   rare, and wait for everything anyway. */
#include "code/machine/resolve_parts.h"

#include "base/strings.h"
#include "model/elements.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static bool is_resource(const struct machine *machine, const struct register_ *row, const char *name)
{
    if (!machine_runs(machine, row->isa) || row->kind == register_kind_POINTER ||
        row->kind == register_kind_SEGMENT || row->kind == register_kind_CONTROL)
        return false;
    /* Registers that are always zero. */
    return !name || (strcmp(name, "xzr") && strcmp(name, "wzr"));
}

static bool is_high_byte(const struct register_ *row)
{
    return row->kind == register_kind_GENERAL && row->bits == 8 && row->bit_offset == 8;
}

/* The number in a register's name, such as 17 of xmm17. */
static unsigned number_of(const char *name)
{
    size_t digits = strcspn(name, "0123456789");
    return (unsigned)strtoul(name + digits, NULL, 10);
}

static uint16_t new_resource(struct machine_costs *costs)
{
    return costs->resource_count < MOST_RESOURCES ? (uint16_t)costs->resource_count++ : RESOURCE_NONE;
}

/* The group of a flag, from 1; 0 for one that is renamed for itself. */
static unsigned flag_group(const struct machine *machine, const char *name)
{
    for (unsigned i = 0; name && i < machine->flag_count; i++)
        if (!strcmp(machine->flags[i], name))
            return machine->flag_groups[i];
    return 0;
}

static uint16_t resource_of_row(struct machine_costs *costs, uint32_t id, uint16_t groups[MOST_FLAGS + 1])
{
    const struct register_ *row = model_register(costs->model, id);
    const char *name = model_text(costs->model, row->name);
    if (row->kind == register_kind_FLAGS) {
        unsigned group = flag_group(costs->machine, name);
        if (!group)
            return new_resource(costs);
        if (!groups[group])
            groups[group] = new_resource(costs);
        return groups[group];
    }
    if (costs->machine->core.high_bytes_apart && is_high_byte(row))
        return new_resource(costs);
    if (row->full == id || row->full >= costs->register_count)
        return new_resource(costs);
    if (!costs->resource_of[row->full])
        costs->resource_of[row->full] = new_resource(costs);
    return costs->resource_of[row->full];
}

static void number_resources(struct machine_costs *costs)
{
    const struct machine *machine = costs->machine;
    uint16_t groups[2][MOST_FLAGS + 1] = {0};
    for (uint32_t id = 1; id < costs->register_count; id++) {
        const struct register_ *row = model_register(costs->model, id);
        const char *name = model_text(costs->model, row->name);
        if (!is_resource(machine, row, name))
            continue;
        if (!costs->resource_of[id])
            costs->resource_of[id] = resource_of_row(costs, id, groups[row->isa != machine->isa]);
        uint16_t resource = costs->resource_of[id];
        if (is_high_byte(row) && machine->core.high_bytes_apart && row->full < costs->register_count)
            costs->high_of[costs->resource_of[row->full]] = resource;
        if (!name)
            continue;
        for (unsigned i = 0; i < machine->hidden_count; i++)
            if (!strcmp(machine->hidden[i], name))
                costs->hidden_of[resource] |= 1ULL << (slot_HIDDEN + i);
        if (machine->core.has_stack_engine && (!strcmp(name, "rsp") || !strcmp(name, "esp")) &&
            row->full == id)
            costs->stack_pointers[row->isa != machine->isa] = resource;
        costs->is_beyond[id] = row->kind == register_kind_VECTOR && machine->core.vector_registers &&
                               number_of(name) >= machine->core.vector_registers;
    }
}

void machine_costs_begin(struct machine_costs *costs, const struct machine *machine,
                         const struct model *model)
{
    *costs =
        (struct machine_costs){.machine = machine, .model = model, .resource_count = RESOURCE_MEMORY + 1};
    costs->register_count = (unsigned)model->registers.count;
    costs->resource_of = memory_get((costs->register_count + 1) * sizeof *costs->resource_of);
    costs->is_beyond = memory_get(costs->register_count + 1);
    costs->high_of = memory_get(MOST_RESOURCES * sizeof *costs->high_of);
    costs->hidden_of = memory_get(MOST_RESOURCES * sizeof *costs->hidden_of);
    number_resources(costs);
    resolve_find_plain(costs);
}

void machine_costs_clear(struct machine_costs *costs)
{
    if (costs->of_encoding)
        memset(costs->of_encoding, 0, costs->room * sizeof *costs->of_encoding);
    costs->operand_hint = costs->use_hint = 0;
    arena_empty(&costs->rows);
}

void machine_costs_end(struct machine_costs *costs)
{
    free(costs->of_encoding);
    free(costs->resource_of);
    free(costs->is_beyond);
    free(costs->high_of);
    free(costs->hidden_of);
    array_free(&costs->plain);
    if (costs->words)
        strings_free(costs->words);
    free(costs->words);
    arena_free(&costs->rows);
    *costs = (struct machine_costs){0};
}

/* The rows of an encoding in a table that is in order of encodings: at the hint, or by search. */
static size_t rows_of(const struct array *table, size_t offset, uint32_t encoding, size_t *hint,
                      unsigned *count)
{
    size_t first = *hint;
    bool is_there = first < table->count &&
                    *(uint32_t *)((char *)array_at(table, first) + offset) == encoding &&
                    (!first || *(uint32_t *)((char *)array_at(table, first - 1) + offset) != encoding);
    if (!is_there)
        first = array_first_not_below(table, 0, offset, encoding);
    size_t end = first;
    while (end < table->count && *(uint32_t *)((char *)array_at(table, end) + offset) == encoding)
        end++;
    *count = (unsigned)(end - first);
    *hint = end;
    return first;
}

static bool has_kind(const struct cost_instruction *instruction, const struct operand *operand, unsigned kind)
{
    const struct machine_costs *costs = instruction->costs;
    return operand->kind == operand_kind_REGISTER && operand->register_ &&
           operand->register_ < costs->register_count &&
           model_register(costs->model, operand->register_)->kind == kind;
}

/* The one register that all sources of the last register's kind are, where there are at least two: so are the
   equal registers of zero idioms, in two operands and in three. */
static uint16_t same_source(const struct cost_instruction *instruction)
{
    const struct operand *last = NULL;
    for (unsigned i = 0; i < instruction->operand_count; i++)
        if (instruction->operands[i].kind == operand_kind_REGISTER &&
            instruction->operands[i].access & access_READ)
            last = &instruction->operands[i];
    if (!last || !last->register_ || last->register_ >= instruction->costs->register_count)
        return RESOURCE_NONE;
    unsigned kind = model_register(instruction->costs->model, last->register_)->kind, count = 0;
    for (unsigned i = 0; i < instruction->operand_count; i++) {
        const struct operand *operand = &instruction->operands[i];
        if (operand->kind == operand_kind_MEMORY)
            return RESOURCE_NONE;
        if (!(operand->access & access_READ) || !has_kind(instruction, operand, kind))
            continue;
        if (operand->register_ != last->register_)
            return RESOURCE_NONE;
        count++;
    }
    return count > 1 ? instruction->costs->resource_of[last->register_] : RESOURCE_NONE;
}

/* A move of a register onto itself cannot be done by renaming (uiCA). */
static bool moves_onto_itself(const struct cost_instruction *instruction)
{
    if (instruction->operand_count < 2)
        return false;
    const uint16_t *resource_of = instruction->costs->resource_of;
    const struct operand *to = &instruction->operands[0],
                         *from = &instruction->operands[instruction->operand_count - 1];
    return to->kind == operand_kind_REGISTER && from->kind == operand_kind_REGISTER &&
           to->register_ < instruction->costs->register_count &&
           from->register_ < instruction->costs->register_count &&
           resource_of[to->register_] == resource_of[from->register_];
}

static void take_run(const struct machine *machine, struct form_run run, struct machine_cost *cost)
{
    cost->ports = ARRAY_AT(struct form_ports, &machine->form_ports, run.first);
    cost->port_count = run.count;
}

static void take_form(const struct cost_instruction *instruction, struct machine_cost *cost)
{
    const struct machine_form *form = instruction->form;
    const struct machine *machine = instruction->costs->machine;
    bool is_same = instruction->same && form->has_same,
         is_indexed = instruction->is_indexed && form->has_indexed;
    cost->form = form;
    cost->fused = is_same ? form->fused_same : is_indexed ? form->fused_indexed : form->fused;
    take_run(machine, is_same ? form->ports_same : is_indexed ? form->ports_indexed : form->ports, cost);
    cost->decoded = form->decoded;
    cost->microcoded = form->microcoded;
    cost->simple_decoders = form->simple_decoders;
    cost->needs_complex_decoder = form->needs_complex_decoder;
    cost->leaves_loop_buffer = form->leaves_loop_buffer;
    cost->divider = form->divider;
    cost->load_turns = form->load_turns;
    cost->throughput = form->throughput;
    cost->chained = form->chained;
    cost->is_own_pipe = form->is_own_pipe;
    cost->domain = form->domain;
    cost->is_eliminated = form->is_eliminated && !moves_onto_itself(instruction);
    cost->is_vector_move = cost->is_eliminated && instruction->operand_count &&
                           has_kind(instruction, &instruction->operands[0], register_kind_VECTOR);
}

/* Pops of some registers need the complex decoder: their number is that of the stack pointer, which the byte
   of the opcode shows (Abel and Reineke, uiCA). */
static void slow_pop(const struct cost_instruction *instruction, struct machine_cost *cost)
{
    const struct machine_costs *costs = instruction->costs;
    const struct machine_core *core = &costs->machine->core;
    if (instruction->encoding->class != class_POP || !core->complex_pops[0] ||
        instruction->operand_count != 1 || instruction->operands[0].kind != operand_kind_REGISTER)
        return;
    uint32_t full = model_full_register(costs->model, instruction->operands[0].register_);
    const char *name = model_text(costs->model, model_register(costs->model, full)->name);
    for (unsigned i = 0; name && i < MOST_COMPLEX_POPS && core->complex_pops[i]; i++) {
        if (strcmp(name, core->complex_pops[i]))
            continue;
        cost->needs_complex_decoder = true;
        cost->simple_decoders = (uint8_t)core->complex_pop_decoders;
    }
}

/* High bytes that are renamed apart: which one it writes, and which ones must be put into their registers
   before it, where they were written last. */
static void split_registers(const struct cost_instruction *instruction, struct machine_cost *cost)
{
    const struct machine_costs *costs = instruction->costs;
    unsigned merged = 0;
    if (!costs->machine->core.high_bytes_apart)
        return;
    for (unsigned i = 0; i < instruction->use_count; i++) {
        const struct register_use *use = &instruction->uses[i];
        const struct register_ *row = model_register(costs->model, use->register_);
        if (row->kind != register_kind_GENERAL || row->full >= costs->register_count)
            continue;
        uint16_t high = costs->high_of[costs->resource_of[row->full]];
        if (!high)
            continue;
        if (is_high_byte(row) && use->access & access_WRITE)
            cost->splits = high;
        if (row->bits > 8 && use->access & access_READ && merged < MOST_MERGES)
            cost->merges[merged++] = high;
    }
}

static void add_access(struct machine_cost *cost, struct cost_access access)
{
    if (cost->access_count < MOST_ACCESSES)
        cost->accesses[cost->access_count++] = access;
}

static uint16_t resource_at(const struct machine_costs *costs, uint32_t row)
{
    return row < costs->register_count ? costs->resource_of[row] : RESOURCE_NONE;
}

static bool uses_vectors(const struct cost_instruction *instruction)
{
    for (unsigned i = 0; i < instruction->operand_count; i++)
        if (has_kind(instruction, &instruction->operands[i], register_kind_VECTOR))
            return true;
    return false;
}

/* Whether it loads two registers: two operands before the address. */
static bool loads_pair(const struct cost_instruction *instruction)
{
    unsigned registers = 0;
    for (unsigned i = 0; i < instruction->operand_count; i++) {
        const struct operand *operand = &instruction->operands[i];
        registers += operand->kind == operand_kind_REGISTER && operand->access & access_WRITE;
    }
    return instruction->encoding->class == class_LOAD && registers == 2;
}

/* Whether it fails on data that is not aligned to the bytes that it accesses: moves for aligned data, and
   instructions of SSE without VEX but for the moves for unaligned data. */
static bool needs_alignment(const struct cost_instruction *instruction, unsigned bytes)
{
    static const char *const aligned[] = {"movap", "movdqa", "movnt", "vmovap", "vmovdqa", "vmovnt"};
    static const char *const unaligned[] = {"movup", "movdqu", "lddqu"};
    enum { SSE_BYTES = 16 };
    const char *name = model_text(instruction->costs->model, instruction->encoding->name);
    if (instruction->costs->machine->isa != isa_X86_64 || !name)
        return false;
    for (size_t i = 0; i < sizeof aligned / sizeof *aligned; i++)
        if (!strncmp(name, aligned[i], strlen(aligned[i])))
            return true;
    for (size_t i = 0; i < sizeof unaligned / sizeof *unaligned; i++)
        if (!strncmp(name, unaligned[i], strlen(unaligned[i])))
            return false;
    return *name != 'v' && bytes == SSE_BYTES;
}

/* Accesses that no operand shows: through the stack pointer, through the pointers of string instructions; of
   two pointers the first is loaded from and the second stored to. */
static void add_implicit_accesses(const struct cost_instruction *instruction, struct machine_cost *cost,
                                  bool loads, bool stores)
{
    const struct encoding *encoding = instruction->encoding;
    bool is_push = encoding->class == class_PUSH || encoding->class == class_CALL;
    unsigned bases = 0;
    for (unsigned i = 0; i < instruction->value_count; i++)
        bases += instruction->values[i].is_implicit_base;
    for (unsigned i = 0; i < instruction->value_count && (loads || stores); i++) {
        const struct cost_value *value = &instruction->values[i];
        if (!value->is_implicit_base)
            continue;
        struct cost_access access = {.base = value->resource, .loads = loads, .stores = stores};
        if (bases > 1 && loads && stores)
            access.stores = false;
        access.bytes = access.stores ? encoding->store_bytes : encoding->load_bytes;
        if (is_push && access.stores)
            access.displacement = -(int64_t)encoding->store_bytes;
        add_access(cost, access);
        if (access.loads)
            loads = bases > 1 && !stores && cost->access_count < bases;
        if (access.stores)
            stores = false;
    }
}

/* Places that a gather or scatter accesses; 0 for others. */
static uint8_t lane_count(const struct encoding *encoding, unsigned bytes)
{
    unsigned element = element_bits((enum element)encoding->element) / 8;
    if (encoding->class != class_GATHER && encoding->class != class_SCATTER)
        return 0;
    return element && bytes > element ? (uint8_t)(bytes / element) : 1;
}

static void add_accesses(const struct cost_instruction *instruction, struct machine_cost *cost)
{
    const struct encoding *encoding = instruction->encoding;
    const struct machine_costs *costs = instruction->costs;
    bool loads = encoding->load_bytes, stores = encoding->store_bytes, is_vector = uses_vectors(instruction);
    bool is_pair = loads_pair(instruction);
    for (unsigned i = 0; i < instruction->operand_count; i++) {
        const struct operand *operand = &instruction->operands[i];
        if (operand->kind != operand_kind_MEMORY)
            continue;
        struct cost_access access = {.base = resource_at(costs, operand->base_register),
                                     .index = resource_at(costs, operand->index_register),
                                     .scale = operand->scale,
                                     .loads = operand->access & access_READ && loads,
                                     .stores = operand->access & access_WRITE && stores,
                                     .is_relative = operand->is_relative,
                                     .is_vector = is_vector,
                                     .is_pair = is_pair,
                                     .displacement = operand->displacement};
        if (!access.loads && !access.stores)
            continue;
        access.bytes = access.stores ? encoding->store_bytes : encoding->load_bytes;
        access.lanes = lane_count(encoding, access.bytes);
        if (operand->bits / 8 && operand->bits / 8 < access.bytes)
            access.bytes = operand->bits / 8;
        access.is_aligned = is_vector && needs_alignment(instruction, access.bytes);
        add_access(cost, access);
        loads &= !access.loads;
        stores &= !access.stores;
    }
    add_implicit_accesses(instruction, cost, loads, stores);
}

/* push, pop, call and return move the stack pointer before they are renamed; whoever reads it otherwise waits
   for a µop that puts it right (Agner Fog, stack engine). */
static void use_stack_engine(const struct cost_instruction *instruction, struct machine_cost *cost)
{
    unsigned class = instruction->encoding->class;
    uint16_t pointer =
        instruction->costs->stack_pointers[instruction->encoding->isa != instruction->costs->machine->isa];
    if (!pointer)
        return;
    for (unsigned i = 0; i < instruction->value_count; i++) {
        const struct cost_value *value = &instruction->values[i];
        if (value->resource != pointer)
            continue;
        bool is_shown = value->read_slots & 0x1fe || value->is_base || value->is_index;
        cost->uses_stack_engine =
            value->is_implicit_base && value->writes && !(value->write_slots & 0x1fe) &&
            (class == class_PUSH || class == class_POP || class == class_CALL || class == class_RETURN);
        cost->reads_stack_pointer = cost->uses_stack_engine ? is_shown : value->reads || is_shown;
    }
}

/* Everything but the rows, the form and whether the machine has it at all, which are there. */
static struct machine_cost *put_together(struct cost_instruction *instruction, const char *name,
                                         enum lack lack, const char *lacking_extension)
{
    const struct encoding *encoding = instruction->encoding;
    struct cost_value values[MOST_COST_VALUES];
    instruction->values = values;
    for (unsigned i = 0; i < instruction->operand_count; i++)
        instruction->is_indexed |= instruction->operands[i].index_register != 0;
    instruction->same = same_source(instruction);

    struct machine_cost *cost = arena_get(&instruction->costs->rows, sizeof *cost);
    *cost = (struct machine_cost){.name = name,
                                  .size = encoding->size,
                                  .opcode_offset = encoding->opcode_offset,
                                  .has_length_change = encoding->has_length_change,
                                  .is_branch = encoding->flow == flow_JUMP || encoding->flow == flow_BRANCH ||
                                               encoding->flow == flow_CALL || encoding->flow == flow_RETURN,
                                  .is_conditional = encoding->flow == flow_BRANCH,
                                  .is_call = encoding->flow == flow_CALL,
                                  .is_return = encoding->flow == flow_RETURN,
                                  .is_noop = encoding->class == class_NOP,
                                  .is_non_temporal = encoding->is_non_temporal,
                                  .is_scalable = encoding->is_scalable,
                                  .is_plain_load = encoding->class == class_LOAD,
                                  .is_plain_store = encoding->class == class_STORE,
                                  .lack = lack,
                                  .lacking_extension = lacking_extension,
                                  .is_missing = lack != lack_NONE};
    if (cost->is_missing)
        instruction->form = NULL;
    resolve_gather_values(instruction);
    add_accesses(instruction, cost);
    if (instruction->form)
        take_form(instruction, cost);
    else
        resolve_assume(instruction, cost);
    slow_pop(instruction, cost);
    split_registers(instruction, cost);
    use_stack_engine(instruction, cost);
    resolve_make_flows(instruction, cost);
    cost->step = resolve_find_step(instruction);
    return resolve_operands(instruction, cost);
}

/* Renaming adds small constants (`folds-constants`), whether the instruction encodes them in one byte or in
   four: then the form with one byte has the figures. */
static const struct machine_form *folded_form(const struct cost_instruction *instruction, const char *text)
{
    static const char four[] = " r64,i32", first[] = " rax,i32", one[] = " r64,i8";
    enum { LONGEST_FOLDED = 32 };
    const struct machine *machine = instruction->costs->machine;
    int64_t most = (int64_t)machine->core.folded_constants;
    const char *operands = text ? strchr(text, ' ') : NULL;
    if (!most || !operands || (strcmp(operands, four) && strcmp(operands, first)) ||
        instruction->operand_count < 2)
        return NULL;
    int64_t value = instruction->operands[1].value;
    char shorter[LONGEST_FOLDED];
    int length = (int)(operands - text);
    if (value < -most || value >= most || length + sizeof one > sizeof shorter)
        return NULL;
    snprintf(shorter, sizeof shorter, "%.*s%s", length, text, one);
    const struct machine_form *form = machine_form(machine, shorter);
    return form && !form->ports.count ? form : NULL;
}

static struct machine_cost *resolve(struct machine_costs *costs, uint32_t id)
{
    const struct model *model = costs->model;
    const struct encoding *encoding = model_encoding(model, id);
    struct cost_instruction instruction = {.costs = costs, .encoding = encoding};
    size_t first = rows_of(&model->operands, offsetof(struct operand, encoding), id, &costs->operand_hint,
                           &instruction.operand_count);
    instruction.operands = ARRAY_AT(struct operand, &model->operands, first);
    first = rows_of(&model->register_uses, offsetof(struct register_use, encoding), id, &costs->use_hint,
                    &instruction.use_count);
    instruction.uses = ARRAY_AT(struct register_use, &model->register_uses, first);
    if (instruction.operand_count > MOST_COST_OPERANDS)
        instruction.operand_count = MOST_COST_OPERANDS;
    const char *text = instruction.text = model_text(model, encoding->form);
    instruction.form = machine_form_nearest(costs->machine, text, &instruction.is_unmasked);
    const struct machine_form *folded = folded_form(&instruction, text);
    instruction.form = folded ? folded : instruction.form;
    const char *extension;
    enum lack lack = resolve_lack(&instruction, &extension);
    return put_together(&instruction, model_text(model, encoding->name), lack, extension);
}

const struct machine_cost *machine_cost_make(struct machine_costs *costs, const struct machine_made *made)
{
    struct encoding encoding = {.isa = (uint8_t)costs->machine->isa,
                                .size = made->size,
                                .class = (uint8_t)made->class,
                                .flow = flow_NEXT,
                                .load_bytes = made->load_bytes,
                                .store_bytes = made->store_bytes};
    struct cost_instruction instruction = {.costs = costs,
                                           .encoding = &encoding,
                                           .operands = made->operands,
                                           .operand_count = made->operand_count,
                                           .uses = made->uses,
                                           .use_count = made->use_count,
                                           .text = made->form};
    instruction.form = machine_form_nearest(costs->machine, made->form, &instruction.is_unmasked);
    if (!instruction.form || instruction.form->is_missing)
        return NULL;
    return put_together(&instruction, made->name, lack_NONE, NULL);
}

const struct machine_cost *machine_cost(struct machine_costs *costs, uint32_t encoding)
{
    if (encoding >= costs->room) {
        size_t room = costs->model->encodings.count;
        room = room > encoding ? room : (size_t)encoding + 1;
        room = room > 2 * costs->room ? room : 2 * costs->room;
        costs->of_encoding = memory_grow(costs->of_encoding, costs->room * sizeof *costs->of_encoding,
                                         room * sizeof *costs->of_encoding);
        costs->room = room;
    }
    struct machine_cost **place = &costs->of_encoding[encoding];
    if (!*place)
        *place = resolve(costs, encoding);
    return *place;
}
