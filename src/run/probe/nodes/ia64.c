/* Nodes for IA-64: bundles with their templates and stops.

   Free are the scratch registers that no instruction of the function names (r2, r3, r14 to r31, p6 to p15):
   callers and callees expect nothing in them, and they do not rotate.  If there are too few, others are kept
   in floating-point scratch registers meanwhile, f6, f7 and those above the last that the function names: nothing
   of the stack moves. (f8 to f15 may carry an argument through a function that never names them.)  Seven registers make an event:

     data      the object's words for nodes, found by the instruction pointer, because gp need not be valid
               after calls
     with      to compute with
     local     the address of the thread's position (r13 is the thread pointer)
     to        the position; stores move it on
     stack, value, extra

   A node begins with a group of its own, and every group of it ends with a stop.  When the buffer is full,
   assay_probe_full is called by b6 and b7, which are scratch registers, too, and kept where the function names them;
   ar.pfs, which a call changes, is kept always.  It keeps everything else (runtime/probe-ia64).

   Counted loops (br.cloop, br.ctop) say in ar.lc how many iterations are left: nothing is done for each
   iteration. */
#include "run/probe/nodes/parts.h"

#include "runtime/probe/nodes_file.h"
#include "runtime/probe/record_file.h"
#include "run/probe/site/entry.h"
#include "run/probe/site/loop_shape.h"
#include "run/probe/plan/parts.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define NODE_DATA ".Lassay_data"
enum { DATA_BASE = 0, DATA_FULL = 8, DATA_BEGIN = 16 };
enum { LARGEST_SHORT = 8191 }; /* of adds */

/* Registers */

static const uint32_t SCRATCH = 0xffffc00c;    /* r2, r3, r14 … r31 */
static const uint32_t STATIC_CHAIN = 1u << 15; /* what gcc's nested functions are handed */
static const uint32_t SCRATCH_PREDICATES = 0xffc0;
static const uint64_t SCRATCH_FLOATS = 0xc0; /* f6, f7; */
enum { FLOATS = 128, ROTATING_FLOATS = 32 }; /* and those from f32 on, which rotate */
enum { SAVING = 8 };

struct names { /* of registers that instructions name */
    uint32_t general, predicates;
    uint64_t low_floats;
    unsigned highest_float;
    bool has_branches;
};

static void name_register(const struct model *model, uint32_t row, struct names *names)
{
    const char *name = model_text(model, model_register(model, row)->name);
    names->has_branches |= !strcmp(name, "b6") || !strcmp(name, "b7");
    if (!strchr("rpf", *name) || name[1] < '0' || name[1] > '9')
        return;
    unsigned long number = strtoul(name + 1, NULL, 10);
    if (*name == 'f' && number < ROTATING_FLOATS)
        names->low_floats |= 1ull << number;
    else if (*name == 'f' && number > names->highest_float)
        names->highest_float = (unsigned)number;
    if (*name != 'f' && number < 32)
        *(*name == 'r' ? &names->general : &names->predicates) |= 1u << number;
}

/* `mov r16 = pr` and its counterpart keep all predicates for the caller, who expects nothing in scratch ones: those
   are named by what sets or tests them one by one. */
static void name_registers(const struct model *model, uint32_t instruction, struct names *names)
{
    enum { MOST_OF_A_COMPARISON = 3 };
    uint32_t encoding = model_instruction(model, instruction)->encoding, before = names->predicates;
    size_t at =
        array_first_not_below(&model->register_uses, 0, offsetof(struct register_use, encoding), encoding);
    for (; at < model->register_uses.count && model_register_use(model, (uint32_t)at)->encoding == encoding;
         at++)
        name_register(model, model_register_use(model, (uint32_t)at)->register_, names);
    if (__builtin_popcount(names->predicates & ~before) > MOST_OF_A_COMPARISON)
        names->predicates = before;
    if (model_encoding(model, encoding)->is_unknown)
        *names = (struct names){UINT32_MAX, UINT32_MAX, UINT64_MAX, FLOATS - 1, true};
}

/* At the entry and before a return nothing lives in scratch registers but what the last bundle uses; anywhere
   else those are free that the function never names. */
