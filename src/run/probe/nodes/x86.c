/* Nodes for x86-64, in AT&T syntax.

   An event needs a register for its address (`to`) and one to compute with (`with`); the clock needs rax and
   rdx.  What is not free is saved below the stack pointer: signals leave 128 bytes there alone.  Where the
   program itself keeps something there, the stack pointer is lowered first.  The 8 bytes right below it stay
   empty, for the return address of the call that empties a full buffer.

   Flags that are needed go through rax (lahf, seto).  The value is stored before that, so rax may be the
   register that is recorded. */
#include "run/probe/nodes/parts.h"

#include "runtime/probe/record_file.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

static const char *const wide[] = {"rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi",
                                   "r8",  "r9",  "r10", "r11", "r12", "r13", "r14", "r15"};
static const char *const narrow[] = {"eax", "ecx", "edx",  "ebx",  "esp",  "ebp",  "esi",  "edi",
                                     "r8d", "r9d", "r10d", "r11d", "r12d", "r13d", "r14d", "r15d"};
enum { RAX = 0, RDX = 2, RSP = 4, LOWERED = 128, REGISTERS = 16 };

struct node {
    struct node_text *text;
    struct probe_free_registers free;
    uint32_t saved; /* registers that are restored at the end */
    uint32_t taken; /* registers in use */
    uint8_t slot[REGISTERS];
    unsigned slots;
    int shift; /* by which the stack pointer is lower than the program's */
    bool saves_flags;
};

static int slot_offset(unsigned slot)
{
    return -16 - 8 * (int)slot;
}

static void take(struct node *node, unsigned number)
{
    node->taken |= 1u << number;
    if (node->free.general >> number & 1 || node->saved >> number & 1)
        return;
    node->saved |= 1u << number;
    node->slot[number] = (uint8_t)node->slots++;
}

/* A register for the node, free if there is one; never one of `avoid`. */
static unsigned choose(struct node *node, uint32_t avoid)
{
    static const uint8_t order[] = {11, 10, 9, 8, 1, 6, 7, 0, 2, 3, 12, 13, 14, 15, 5};
    uint32_t barred = avoid | node->taken | 1u << RSP;
    for (unsigned must_be_free = 1;; must_be_free = 0)
        for (unsigned i = 0; i < sizeof order; i++)
            if (!(barred >> order[i] & 1) && (!must_be_free || node->free.general >> order[i] & 1)) {
                take(node, order[i]);
                return order[i];
            }
}

static void adjust(struct node *node, int bytes)
{
    if (node->text->place.has_cfi && node->text->place.is_cfa_stack)
        node_line(node->text, "\t.cfi_adjust_cfa_offset %d", bytes);
}

static void lower(struct node *node)
{
    node_line(node->text, "\tleaq\t-%d(%%rsp), %%rsp", LOWERED);
    adjust(node, LOWERED);
    node->shift = LOWERED;
}

static void raise_again(struct node *node)
{
    node_line(node->text, "\tleaq\t%d(%%rsp), %%rsp", LOWERED);
    adjust(node, -LOWERED);
    node->shift = 0;
}

static void open_node(struct node *node)
{
    if ((node->saved || node->saves_flags) && !node->free.has_red_zone)
        lower(node);
    for (unsigned i = 0; i < REGISTERS; i++)
        if (node->saved >> i & 1)
            node_line(node->text, "\tmovq\t%%%s, %d(%%rsp)", wide[i], slot_offset(node->slot[i]));
}

static void save_flags(struct node *node)
{
    if (!node->saves_flags)
        return;
    node_line(node->text, "\tlahf");
    node_line(node->text, "\tseto\t%%al");
    node_line(node->text, "\tmovq\t%%rax, %d(%%rsp)", slot_offset(node->slots));
}

static void close_node(struct node *node)
{
    if (node->saves_flags) {
        node_line(node->text, "\tmovq\t%d(%%rsp), %%rax", slot_offset(node->slots));
        node_line(node->text, "\taddb\t$127, %%al");
        node_line(node->text, "\tsahf");
    }
    for (unsigned i = 0; i < REGISTERS; i++)
        if (node->saved >> i & 1)
            node_line(node->text, "\tmovq\t%d(%%rsp), %%%s", slot_offset(node->slot[i]), wide[i]);
    if (node->shift)
        raise_again(node);
}

