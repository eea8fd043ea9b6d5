/* Nodes for AArch64.

   An event needs a register for its address (`to`) and one to compute with (`with`).  What is not free is
   pushed, because signals may overwrite what lies below the stack pointer.  Flags are never changed. */
#include "run/probe/nodes/parts.h"

#include "runtime/probe/record_file.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { SP = PROBE_AARCH64_SP, LINK = 30, ROOM = 16 };

struct node {
    struct node_text *text;
    struct probe_free_registers free;
    uint32_t taken;
    uint8_t pushed[4];
    unsigned pushed_count;
};

static bool is_free(const struct node *node, unsigned number)
{
    return node->free.general >> number & 1;
}

/* A register for the node, free if there is one; never one of `avoid`, x18 (the platform's), x29 or x30. */
static unsigned choose(struct node *node, uint32_t avoid)
{
    uint32_t barred = avoid | node->taken | 1u << 18 | 1u << 29 | 1u << LINK | 1u << SP;
    unsigned found = 17;
    for (unsigned must_be_free = 1; must_be_free < 2; must_be_free--) {
        for (found = 17; found && (barred >> found & 1 || (must_be_free && !is_free(node, found))); found--)
            ;
        if (found)
            break;
    }
    node->taken |= 1u << found;
    if (!is_free(node, found))
        node->pushed[node->pushed_count++] = (uint8_t)found;
    return found;
}

static void adjust(struct node_text *text, int bytes)
{
    if (text->place.has_cfi && text->place.is_cfa_stack)
        node_line(text, "\t.cfi_adjust_cfa_offset %d", bytes);
}

static void push_registers(struct node *node)
{
    for (unsigned i = 0; i < node->pushed_count; i += 2) {
        if (i + 1 < node->pushed_count)
            node_line(node->text, "\tstp\tx%u, x%u, [sp, #-16]!", node->pushed[i], node->pushed[i + 1]);
        else
            node_line(node->text, "\tstr\tx%u, [sp, #-16]!", node->pushed[i]);
        adjust(node->text, ROOM);
    }
}

static void pop_registers(struct node *node)
{
    for (unsigned i = (node->pushed_count + 1) / 2 * 2; i; i -= 2) {
        if (i <= node->pushed_count)
            node_line(node->text, "\tldp\tx%u, x%u, [sp], #16", node->pushed[i - 2], node->pushed[i - 1]);
        else
            node_line(node->text, "\tldr\tx%u, [sp], #16", node->pushed[i - 2]);
        adjust(node->text, -ROOM);
    }
}

/* By how much the stack pointer is lower than the program's. */
static int shift_of(const struct node *node)
{
    return (int)(node->pushed_count + 1) / 2 * ROOM;
}

/* Values */

static uint32_t registers_of(const struct probe_source *source)
{
    bool has_base = source->kind == PROBE_FROM_GENERAL || source->kind == PROBE_FROM_ADDRESS ||
                    source->kind == PROBE_FROM_MEMORY;
    bool has_index = source->kind == PROBE_FROM_ADDRESS || source->kind == PROBE_FROM_MEMORY;
    uint32_t registers = has_base && source->base < SP ? 1u << source->base : 0;
    return registers | (has_index && source->index < SP ? 1u << source->index : 0);
}

static void add_constant(struct node_text *text, unsigned to, unsigned from, int64_t constant)
{
    uint64_t size = constant < 0 ? 0 - (uint64_t)constant : (uint64_t)constant;
    const char *name = constant < 0 ? "sub" : "add";
    if (from == SP)
        node_line(text, "\tmov\tx%u, sp", to);
    else if (from != to && !size)
        node_line(text, "\tmov\tx%u, x%u", to, from);
    from = from == SP || !size ? to : from;
    if (size & 0xfff) {
        node_line(text, "\t%s\tx%u, x%u, #%u", name, to, from, (unsigned)(size & 0xfff));
        from = to;
    }
    if (size >> 12)
        node_line(text, "\t%s\tx%u, x%u, #%u, lsl #12", name, to, from, (unsigned)(size >> 12));
}

