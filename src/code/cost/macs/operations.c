#include "code/cost/macs/operations.h"
#include "model/elements.h"
#include "model/isa.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* A 128-bit integer is a whole register elsewhere; here each one of an access counts. */
static unsigned counted_bits(const struct encoding *encoding)
{
    return encoding->element == element_INT128 ? 128 : element_bits((enum element)encoding->element);
}

static bool is_arithmetic(unsigned class)
{
    switch (class) {
    case class_ADD:
    case class_MULTIPLY:
    case class_FMA:
    case class_DIVIDE:
    case class_SQRT:
    case class_ESTIMATE:
    case class_COMPARE:
    case class_MINMAX:
    case class_MATH:
        return true;
    default:
        return false;
    }
}

/* Numbers of an access; one for an unknown type, or a size that is not a multiple of it. */
static double elements_of(const struct encoding *encoding, unsigned bytes)
{
    unsigned bits = counted_bits(encoding);
    return bits && bytes * 8 > bits && bytes * 8 % bits == 0 ? bytes * 8.0 / bits : 1;
}

/* Instructions that have a slot come in bundles. */
static bool is_bundled(const struct encoding *encoding)
{
    return encoding->slot != slot_kind_NONE;
}

/* movups, movdqu or ldr q move whatever is in the register; only movupd is not used for anything else. */
static bool is_packed(const struct encoding *encoding)
{
    return !is_bundled(encoding) && encoding->is_vector &&
           (encoding->class == class_LOAD || encoding->class == class_STORE) &&
           !(encoding->element == element_FP64 && !encoding->is_scalable);
}

static void count_memory(const struct encoding *encoding, struct operation_counts *counts)
{
    if (encoding->class == class_PREFETCH || encoding->class == class_CALL || encoding->class == class_RETURN)
        return;
    double loaded = encoding->load_bytes ? elements_of(encoding, encoding->load_bytes) : 0;
    double stored = encoding->store_bytes ? elements_of(encoding, encoding->store_bytes) : 0;
    /* An exchange of a register with memory is one instruction for an M unit of Itanium. */
    bool is_one = is_bundled(encoding) && loaded && stored;
    counts->loads = loaded > 0;
    counts->stores = stored > 0 && !is_one;
    counts->memory = counts->loads + counts->stores;
    counts->wide_loads = loaded > 1 || (loaded && is_packed(encoding));
    counts->wide_stores = stored > 1 || (stored && is_packed(encoding));
    if (is_packed(encoding))
        counts->packed = encoding->load_bytes + encoding->store_bytes;
    else
        counts->elements = loaded + stored;
}

static void count_floating(const struct encoding *encoding, const struct machine *machine,
                           struct operation_counts *counts)
{
    unsigned bits = counted_bits(encoding);
    double lanes = encoding->is_vector && bits && encoding->vector_bits > bits
                       ? (double)encoding->vector_bits / bits
                       : 1;
    counts->floating = 1;
    counts->float_bytes = bits / 8.0;
    counts->fused = encoding->class == class_FMA;
    counts->vectors = encoding->is_vector;
    counts->flops = lanes * (encoding->class == class_FMA ? 2 : 1);
    counts->busy = machine->busy[encoding->class][encoding->element][encoding->is_vector];
}

static void count_rest(const struct encoding *encoding, struct operation_counts *counts)
{
    switch (encoding->class) {
    case class_NOP:
        counts->noops = 1;
        break;
    case class_PREFETCH:
        counts->prefetches = 1;
        break;
    case class_CONVERT:
        counts->conversions = 1;
        break;
    case class_MOVE:
    case class_SHUFFLE:
    case class_MASK:
        counts->moves = 1;
        break;
    case class_ADD:
    case class_MULTIPLY:
    case class_FMA:
    case class_DIVIDE:
    case class_COMPARE:
    case class_MINMAX:
    case class_ADDRESS:
    case class_LOGIC:
    case class_SHIFT:
    case class_BIT:
        counts->integers = 1;
        if (encoding->is_vector && is_arithmetic(encoding->class) && counted_bits(encoding)) {
            counts->lane_operations = 1;
            counts->lane_bytes = counted_bits(encoding) / 8.0;
        }
        break;
    default:
        counts->others = counts->memory == 0;
        break;
    }
}