/* Values */

static bool fits(int64_t number)
{
    return number == (int32_t)number;
}

static uint32_t registers_of(const struct probe_source *source)
{
    bool has_base = source->kind == PROBE_FROM_GENERAL || source->kind == PROBE_FROM_ADDRESS ||
                    source->kind == PROBE_FROM_MEMORY;
    bool has_index = source->kind == PROBE_FROM_ADDRESS || source->kind == PROBE_FROM_MEMORY;
    uint32_t registers = has_base && source->base < REGISTERS ? 1u << source->base : 0;
    return registers | (has_index && source->index < REGISTERS ? 1u << source->index : 0);
}

static bool can_take(const struct probe_source *source)
{
    bool is_address = source->kind == PROBE_FROM_ADDRESS || source->kind == PROBE_FROM_MEMORY;
    if (source->kind == PROBE_FROM_PLACE || source->kind == PROBE_FROM_PLACE_MEMORY ||
        (is_address && (source->segment || !fits(source->displacement + LOWERED))))
        return false;
    return source->kind != PROBE_FROM_COUNTER || fits(source->displacement);
}

/* disp(base,index,scale) */
static void operand(const struct node *node, const struct probe_source *source, char *text, size_t size)
{
    bool has_base = source->base < REGISTERS, has_index = source->index < REGISTERS;
    int64_t displacement = source->displacement + (has_base && source->base == RSP ? node->shift : 0);
    const char *base = has_base ? wide[source->base] : "";
    if (has_index)
        snprintf(text, size, "%lld(%s%s,%%%s,%u)", (long long)displacement, has_base ? "%" : "", base,
                 wide[source->index], source->scale ? source->scale : 1);
    else if (has_base)
        snprintf(text, size, "%lld(%%%s)", (long long)displacement, base);
    else
        snprintf(text, size, "%lld", (long long)displacement);
}

static void load_memory(struct node *node, const struct probe_source *source, const char *from, unsigned with)
{
    static const char *const plain[] = {[1] = "movzbl", [2] = "movzwl", [4] = "movl", [8] = "movq"};
    static const char *const extended[] = {[1] = "movsbq", [2] = "movswq", [4] = "movslq", [8] = "movq"};
    unsigned bytes = source->bytes <= 1 ? 1 : source->bytes <= 2 ? 2 : source->bytes <= 4 ? 4 : 8;
    const char *name = source->is_signed ? extended[bytes] : plain[bytes];
    bool is_wide = source->is_signed || bytes == 8;
    node_line(node->text, "\t%s\t%s, %%%s", name, from, is_wide ? wide[with] : narrow[with]);
}

/* `with` gets a register, a counter or an address. */
static void load_value(struct node *node, const struct probe_source *source, unsigned with)
{
    char from[64];
    struct probe_source address = *source;
    if (source->kind == PROBE_FROM_COUNTER) {
        node_line(node->text, "\tmovq\t" NODE_COUNTERS "@gottpoff(%%rip), %%%s", wide[with]);
        node_line(node->text, "\tmovq\t%%fs:%u(%%%s), %%%s", 8 * source->counter, wide[with], wide[with]);
        address.base = (uint8_t)with;
        address.index = PROBE_NO_REGISTER;
        if (!source->displacement)
            return;
    } else if (source->kind == PROBE_FROM_GENERAL) {
        address.index = PROBE_NO_REGISTER;
    }
    operand(node, &address, from, sizeof from);
    node_line(node->text, "\tlea%s\t%s, %%%s", source->is_32_bit ? "l" : "q", from,
              source->is_32_bit ? narrow[with] : wide[with]);
}