static bool can_take(const struct probe_source *source)
{
    int64_t displacement = source->displacement;
    bool is_known = displacement > -(1 << 24) && displacement < 1 << 24;
    if (source->kind == PROBE_FROM_PLACE || source->kind == PROBE_FROM_PLACE_MEMORY)
        return false;
    return source->kind == PROBE_FROM_CLOCK || source->kind == PROBE_FROM_GENERAL ||
           source->kind == PROBE_FROM_VECTOR || is_known;
}

static unsigned shift_for(unsigned scale)
{
    unsigned shift = 0;
    while (scale >> shift > 1)
        shift++;
    return shift;
}

/* `with` gets base + index * scale + displacement. */
static void load_address(struct node *node, const struct probe_source *source, unsigned with)
{
    int64_t displacement = source->displacement + (source->base == SP ? shift_of(node) : 0);
    static const char *const extensions[] = {"lsl", "uxtw", "sxtw"};
    if (source->base <= SP)
        add_constant(node->text, with, source->base, displacement);
    else {
        node_line(node->text, "\tmov\tx%u, #0", with);
        add_constant(node->text, with, with, displacement);
    }
    if (source->index < SP)
        node_line(node->text, "\tadd\tx%u, x%u, %c%u, %s #%u", with, with,
                  source->extend == PROBE_WHOLE ? 'x' : 'w', source->index, extensions[source->extend],
                  shift_for(source->scale));
}

static void load_memory(struct node *node, const struct probe_source *source, unsigned with)
{
    static const char *const plain[] = {[1] = "ldrb", [2] = "ldrh", [4] = "ldr", [8] = "ldr"};
    static const char *const extended[] = {[1] = "ldrsb", [2] = "ldrsh", [4] = "ldrsw", [8] = "ldr"};
    unsigned bytes = source->bytes <= 1 ? 1 : source->bytes <= 2 ? 2 : source->bytes <= 4 ? 4 : 8;
    bool is_wide = source->is_signed || bytes == 8;
    uint32_t null = source->may_be_null ? node_label(node->text) : 0;
    if (null) {
        node_line(node->text, "\tmov\tx%u, #0", with);
        node_line(node->text, "\tcbz\tx%u, .Lassay_%u", source->base, null);
    }
    load_address(node, source, with);
    node_line(node->text, "\t%s\t%c%u, [x%u]", source->is_signed ? extended[bytes] : plain[bytes],
              is_wide ? 'x' : 'w', with, with);
    if (null)
        node_line(node->text, ".Lassay_%u:", null);
}

/* The address of a thread-local word into `with`; `other` is used. */
static void load_local(struct node_text *text, const char *name, unsigned with, unsigned other)
{
    node_line(text, "\tadrp\tx%u, :gottprel:%s", with, name);
    node_line(text, "\tldr\tx%u, [x%u, #:gottprel_lo12:%s]", with, with, name);
    node_line(text, "\tmrs\tx%u, tpidr_el0", other);
    node_line(text, "\tadd\tx%u, x%u, x%u", with, with, other);
}

/* `sum` gets the counter, `with` its address. */
static void load_counter(struct node *node, uint32_t counter, unsigned with, unsigned sum)
{
    load_local(node->text, NODE_COUNTERS, with, sum);
    add_constant(node->text, with, with, 8 * (int64_t)counter);
    node_line(node->text, "\tldr\tx%u, [x%u]", sum, with);
}