static struct node_freedom freedom(const struct model *model, uint32_t instruction, bool is_entry)
{
    struct names all = {0}, near = {0};
    const struct function *function =
        model_function(model, model_block(model, model_instruction(model, instruction)->block)->function);
    bool is_return =
        model_encoding(model, model_instruction(model, instruction)->encoding)->class == class_RETURN;
    for (uint32_t b = 0; b < function->block_count; b++) {
        const struct block *block = model_block(model, function->first_block + b);
        for (uint32_t i = block->first_instruction; i < block->first_instruction + block->instruction_count;
             i++)
            name_registers(model, i, &all);
    }
    is_entry =
        is_entry &&
        instruction == probe_entry_instruction(
                           model, model_block(model, model_instruction(model, instruction)->block)->function);
    for (uint32_t i = instruction > 2 ? instruction - 2 : 1; is_return && i <= instruction; i++)
        name_registers(model, i, &near);
    near.general |= is_entry ? STATIC_CHAIN : 0;
    const struct names *names = is_entry || is_return ? &near : &all;
    return (struct node_freedom){.keeps_branches = all.has_branches,
                                 .general = SCRATCH & ~names->general,
                                 .predicates = SCRATCH_PREDICATES & ~names->predicates,
                                 .low_floats = SCRATCH_FLOATS & ~all.low_floats,
                                 .high_floats = all.highest_float < ROTATING_FLOATS
                                                    ? FLOATS - ROTATING_FLOATS
                                                    : FLOATS - 1 - all.highest_float};
}

struct node {
    struct node_text *text;
    uint32_t free;
    unsigned data, with, local, to, stack, value, extra, flag;
    uint8_t saved[SAVING], saved_in[SAVING];
    unsigned saved_count;
};

static unsigned take(uint32_t *free)
{
    unsigned number = 31;
    while (number && !(*free >> number & 1))
        number--;
    *free &= ~(1u << number);
    return number;
}

/* A floating-point register to keep another in; 0: none is left. */
static unsigned take_float(struct node_freedom *left)
{
    if (left->high_floats)
        return FLOATS - left->high_floats--;
    for (unsigned number = 1; number < 64; number++)
        if (left->low_floats >> number & 1) {
            left->low_floats &= ~(1ull << number);
            return number;
        }
    return 0;
}

/* Registers that are not free are kept in floating-point ones, which keep a NaT, too.  false: none to keep
   them in, or no predicate. */
static bool choose(struct node *node, uint32_t avoid)
{
    unsigned *const wanted[] = {&node->data,  &node->with,  &node->local, &node->to,
                                &node->stack, &node->value, &node->extra};
    struct node_freedom left = node->text->freedom;
    uint32_t predicates = left.predicates;
    uint32_t others = SCRATCH & ~node->free & ~avoid & ~0xcu;
    for (unsigned i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        *wanted[i] = take(&node->free);
        if (*wanted[i])
            continue;
        *wanted[i] = take(&others);
        unsigned keeper = take_float(&left);
        if (!*wanted[i] || !keeper)
            return false;
        node->saved_in[node->saved_count] = (uint8_t)keeper;
        node->saved[node->saved_count++] = (uint8_t)*wanted[i];
    }
    node->flag = take(&predicates);
    return node->flag;
}

/* Bundles */

__attribute__((format(printf, 2, 3))) static void slot(struct node_text *text, const char *format, ...);
static void slot(struct node_text *text, const char *format, ...)
{
    char line[200];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    node_line(text, "\t%s", line);
}

static void open_bundle(struct node_text *text, const char *template)
{
    node_line(text, "\t{ .%s", template);
}

static void close_bundle(struct node_text *text, bool has_stop)
{
    if (has_stop)
        node_line(text, "\t;;");
    node_line(text, "\t}");
}

static void close_group(struct node_text *text)
{
    close_bundle(text, true);
}

static void stop_first(struct node_text *text)
{
    if (!text->needs_stop_first)
        return;
    open_bundle(text, "mii");
    slot(text, "nop.m 0");
    slot(text, "nop.i 0");
    slot(text, "nop.i 0");
    close_group(text);
    text->needs_stop_first = false;
}

/* One instruction for a memory slot, alone in its group. */
__attribute__((format(printf, 2, 3))) static void memory_group(struct node_text *text, const char *format,
                                                               ...);
static void memory_group(struct node_text *text, const char *format, ...)
{
    char line[200];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    open_bundle(text, "mii");
    slot(text, "%s", line);
    slot(text, "nop.i 0");
    slot(text, "nop.i 0");
    close_group(text);
}