/* Into the word at `at` from `to`. */
static void store_value(struct node *node, const struct probe_source *source, unsigned to, int at,
                        unsigned with)
{
    char from[64];
    uint32_t null = 0;
    switch (source->kind) {
    case PROBE_FROM_CLOCK:
        node_line(node->text, "\trdtsc");
        node_line(node->text, "\tmovl\t%%eax, %d(%%%s)", at, wide[to]);
        node_line(node->text, "\tmovl\t%%edx, %d(%%%s)", at + 4, wide[to]);
        return;
    case PROBE_FROM_GENERAL:
        if (source->base == RSP)
            node_line(node->text, "\tleaq\t%d(%%rsp), %%%s", node->shift, wide[with]);
        node_line(node->text, "\tmovq\t%%%s, %d(%%%s)", wide[source->base == RSP ? with : source->base], at,
                  wide[to]);
        return;
    case PROBE_FROM_VECTOR:
        node_line(node->text, "\t%s\t%%xmm%u, %d(%%%s)", source->base < 16 ? "movq" : "vmovq", source->base,
                  at, wide[to]);
        return;
    case PROBE_FROM_COUNTER:
        node_line(node->text, "\tmovq\t" NODE_COUNTERS "@gottpoff(%%rip), %%%s", wide[with]);
        node_line(node->text, "\tmovq\t%%fs:%u(%%%s), %%%s", 8 * source->counter, wide[with], wide[with]);
        if (source->displacement)
            node_line(node->text, "\tleaq\t%lld(%%%s), %%%s", (long long)source->displacement, wide[with],
                      wide[with]);
        break;
    case PROBE_FROM_MEMORY:
        operand(node, source, from, sizeof from);
        if (source->may_be_null) {
            null = node_label(node->text);
            node_line(node->text, "\tmovl\t$0, %%%s", narrow[with]);
            node_line(node->text, "\ttestq\t%%%s, %%%s", wide[source->base], wide[source->base]);
            node_line(node->text, "\tje\t.Lassay_%u", null);
        }
        load_memory(node, source, from, with);
        if (null)
            node_line(node->text, ".Lassay_%u:", null);
        break;
    default:
        operand(node, source, from, sizeof from);
        node_line(node->text, "\tlea%s\t%s, %%%s", source->is_32_bit ? "l" : "q", from,
                  source->is_32_bit ? narrow[with] : wide[with]);
    }
    node_line(node->text, "\tmovq\t%%%s, %d(%%%s)", wide[with], at, wide[to]);
}

static void call_when_full(struct node *node)
{
    uint32_t label = node_label(node->text);
    bool must_lower = !node->shift && !node->free.has_red_zone;
    node_line(node->text, "\tje\t.Lassay_%u", label);
    if (must_lower)
        lower(node);
    node_line(node->text, "\tcall\t" NODE_FULL);
    if (must_lower)
        raise_again(node);
    node_line(node->text, ".Lassay_%u:", label);
}

/* A register as it was kept at the entry is the complement, so that additions do without flags: the
   difference is value + complement + 1. */
static void load_moved(struct node *node, const struct probe_action *action, unsigned to, unsigned with)
{
    struct probe_source source = action->source;
    source.displacement++;
    load_value(node, &source, with);
    node_line(node->text, "\tmovq\t" NODE_COUNTERS "@gottpoff(%%rip), %%%s", wide[to]);
    node_line(node->text, "\tmovq\t%%fs:%u(%%%s), %%%s", 8 * action->counter, wide[to], wide[to]);
    node_line(node->text, "\tleaq\t(%%%s,%%%s), %%%s", wide[with], wide[to], wide[with]);
}

static void write_keep(struct node *node, const struct probe_action *action)
{
    unsigned with = choose(node, registers_of(&action->source)),
             to = choose(node, registers_of(&action->source));
    open_node(node);
    load_value(node, &action->source, with);
    node_line(node->text, "\tnotq\t%%%s", wide[with]);
    node_line(node->text, "\tmovq\t" NODE_COUNTERS "@gottpoff(%%rip), %%%s", wide[to]);
    node_line(node->text, "\tmovq\t%%%s, %%fs:%u(%%%s)", wide[with], 8 * action->counter, wide[to]);
    close_node(node);
}