static void count(const struct encoding *encoding, const struct machine *machine, bool is_check,
                  struct operation_counts *counts)
{
    counts->instructions = 1;
    counts->predicated = encoding->predicate != 0;
    counts->scalable = encoding->is_scalable && encoding->is_vector;
    if (encoding->is_unknown) {
        counts->unknown = 1;
        return;
    }
    count_memory(encoding, counts);
    if (is_check) {
        counts->others = 1;
    } else if (encoding->class == class_BRANCH || encoding->class == class_CALL ||
               encoding->class == class_RETURN) {
        counts->branches = 1;
        counts->calls = encoding->class == class_CALL;
    } else if (element_is_fp((enum element)encoding->element) && is_arithmetic(encoding->class)) {
        count_floating(encoding, machine, counts);
    } else {
        count_rest(encoding, counts);
    }
}

/* xor and sub of a register with itself, if the machine treats them as independent of the register. */
static bool is_zero_idiom(const struct model *model, const struct machine *machine,
                          const struct encoding *encoding, uint32_t first, uint32_t end)
{
    const struct machine_form *form = machine_form(machine, model_text(model, encoding->form));
    if (!form || !form->breaks_on_same || end - first < 2)
        return false;
    const struct operand *last = model_operand(model, end - 1), *before = model_operand(model, end - 2);
    return last->kind == operand_kind_REGISTER && before->kind == operand_kind_REGISTER &&
           last->register_ == before->register_ && last->register_;
}

static bool is_written_operand(const struct model *model, uint32_t first, uint32_t end, uint32_t register_id)
{
    for (uint32_t i = first; i < end; i++) {
        const struct operand *operand = model_operand(model, i);
        if (operand->kind == operand_kind_REGISTER && operand->register_ == register_id &&
            operand->access != access_READ)
            return true;
    }
    return false;
}

static uint32_t full_register(const struct model *model, uint32_t id)
{
    return id && id < model->registers.count ? model_register(model, id)->full : 0;
}

static void find_registers(const struct model *model, const struct encoding *encoding, uint32_t first_operand,
                           uint32_t operand_end, struct macs_operation *operation)
{
    for (uint32_t i = 0; i < operation->use_count; i++) {
        const struct register_use *use = model_register_use(model, operation->first_use + i);
        bool is_written = use->access == access_WRITE || use->access == access_BOTH;
        if (is_written && use->is_address &&
            !is_written_operand(model, first_operand, operand_end, use->register_))
            operation->writeback = full_register(model, use->register_);
    }
    if (encoding->class != class_FMA || isnan(operation->accumulate))
        return;
    /* The register that is also written, else the last one named (fmadd, madd). */
    for (uint32_t i = first_operand; i < operand_end; i++) {
        const struct operand *operand = model_operand(model, i);
        if (operand->kind != operand_kind_REGISTER)
            continue;
        if (operand->access == access_BOTH) {
            operation->accumulator = full_register(model, operand->register_);
            return;
        }
        if (operand->access == access_READ)
            operation->accumulator = full_register(model, operand->register_);
    }
}

static void find_latencies(const struct model *model, const struct encoding *encoding,
                           const struct machine *machine, struct macs_operation *operation)
{
    const char *name = model_text(model, encoding->name);
    const struct machine_instruction *special = name ? machine_instruction(machine, name) : NULL;
    operation->latency = machine->latency[encoding->class][encoding->element][encoding->is_vector];
    operation->accumulate = machine->accumulate[encoding->class][encoding->element];
    if (encoding->load_bytes && encoding->class != class_LOAD)
        operation->load_latency = machine->latency[class_LOAD][encoding->element][encoding->is_vector];
    if (special && !isnan(special->latency))
        operation->latency = special->latency;
    if (special)
        operation->ports = special->ports;
}

static void find_ports(const struct encoding *encoding, const struct machine *machine,
                       struct macs_operation *operation)
{
    if (operation->is_noop || operation->ports)
        return;
    switch (encoding->slot) {
    case slot_kind_A:
        operation->ports = machine_ports(machine, 'M') | machine_ports(machine, 'I');
        break;
    case slot_kind_M:
        operation->ports = machine_ports(machine, 'M');
        break;
    case slot_kind_I:
    case slot_kind_LX:
        operation->ports = machine_ports(machine, 'I');
        break;
    case slot_kind_F:
        operation->ports = machine_ports(machine, 'F');
        break;
    case slot_kind_B:
        operation->ports = machine_ports(machine, 'B');
        break;
    default:
        break;
    }
}