/* The position in `to` is past the event already. */
static void store_value(struct node *node, const struct probe_source *source, unsigned to, unsigned with,
                        unsigned sum)
{
    switch (source->kind) {
    case PROBE_FROM_CLOCK:
        node_line(node->text, "\tmrs\tx%u, cntvct_el0", with);
        break;
    case PROBE_FROM_GENERAL:
        if (source->base != SP)
            with = source->base;
        else
            add_constant(node->text, with, SP, shift_of(node));
        break;
    case PROBE_FROM_VECTOR:
        node_line(node->text, "\tstur\td%u, [x%u, #-8]", source->base, to);
        return;
    case PROBE_FROM_MEMORY:
        load_memory(node, source, with);
        break;
    case PROBE_FROM_COUNTER:
        load_counter(node, source->counter, with, sum);
        add_constant(node->text, sum, sum, source->displacement);
        with = sum;
        break;
    default:
        load_address(node, source, with);
    }
    node_line(node->text, "\tstur\tx%u, [x%u, #-8]", with, to);
}

static void call_when_full(struct node *node, unsigned to)
{
    struct node_text *text = node->text;
    uint32_t label = node_label(text);
    bool must_keep = !is_free(node, LINK);
    node_line(text, "\ttbz\tx%u, #%d, .Lassay_%u", to, PROBE_BUFFER_BIT, label);
    if (must_keep) {
        node_line(text, "\tstr\tx30, [sp, #-16]!");
        adjust(text, ROOM);
    }
    node_line(text, "\tbl\t" NODE_FULL);
    if (must_keep) {
        node_line(text, "\tldr\tx30, [sp], #16");
        adjust(text, -ROOM);
    }
    node_line(text, ".Lassay_%u:", label);
}

static void write_identity(struct node_text *text, const struct probe_action *action, unsigned to,
                           unsigned with)
{
    node_line(text, "\tadrp\tx%u, " NODE_BASE, with);
    node_line(text, "\tldr\tw%u, [x%u, #:lo12:" NODE_BASE "]", with, with);
    add_constant(text, with, with, action->identity);
    node_line(text, "\tstur\tw%u, [x%u, #-16]", with, to);
}

/* `with` gets a register, a counter or an address; `sum` is used. */
static void load_value(struct node *node, const struct probe_source *source, unsigned with, unsigned sum)
{
    struct probe_source address = *source;
    if (source->kind == PROBE_FROM_COUNTER) {
        load_counter(node, source->counter, sum, with);
        add_constant(node->text, with, with, source->displacement);
        return;
    }
    if (source->kind == PROBE_FROM_GENERAL)
        address.index = PROBE_NO_REGISTER;
    load_address(node, &address, with);
}

static void write_keep(struct node *node, const struct probe_action *action)
{
    uint32_t read = registers_of(&action->source);
    unsigned with = choose(node, read), to = choose(node, read), sum = choose(node, read);
    push_registers(node);
    load_value(node, &action->source, with, sum);
    load_local(node->text, NODE_COUNTERS, to, sum);
    add_constant(node->text, to, to, 8 * (int64_t)action->counter);
    node_line(node->text, "\tstr\tx%u, [x%u]", with, to);
    pop_registers(node);
}

/* The position past the next place into `to`.  A signal handler may have used that place while the position
   was moving on: then the one after is tried. */
static void take_place(struct node_text *text, unsigned to, unsigned with)
{
    uint32_t again = node_label(text);
    node_line(text, ".Lassay_%u:", again);
    load_local(text, "assay_probe_position", with, to);
    node_line(text, "\tldr\tx%u, [x%u]", to, with);
    node_line(text, "\tadd\tx%u, x%u, #16", to, to);
    node_line(text, "\tstr\tx%u, [x%u]", to, with);
    node_line(text, "\tldur\tw%u, [x%u, #-16]", with, to);
    node_line(text, "\tcbnz\tw%u, .Lassay_%u", with, again);
}