static void write_event(struct node *node, const struct probe_action *action)
{
    const struct probe_source *source = &action->source;
    struct node_text *text = node->text;
    bool is_tally = action->kind == PROBE_DO_TALLY;
    bool is_clock = source->kind == PROBE_FROM_CLOCK;
    bool reads_late = is_clock && (action->identity & 15) == PROBE_ENTER;
    unsigned with = RAX;
    node->saves_flags = !node->free.has_flags;
    if (is_clock || node->saves_flags)
        take(node, RAX);
    else
        with = choose(node, registers_of(source));
    if (is_clock)
        take(node, RDX);
    unsigned to = choose(node, registers_of(source));
    open_node(node);
    if (is_tally)
        load_moved(node, action, to, with);
    node_line(text, "\tmovq\tassay_probe_position@gottpoff(%%rip), %%%s", wide[to]);
    node_line(text, "\tmovq\t%%fs:(%%%s), %%%s", wide[to], wide[to]);
    if (is_tally)
        node_line(text, "\tmovq\t%%%s, 8(%%%s)", wide[with], wide[to]);
    else if (!reads_late)
        store_value(node, source, to, 8, with);
    save_flags(node);
    node_line(text, "\tmovl\t" NODE_BASE "(%%rip), %%%s", narrow[with]);
    node_line(text, "\tleal\t%u(%%%s), %%%s", action->identity, wide[with], narrow[with]);
    node_line(text, "\tmovl\t%%%s, (%%%s)", narrow[with], wide[to]);
    node_line(text, "\tleaq\t%d(%%rsp), %%%s", node->shift, wide[with]);
    node_line(text, "\tshrq\t$%d, %%%s", PROBE_STACK_SHIFT, wide[with]);
    node_line(text, "\tmovl\t%%%s, 4(%%%s)", narrow[with], wide[to]);
    node_line(text, "\tmovq\tassay_probe_position@gottpoff(%%rip), %%%s", wide[with]);
    node_line(text, "\tleaq\t16(%%%s), %%%s", wide[to], wide[to]);
    node_line(text, "\tmovq\t%%%s, %%fs:(%%%s)", wide[to], wide[with]);
    node_line(text, "\ttestl\t$%d, %%%s", 1 << PROBE_BUFFER_BIT, narrow[to]);
    if (reads_late)
        store_value(node, source, to, -8, with);
    call_when_full(node);
    close_node(node);
}

static void write_count(struct node *node, uint32_t counter)
{
    unsigned with = choose(node, 0), sum = node->free.has_flags ? with : choose(node, 0);
    open_node(node);
    node_line(node->text, "\tmovq\t" NODE_COUNTERS "@gottpoff(%%rip), %%%s", wide[with]);
    if (node->free.has_flags) {
        node_line(node->text, "\tincq\t%%fs:%u(%%%s)", 8 * counter, wide[with]);
    } else {
        node_line(node->text, "\tmovq\t%%fs:%u(%%%s), %%%s", 8 * counter, wide[with], wide[sum]);
        node_line(node->text, "\tleaq\t1(%%%s), %%%s", wide[sum], wide[sum]);
        node_line(node->text, "\tmovq\t%%%s, %%fs:%u(%%%s)", wide[sum], 8 * counter, wide[with]);
    }
    close_node(node);
}

static bool write_action(struct node_text *text, const struct probe_action *action,
                         const struct probe_free_registers *free)
{
    struct node node = {.text = text, .free = *free};
    switch (action->kind) {
    case PROBE_DO_EVENT:
        if (!can_take(&action->source) || action->identity > INT32_MAX ||
            (action->source.may_be_null && !free->has_flags))
            return false;
        write_event(&node, action);
        return true;
    case PROBE_DO_TALLY:
    case PROBE_DO_KEEP:
        if (!can_take(&action->source) || action->source.kind == PROBE_FROM_CLOCK ||
            action->source.kind == PROBE_FROM_VECTOR || action->source.kind == PROBE_FROM_MEMORY)
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
        node_line(text, "\tleaq\t1(%%%s), %%%s", wide[action->register_], wide[action->register_]);
        return true;
    case PROBE_DO_CLEAR:
        node_line(text, "\tmovl\t$0, %%%s", narrow[action->register_]);
        return true;
    default:
        return false;
    }
}