__attribute__((format(printf, 2, 3))) static void integer_group(struct node_text *text, const char *format,
                                                                ...);
static void integer_group(struct node_text *text, const char *format, ...)
{
    char line[200];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    open_bundle(text, "mii");
    slot(text, "nop.m 0");
    slot(text, "%s", line);
    slot(text, "nop.i 0");
    close_group(text);
}

static void move_saved(struct node *node, bool is_saving)
{
    for (unsigned i = 0; i < node->saved_count; i += 2) {
        open_bundle(node->text, "mmi");
        for (unsigned k = i; k < i + 2; k++) {
            if (k >= node->saved_count)
                slot(node->text, "nop.m 0");
            else if (is_saving)
                slot(node->text, "setf.sig f%u = r%u", node->saved_in[k], node->saved[k]);
            else
                slot(node->text, "getf.sig r%u = f%u", node->saved[k], node->saved_in[k]);
        }
        slot(node->text, "nop.i 0");
        close_group(node->text);
    }
}

/* `data` gets the address of the object's words; `first` and `second` are done with it, in memory slots. */
static void find_data(struct node *node, const char *first, const char *second)
{
    struct node_text *text = node->text;
    open_bundle(text, "mii");
    slot(text, "%s", first);
    slot(text, "mov r%u = ip", node->with);
    slot(text, "nop.i 0");
    close_bundle(text, false);
    open_bundle(text, "mlx"); /* 16 bytes after the one that reads ip */
    slot(text, "%s", second);
    slot(text, "movl r%u = @pcrel(" NODE_DATA " + 16)", node->data);
    close_group(text);
}

static void add_place(struct node *node)
{
    memory_group(node->text, "add r%u = r%u, r%u", node->data, node->data, node->with);
}

/* Which of the calls that are open an event belongs to: most functions leave the stack pointer alone, and keep what they
   need in the register stack, which grows upwards. */
static void find_stack(struct node *node)
{
    struct node_text *text = node->text;
    open_bundle(text, "mmi");
    slot(text, "add r%u = r%u, r%u", node->data, node->data, node->with);
    slot(text, "sub r%u = r12, r%u", node->stack, node->stack);
    slot(text, "nop.i 0");
    close_group(text);
}

/* number += `more`, by way of `extra` where it has more bits than adds takes. */
static void add_number(struct node *node, unsigned number, int64_t more)
{
    struct node_text *text = node->text;
    if (more >= -LARGEST_SHORT && more <= LARGEST_SHORT) {
        memory_group(text, "adds r%u = %lld, r%u", number, (long long)more, number);
        return;
    }
    open_bundle(text, "mlx");
    slot(text, "nop.m 0");
    slot(text, "movl r%u = %lld", node->extra, (long long)more);
    close_group(text);
    memory_group(text, "add r%u = r%u, r%u", number, number, node->extra);
}

/* Where a thread-local symbol is: programs have it at a fixed distance from r13.  (Binutils link no words with such
   distances into programs, only instructions.) */
static void find_local(struct node *node, const char *symbol)
{
    struct node_text *text = node->text;
    open_bundle(text, "mlx");
    slot(text, "nop.m 0");
    slot(text, "movl r%u = @tprel(%s)", node->local, symbol);
    close_group(text);
    memory_group(text, "add r%u = r%u, r13", node->local, node->local);
}

static void load_value(struct node *node, const struct probe_source *source)
{
    struct node_text *text = node->text;
    if (source->kind == PROBE_FROM_LOOP_COUNT) {
        integer_group(text, "mov r%u = ar.lc", node->value);
    } else if (source->kind == PROBE_FROM_GENERAL) {
        memory_group(text, "mov r%u = r%u", node->value, source->base);
    } else if (source->kind == PROBE_FROM_VECTOR) {
        memory_group(text, "getf.d r%u = f%u", node->value, source->base);
    } else if (source->kind == PROBE_FROM_COUNTER) {
        find_local(node, NODE_COUNTERS);
        if (source->counter)
            add_number(node, node->local, 8 * (int64_t)source->counter);
        memory_group(text, "ld8 r%u = [r%u]", node->value, node->local);
    }
    if (source->displacement && source->kind != PROBE_FROM_CLOCK)
        add_number(node, node->value, source->displacement);
}