static void write_event(struct node *node, const struct probe_action *action)
{
    const struct probe_source *source = &action->source;
    struct node_text *text = node->text;
    bool reads_late = source->kind == PROBE_FROM_CLOCK && (action->identity & 15) == PROBE_ENTER;
    bool is_tally = action->kind == PROBE_DO_TALLY;
    bool is_counter = source->kind == PROBE_FROM_COUNTER || is_tally;
    unsigned to = choose(node, registers_of(source)), with = choose(node, registers_of(source));
    unsigned sum = is_counter ? choose(node, registers_of(source)) : with;
    push_registers(node);
    if (is_tally) { /* how far it moved since the entry */
        load_value(node, source, sum, to);
        load_counter(node, action->counter, with, to);
        node_line(text, "\tsub\tx%u, x%u, x%u", sum, sum, to);
    }
    take_place(text, to, with);
    if (is_tally)
        node_line(text, "\tstur\tx%u, [x%u, #-8]", sum, to);
    else if (!reads_late)
        store_value(node, source, to, with, sum);
    write_identity(text, action, to, with);
    add_constant(text, with, SP, shift_of(node));
    node_line(text, "\tlsr\tx%u, x%u, #%d", with, with, PROBE_STACK_SHIFT);
    node_line(text, "\tstur\tw%u, [x%u, #-12]", with, to);
    if (reads_late)
        store_value(node, source, to, with, sum);
    call_when_full(node, to);
    pop_registers(node);
}

static void write_count(struct node *node, uint32_t counter)
{
    unsigned with = choose(node, 0), sum = choose(node, 0);
    push_registers(node);
    load_counter(node, counter, with, sum);
    node_line(node->text, "\tadd\tx%u, x%u, #1", sum, sum);
    node_line(node->text, "\tstr\tx%u, [x%u]", sum, with);
    pop_registers(node);
}

static bool write_action(struct node_text *text, const struct probe_action *action,
                         const struct probe_free_registers *free)
{
    struct node node = {.text = text, .free = *free};
    switch (action->kind) {
    case PROBE_DO_EVENT:
        if (!can_take(&action->source) || action->identity >= 1u << 24)
            return false;
        write_event(&node, action);
        return true;
    case PROBE_DO_TALLY:
    case PROBE_DO_KEEP:
        if (!can_take(&action->source) || action->source.kind == PROBE_FROM_CLOCK ||
            action->source.kind == PROBE_FROM_VECTOR || action->source.kind == PROBE_FROM_MEMORY ||
            action->identity >= 1u << 24)
            return false;
        if (action->kind == PROBE_DO_KEEP)
            write_keep(&node, action);
        else
            write_event(&node, action);
        return true;
    case PROBE_DO_COUNT:
        write_count(&node, action->counter);
        return true;
    case PROBE_DO_INCREMENT:
        node_line(text, "\tadd\tx%u, x%u, #1", action->register_, action->register_);
        return true;
    case PROBE_DO_CLEAR:
        node_line(text, "\tmov\tx%u, #0", action->register_);
        return true;
    default:
        return false;
    }
}

/* Branches */

static bool is_name(const char *text, size_t length, const char *name)
{
    return length == strlen(name) && !strncasecmp(text, name, length);
}

static const char *opposite_condition(const char *condition, size_t length)
{
    static const char *const conditions[][2] = {
        {"eq", "ne"},       {"cs", "cc"},       {"hs", "lo"},      {"mi", "pl"},    {"vs", "vc"},
        {"hi", "ls"},       {"ge", "lt"},       {"gt", "le"},      {"none", "any"}, {"nlast", "last"},
        {"first", "nfrst"}, {"pmore", "plast"}, {"tcont", "tstop"}};
    for (unsigned i = 0; i < sizeof conditions / sizeof *conditions; i++)
        for (unsigned side = 0; side < 2; side++)
            if (is_name(condition, length, conditions[i][side]))
                return conditions[i][!side];
    return NULL;
}