/* Branches */

static const struct {
    const char *name, *opposite;
} pairs[] = {
    {"jo", "jno"},  {"jb", "jae"},   {"jc", "jnc"},   {"jnae", "jae"}, {"je", "jne"},
    {"jz", "jnz"},  {"jbe", "ja"},   {"jna", "ja"},   {"js", "jns"},   {"jp", "jnp"},
    {"jpe", "jpo"}, {"jl", "jge"},   {"jnge", "jge"}, {"jle", "jg"},   {"jng", "jg"},
    {"jnb", "jb"},  {"jnbe", "jbe"}, {"jnl", "jl"},   {"jnle", "jle"},
};

static bool is_name(const char *text, size_t length, const char *name)
{
    return length == strlen(name) && !strncasecmp(text, name, length);
}

static bool write_opposite(struct node_text *text, const char *statement, size_t length, uint32_t label)
{
    size_t size = 0;
    while (size < length && statement[size] != ' ' && statement[size] != '\t' && statement[size] != ',')
        size++;
    for (unsigned i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        bool is_first = is_name(statement, size, pairs[i].name);
        if (!is_first && !is_name(statement, size, pairs[i].opposite))
            continue;
        node_line(text, "\t%s\t.Lassay_%u", is_first ? pairs[i].opposite : pairs[i].name, label);
        return true;
    }
    if (!is_name(statement, size, "jrcxz") && !is_name(statement, size, "jecxz"))
        return false;
    uint32_t taken = node_label(text);
    node_line(text, "\t%.5s\t.Lassay_%u", statement, taken);
    node_line(text, "\tjmp\t.Lassay_%u", label);
    node_line(text, ".Lassay_%u:", taken);
    return true;
}

static void jump(struct node_text *text, uint32_t label)
{
    node_line(text, "\tjmp\t.Lassay_%u", label);
}

static void begin_main(struct node_text *text)
{
    static const char *const kept[] = {"rdi", "rsi", "rdx"};
    for (unsigned i = 0; i < 3; i++) {
        node_line(text, "\tpushq\t%%%s", kept[i]);
        if (text->place.has_cfi)
            node_line(text, "\t.cfi_adjust_cfa_offset 8");
    }
    node_line(text, "\tcall\t*assay_probe_begin@GOTPCREL(%%rip)");
    for (unsigned i = 3; i-- > 0;) {
        node_line(text, "\tpopq\t%%%s", kept[i]);
        if (text->place.has_cfi)
            node_line(text, "\t.cfi_adjust_cfa_offset -8");
    }
}

/* Below the return address lies what nodes saved. */
static void routines(struct node_text *text)
{
    node_line(text, "\t.type\t" NODE_FULL ", @function");
    node_line(text, NODE_FULL ":");
    node_line(text, "\t.cfi_startproc");
    node_line(text, "\tleaq\t-%d(%%rsp), %%rsp", LOWERED);
    node_line(text, "\t.cfi_adjust_cfa_offset %d", LOWERED);
    node_line(text, "\tcall\t*assay_probe_full@GOTPCREL(%%rip)");
    node_line(text, "\tleaq\t%d(%%rsp), %%rsp", LOWERED);
    node_line(text, "\t.cfi_adjust_cfa_offset -%d", LOWERED);
    node_line(text, "\tret");
    node_line(text, "\t.cfi_endproc");
}

const struct node_writer x86_64_nodes = {.isa = isa_X86_64,
                                         .probe_isa = PROBE_ISA_X86_64,
                                         .does_tallies = true,
                                         .type_sign = '@',
                                         .stack_word = "7",
                                         .stack_name = "rsp",
                                         .action = write_action,
                                         .opposite = write_opposite,
                                         .jump = jump,
                                         .begin_main = begin_main,
                                         .data = node_plain_data,
                                         .routines = routines,
                                         .before = node_before,
                                         .after = node_after,
                                         .taken = node_before};