/* A branch register and its keeper; no two moves of one kind in a group. */
static void keep_branches(struct node *node, bool is_keeping)
{
    const unsigned keepers[] = {node->value, node->extra};
    for (unsigned i = 0; node->text->freedom.keeps_branches && i < 2; i++)
        if (is_keeping)
            integer_group(node->text, "mov r%u = b%u", keepers[i], 6 + i);
        else
            integer_group(node->text, "mov b%u = r%u", 6 + i, keepers[i]);
}

/* Calls what the word at `data` points to; all but `data` and `to` are used. */
static void call_routine(struct node *node)
{
    struct node_text *text = node->text;
    keep_branches(node, true);
    open_bundle(text, "mii");
    slot(text, "ld8 r%u = [r%u]", node->with, node->data);
    slot(text, "mov r%u = ar.pfs", node->stack);
    slot(text, "nop.i 0");
    close_group(text);
    memory_group(text, "ld8 r%u = [r%u]", node->with, node->with);
    integer_group(text, "mov b7 = r%u", node->with);
    open_bundle(text, "mib");
    slot(text, "nop.m 0");
    slot(text, "nop.i 0");
    slot(text, "br.call.sptk.few b6 = b7");
    close_group(text);
    integer_group(text, "mov ar.pfs = r%u", node->stack);
    keep_branches(node, false);
}

static void call_when_full(struct node *node)
{
    struct node_text *text = node->text;
    uint32_t label = node_label(text);
    open_bundle(text, "mib");
    slot(text, "st8 [r%u] = r%u", node->local, node->to);
    slot(text, "tbit.z p%u, p0 = r%u, %d", node->flag, node->to, PROBE_BUFFER_BIT);
    slot(text, "(p%u) br.cond.dptk.few .Lassay_%u", node->flag, label);
    close_group(text);
    call_routine(node);
    node_line(text, ".Lassay_%u:", label);
}

static void add_identity(struct node *node, uint32_t identity)
{
    struct node_text *text = node->text;
    bool is_short = identity <= LARGEST_SHORT;
    if (!is_short) {
        open_bundle(text, "mlx");
        slot(text, "nop.m 0");
        slot(text, "movl r%u = %u", node->extra, identity);
        close_group(text);
    }
    open_bundle(text, "mmi");
    slot(text, "ld8 r%u = [r%u]", node->to, node->local);
    if (is_short)
        slot(text, "adds r%u = %u, r%u", node->with, identity, node->with);
    else
        slot(text, "add r%u = r%u, r%u", node->with, node->extra, node->with);
    slot(text, "nop.i 0");
    close_group(text);
}

static void write_event(struct node *node, const struct probe_action *action)
{
    struct node_text *text = node->text;
    const struct probe_source *source = &action->source;
    bool is_clock = source->kind == PROBE_FROM_CLOCK,
         is_late = is_clock && (action->identity & 15) == PROBE_ENTER;
    char clock[40], frames[40];
    snprintf(clock, sizeof clock, "mov r%u = ar.itc", node->value);
    snprintf(frames, sizeof frames, "mov r%u = ar.bsp", node->stack);
    stop_first(text);
    move_saved(node, true);
    find_data(node, is_clock && !is_late ? clock : "nop.m 0", frames);
    find_stack(node);
    load_value(node, source);
    open_bundle(text, "mmi");
    slot(text, "ld4 r%u = [r%u], 8", node->with, node->data);
    slot(text, "nop.m 0");
    slot(text, "shr.u r%u = r%u, %d", node->stack, node->stack, PROBE_STACK_SHIFT);
    close_bundle(text, false);
    find_local(node, "assay_probe_position#");
    add_identity(node, action->identity);
    open_bundle(text, "mmi");
    slot(text, "st4 [r%u] = r%u, 4", node->to, node->with);
    slot(text, "%s", is_late ? clock : "nop.m 0");
    slot(text, "nop.i 0");
    close_group(text);
    memory_group(text, "st4 [r%u] = r%u, 4", node->to, node->stack);
    memory_group(text, "st8 [r%u] = r%u, 8", node->to, node->value);
    call_when_full(node);
    move_saved(node, false);
}

static void write_count(struct node *node, uint32_t counter)
{
    struct probe_source source = {.kind = PROBE_FROM_COUNTER, .counter = counter, .displacement = 1};
    stop_first(node->text);
    move_saved(node, true);
    find_data(node, "nop.m 0", "nop.m 0");
    add_place(node);
    load_value(node, &source);
    memory_group(node->text, "st8 [r%u] = r%u", node->local, node->value);
    move_saved(node, false);
}