static bool writes_flags(const struct model *model, const struct macs_operation *operation)
{
    for (uint32_t i = 0; i < operation->use_count; i++) {
        const struct register_use *use = model_register_use(model, operation->first_use + i);
        if (use->access != access_READ && use->register_ < model->registers.count &&
            model_register(model, use->register_)->kind == register_kind_FLAGS)
            return true;
    }
    return false;
}

static void describe(const struct operations *operations, uint32_t id, struct macs_operation *operation)
{
    const struct model *model = operations->model;
    const struct machine *machine = operations->machine;
    const struct encoding *encoding = model_encoding(model, id);
    if (!machine_runs(machine, encoding->isa) || encoding->class >= class_COUNT ||
        encoding->element >= element_COUNT || encoding->is_vector > 1)
        return;
    uint32_t operand = array_first_not_below(&model->operands, 0, offsetof(struct operand, encoding), id),
             operand_end = operand;
    while (operand_end < model->operands.count && model_operand(model, operand_end)->encoding == id)
        operand_end++;
    operation->first_use =
        array_first_not_below(&model->register_uses, 0, offsetof(struct register_use, encoding), id);
    while (operation->first_use + operation->use_count < model->register_uses.count &&
           model_register_use(model, operation->first_use + operation->use_count)->encoding == id)
        operation->use_count++;
    operation->is_check = encoding->operation == operation_CHECK;
    count(encoding, machine, operation->is_check, &operation->counts);
    operation->is_noop = encoding->class == class_NOP;
    find_latencies(model, encoding, machine, operation);
    find_ports(encoding, machine, operation);
    find_registers(model, encoding, operand, operand_end, operation);
    operation->is_zero = is_zero_idiom(model, machine, encoding, operand, operand_end);
    operation->is_integer_load =
        encoding->class == class_LOAD && !element_is_fp((enum element)encoding->element);
    operation->is_conditional_branch = encoding->flow == flow_BRANCH;
    operation->merges = !encoding->is_vector && encoding->class != class_LOAD;
    operation->keeps_stack_pointer =
        machine->core.has_stack_engine && (encoding->class == class_PUSH || encoding->class == class_POP ||
                                           encoding->class == class_CALL || encoding->class == class_RETURN);
    operation->rotates = isa_operation_rotates((enum operation)encoding->operation);
    operation->may_fuse = (encoding->class == class_COMPARE || encoding->class == class_ADD ||
                           encoding->class == class_LOGIC) &&
                          machine->form_words.count && !encoding->store_bytes &&
                          writes_flags(model, operation);
}

void operations_begin(struct operations *operations, const struct model *model, const struct machine *machine)
{
    *operations = (struct operations){.model = model, .machine = machine};
    operations->of_encoding = memory_get((model->encodings.count + 1) * sizeof *operations->of_encoding);
}

void operations_end(struct operations *operations)
{
    free(operations->of_encoding);
    arena_free(&operations->rows);
}

const struct macs_operation *operations_of(struct operations *operations, uint32_t encoding)
{
    if (encoding >= operations->model->encodings.count)
        encoding = 0;
    struct macs_operation **place = &operations->of_encoding[encoding];
    if (!*place) {
        *place = arena_get(&operations->rows, sizeof **place);
        if (encoding)
            describe(operations, encoding, *place);
    }
    return *place;
}

void operations_settle(struct operation_counts *counts)
{
    double size = counts->floating > 0          ? counts->float_bytes / counts->floating
                  : counts->lane_operations > 0 ? counts->lane_bytes / counts->lane_operations
                                                : 0;
    if (!(counts->packed > 0))
        return;
    bool is_one_size = false;
    for (double usual = 1; usual <= 16; usual *= 2)
        is_one_size |= fabs(size - usual) < 1e-9;
    counts->elements = is_one_size ? counts->elements + counts->packed / size : NAN;
}

void operations_add(struct operation_counts *sum, const struct operation_counts *counts, double weight)
{
    double *to = (double *)sum;
    const double *from = (const double *)counts;
    for (unsigned i = 0; i < sizeof *sum / sizeof *to; i++)
        to[i] += weight * from[i];
}