/* Compare-and-branch: other name, same operands but the last. */
static bool write_with_operands(struct node_text *text, const char *name, const char *operands, size_t length,
                                uint32_t label)
{
    while (length && operands[length - 1] != ',')
        length--;
    if (!length || length > 200)
        return false;
    node_line(text, "\t%s%.*s .Lassay_%u", name, (int)length, operands, label);
    return true;
}

static bool write_opposite(struct node_text *text, const char *statement, size_t length, uint32_t label)
{
    static const char *const tests[][2] = {{"cbz", "cbnz"}, {"tbz", "tbnz"}};
    size_t size = 0;
    while (size < length && statement[size] != ' ' && statement[size] != '\t')
        size++;
    for (unsigned i = 0; i < 2; i++)
        for (unsigned side = 0; side < 2; side++)
            if (is_name(statement, size, tests[i][side]))
                return write_with_operands(text, tests[i][!side], statement + size, length - size, label);
    size_t at = size > 3 && !strncasecmp(statement, "bc.", 3) ? 3 : size > 1 && statement[1] == '.' ? 2 : 1;
    const char *opposite = size > at && (*statement == 'b' || *statement == 'B')
                               ? opposite_condition(statement + at, size - at)
                               : NULL;
    if (opposite)
        node_line(text, "\tb.%s\t.Lassay_%u", opposite, label);
    return opposite != NULL;
}

static void jump(struct node_text *text, uint32_t label)
{
    node_line(text, "\tb\t.Lassay_%u", label);
}

static void begin_main(struct node_text *text)
{
    node_line(text, "\tstp\tx0, x1, [sp, #-32]!");
    if (text->place.has_cfi)
        node_line(text, "\t.cfi_adjust_cfa_offset 32");
    node_line(text, "\tstp\tx2, x30, [sp, #16]");
    if (text->place.has_cfi)
        node_line(text, "\t.cfi_rel_offset 30, 24");
    node_line(text, "\tbl\tassay_probe_begin");
    node_line(text, "\tldp\tx2, x30, [sp, #16]");
    if (text->place.has_cfi)
        node_line(text, "\t.cfi_restore 30");
    node_line(text, "\tldp\tx0, x1, [sp], #32");
    if (text->place.has_cfi)
        node_line(text, "\t.cfi_adjust_cfa_offset -32");
}

/* assay_probe_full changes x16, x17 and x30. */
static void routines(struct node_text *text)
{
    node_line(text, "\t.balign 4");
    node_line(text, "\t.type\t" NODE_FULL ", %%function");
    node_line(text, NODE_FULL ":");
    node_line(text, "\t.cfi_startproc");
    node_line(text, "\tstp\tx16, x17, [sp, #-32]!");
    node_line(text, "\t.cfi_adjust_cfa_offset 32");
    node_line(text, "\tstr\tx30, [sp, #16]");
    node_line(text, "\t.cfi_rel_offset 30, 16");
    node_line(text, "\tadrp\tx16, :got:assay_probe_full");
    node_line(text, "\tldr\tx16, [x16, #:got_lo12:assay_probe_full]");
    node_line(text, "\tblr\tx16");
    node_line(text, "\tldr\tx30, [sp, #16]");
    node_line(text, "\t.cfi_restore 30");
    node_line(text, "\tldp\tx16, x17, [sp], #32");
    node_line(text, "\t.cfi_adjust_cfa_offset -32");
    node_line(text, "\tret");
    node_line(text, "\t.cfi_endproc");
}

const struct node_writer aarch64_nodes = {.isa = isa_AARCH64,
                                          .probe_isa = PROBE_ISA_AARCH64,
                                          .does_tallies = true,
                                          .type_sign = '%',
                                          .stack_word = "31",
                                          .stack_name = "sp",
                                          .action = write_action,
                                          .opposite = write_opposite,
                                          .jump = jump,
                                          .begin_main = begin_main,
                                          .data = node_plain_data,
                                          .routines = routines,
                                          .before = node_before,
                                          .after = node_after,
                                          .taken = node_before};