static bool write_action(struct node_text *text, const struct probe_action *action,
                         const struct probe_free_registers *free)
{
    static const uint8_t sources[] = {PROBE_FROM_CLOCK, PROBE_FROM_GENERAL, PROBE_FROM_VECTOR,
                                      PROBE_FROM_COUNTER, PROBE_FROM_LOOP_COUNT};
    struct node node = {.text = text, .free = free->general};
    uint32_t read =
        action->source.kind == PROBE_FROM_GENERAL && action->source.base < 32 ? 1u << action->source.base : 0;
    node.free &= ~read;
    if (!choose(&node, read))
        return false;
    if (action->kind == PROBE_DO_COUNT) {
        write_count(&node, action->counter);
        return true;
    }
    if (action->kind != PROBE_DO_EVENT || !memchr(sources, action->source.kind, sizeof sources))
        return false;
    write_event(&node, action);
    return true;
}

/* A branch under the same predicate leads to the node, the other way past it. */
static void write_guard(struct node_text *text, const char *statement, size_t length, uint32_t label)
{
    const char *close = memchr(statement, ')', length);
    uint32_t taken = node_label(text);
    stop_first(text);
    open_bundle(text, "mib");
    slot(text, "nop.m 0");
    slot(text, "nop.i 0");
    slot(text, "%.*s br.cond.spnt.few .Lassay_%u", (int)(close - statement + 1), statement, taken);
    close_group(text);
    open_bundle(text, "mib");
    slot(text, "nop.m 0");
    slot(text, "nop.i 0");
    slot(text, "br.cond.sptk.few .Lassay_%u", label);
    close_group(text);
    node_line(text, ".Lassay_%u:", taken);
}

static bool write_opposite(struct node_text *text, const char *statement, size_t length, uint32_t label)
{
    const char *close = length && *statement == '(' ? memchr(statement, ')', length) : NULL;
    const char *name = close ? close + 1 : statement, *end = statement + length;
    while (name < end && (*name == ' ' || *name == '\t'))
        name++;
    bool is_condition = close && end - name > 3 && !strncasecmp(name, "br", 2) &&
                        (name[2] == ' ' || name[2] == '\t' || !strncasecmp(name + 2, ".cond", 5) ||
                         !strncasecmp(name + 2, ".ret", 4) || !strncasecmp(name + 2, ".sp", 3) ||
                         !strncasecmp(name + 2, ".dp", 3));
    if (!is_condition || close - statement > 40)
        return false;
    write_guard(text, statement, length, label);
    return true;
}

/* The runtime's begin keeps all registers, as its end of a buffer does. */
static void begin_main(struct node_text *text)
{
    struct node node = {.text = text, .free = text->freedom.general};
    if (!choose(&node, 0))
        return;
    stop_first(text);
    move_saved(&node, true);
    find_data(&node, "nop.m 0", "nop.m 0");
    add_place(&node);
    memory_group(text, "adds r%u = %d, r%u", node.data, DATA_BEGIN, node.data);
    call_routine(&node);
    move_saved(&node, false);
}

static void write_data(struct node_text *text, bool has_counters)
{
    (void)has_counters;
    node_line(text, NODE_DATA ":");
    node_line(text, NODE_BASE ":");
    node_line(text, "\tdata4 0x%x, 0", PROBE_NODE_UNKNOWN);
    node_line(text, "\tdata8 @fptr(assay_probe_full#)");
    node_line(text, "\tdata8 @fptr(assay_probe_begin#)");
}

static void routines(struct node_text *text)
{
    (void)text;
}

/* What the plan does not know */

static bool uses_loop_count(const struct model *model, uint32_t instruction)
{
    uint32_t encoding = model_instruction(model, instruction)->encoding;
    size_t at =
        array_first_not_below(&model->register_uses, 0, offsetof(struct register_use, encoding), encoding);
    for (; at < model->register_uses.count && model_register_use(model, (uint32_t)at)->encoding == encoding;
         at++) {
        const struct register_use *use = model_register_use(model, (uint32_t)at);
        if (use->access & access_WRITE &&
            !strcmp(model_text(model, model_register(model, use->register_)->name), "ar.lc"))
            return true;
    }
    return false;
}

/* All ways back are counted branches, and nothing else of the loop writes ar.lc. */
static bool is_counted(const struct model *model, uint32_t loop)
{
    struct loop_shape shape;
    loop_shape_make(&shape, model, loop);
    bool is_it = shape.backs.count == 1 && !shape.has_calls && model_loop(model, loop)->is_innermost;
    uint32_t back = 0;
    if (is_it) {
        const struct edge *edge = model_edge(model, *ARRAY_AT(uint32_t, &shape.backs, 0));
        back = probe_last_instruction(model_block(model, edge->source));
        is_it = uses_loop_count(model, back);
    }
    for (size_t b = 0; is_it && b < shape.blocks.count; b++) {
        const struct block *block = model_block(model, *ARRAY_AT(uint32_t, &shape.blocks, b));
        for (uint32_t i = block->first_instruction; i < block->first_instruction + block->instruction_count;
             i++)
            is_it = is_it && (i == back || !uses_loop_count(model, i));
    }
    loop_shape_free(&shape);
    return is_it;
}

/* Iterations are ar.lc at the entry - ar.lc at the exit + 1, and what the plan adds at an exit. */
static void count_by_register(struct probe_plan *plan, uint32_t number)
{
    struct probe_subject *subject = ARRAY_AT(struct probe_subject, &plan->subjects, number);
    size_t kept = 0;
    struct probe_point *points = plan->points.data;
    subject->counting = PROBE_BY_VARIABLE;
    subject->how.inverse = UINT64_MAX;
    subject->how.shift = 0;
    subject->how.flags &= (uint8_t)~PROBE_IS_CUMULATIVE;
    for (size_t i = 0; i < plan->points.count; i++) {
        struct probe_action *action = &points[i].action;
        bool is_ours = points[i].subject == number;
        if (is_ours && action->kind == PROBE_DO_COUNT)
            continue;
        if (is_ours && action->kind == PROBE_DO_EVENT && action->source.kind == PROBE_FROM_COUNTER) {
            bool is_stop = (action->identity & 15) == PROBE_STOP;
            action->source =
                (struct probe_source){.kind = PROBE_FROM_LOOP_COUNT,
                                      .displacement = is_stop ? -1 - action->source.displacement : 0};
        }
        points[kept++] = points[i];
    }
    plan->points.count = kept;
}

/* Returns under a predicate: the plan sees a branch without a target. */
static void add_returns(struct probe_plan *plan, uint32_t number)
{
    const struct model *model = plan->model;
    const struct probe_subject *subject = ARRAY_AT(struct probe_subject, &plan->subjects, number);
    const struct function *function = model_function(model, subject->function);
    for (uint32_t b = 0; b < function->block_count; b++) {
        const struct block *block = model_block(model, function->first_block + b);
        for (uint32_t i = block->first_instruction; i < block->first_instruction + block->instruction_count;
             i++) {
            const struct encoding *encoding = model_encoding(model, model_instruction(model, i)->encoding);
            if (encoding->class == class_RETURN && encoding->flow == flow_BRANCH)
                probe_add_point(plan, number, i, PROBE_TAKEN)->action =
                    probe_make_event(number, PROBE_LEAVE, (struct probe_source){.kind = PROBE_FROM_CLOCK});
        }
    }
}

static void prepare(struct probe_plan *plan, uint32_t program)
{
    size_t count = plan->subjects.count;
    for (uint32_t i = 0; i < count; i++) {
        const struct probe_subject *subject = ARRAY_AT(struct probe_subject, &plan->subjects, i);
        if (subject->program != program || subject->refusal != PROBE_NOT_REFUSED)
            continue;
        if (subject->kind == PROBE_OF_LOOP && is_counted(plan->model, subject->loop))
            count_by_register(plan, i);
        if (subject->kind == PROBE_OF_FUNCTION)
            add_returns(plan, i);
    }
}

const struct node_writer ia64_nodes = {.isa = isa_IA64,
                                       .probe_isa = PROBE_ISA_IA64,
                                       .type_sign = '@',
                                       .stack_word = "r12",
                                       .stack_name = "sp",
                                       .action = write_action,
                                       .opposite = write_opposite,
                                       .unless = write_guard,
                                       .begin_main = begin_main,
                                       .data = write_data,
                                       .routines = routines,
                                       .before = node_before_bundle,
                                       .after = node_after_bundle,
                                       .taken = node_taken_bundle,
                                       .prepare = prepare,
                                       .freedom = freedom};
