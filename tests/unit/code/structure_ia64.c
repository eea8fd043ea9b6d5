/* Structure of IA-64 code, on code made by hand: a line of a program below is one instruction, which its
   fields describe themselves, so that these tests need neither the reader of listings nor the table of the
   ISA. */
#include "code/read/isa.h"
#include "store/store.h"
#include "code/structure/structure.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

enum { PLACE = 0x1000, P = 0, AR_EC = 64, PR_ROT, R9, REGISTERS };
enum { STOP = 1, LAST = 2, LONG = 4 }; /* marks: a stop follows; ends its bundle; takes two slots */

struct line {
    const char *label, *name, *completers;
    unsigned predicate;
    enum flow flow;
    enum operation operation;
    const char *target; /* a label, or a name from outside */
    unsigned marks;
    unsigned written, read; /* registers */
    int64_t immediate;
    int cycle; /* plus 1; 0: none */
};

static const struct line *code;
static size_t code_count;
static const char *template_of_all;
static char register_names[REGISTERS][8];
static struct register_fact register_facts[REGISTERS];

static bool step(const uint8_t *bytes, size_t left, uint64_t address, struct step *result)
{
    if (left < 4 || !bytes[0])
        return false;
    memset(result, 0, sizeof *result);
    result->key.bytes[0] = bytes[0];
    result->key.size = (uint8_t)(bytes[1] ? bytes[1] : 6);
    result->target = NO_ADDRESS;
    (void)address;
    return true;
}

static void describe(const struct isa_reader *reader, const struct key *key, struct description *description)
{
    const struct line *line = &code[key->bytes[0] - 1];
    (void)reader;
    snprintf(description->name, sizeof description->name, "%s", line->name);
    snprintf(description->completers, sizeof description->completers, "%s",
             line->completers ? line->completers : "");
    snprintf(description->text, sizeof description->text, "%s", line->name);
    description->encoding.predicate = line->predicate;
    description->encoding.flow = (uint8_t)line->flow;
    description->encoding.operation = (uint8_t)line->operation;
    description->encoding.class = !strcmp(line->name, "nop") ? class_NOP : class_OTHER;
    if (line->written)
        description->operands[description->operand_count++] = (struct operand){
            .kind = operand_kind_REGISTER, .access = access_WRITE, .register_ = line->written};
    if (line->read)
        description->operands[description->operand_count++] =
            (struct operand){.kind = operand_kind_REGISTER, .access = access_READ, .register_ = line->read};
    if (line->immediate)
        description->operands[description->operand_count++] =
            (struct operand){.kind = operand_kind_IMMEDIATE, .access = access_READ, .value = line->immediate};
}

static bool relocated(const struct relocation *relocation, uint64_t end, uint64_t *target)
{
    (void)end;
    *target = relocation->value;
    return relocation->value != NO_ADDRESS;
}

static void bundle(const uint8_t bytes[16], char template[4], uint8_t *stops)
{
    strcpy(template, template_of_all);
    *stops = bytes[5];
}

static const struct isa_reader reader = {.isa = isa_IA64,
                                         .alignment = 2,
                                         .step = step,
                                         .describe = describe,
                                         .relocated = relocated,
                                         .bundle = bundle,
                                         .registers = register_facts,
                                         .register_count = REGISTERS};

static uint64_t label_address(const uint64_t *addresses, const char *label)
{
    for (size_t i = 0; i < code_count; i++)
        if (code[i].label && !strcmp(code[i].label, label))
            return addresses[i];
    return NO_ADDRESS;
}

/* Bytes as a listing's reader makes them: the number of the line, its size, the stops of the bundle. */
static uint8_t *make_bytes(uint64_t *addresses, size_t *size)
{
    uint8_t *bytes = memory_get(16 * code_count);
    size_t start = 0, slot = 0;
    for (size_t i = 0; i < code_count; i++) {
        size_t place = start + 6 * slot;
        bool is_last = slot == 2 || code[i].marks & (LAST | LONG) || i + 1 == code_count;
        addresses[i] = PLACE + place;
        bytes[place] = (uint8_t)(i + 1);
        bytes[place + 1] = (uint8_t)(is_last ? 16 - 6 * slot : 6);
        if (code[i].marks & STOP)
            bytes[start + 5] |= (uint8_t)(1u << (is_last ? 2 : slot));
        slot = is_last ? 0 : slot + 1;
        start += is_last ? 16 : 0;
    }
    *size = start;
    return bytes;
}

static void add_symbol(struct model *model, const char *name, uint64_t address, uint64_t end)
{
    *(struct symbol *)model_add(&model->symbols) = (struct symbol){.program = 1,
                                                                   .address = address,
                                                                   .size = end - address,
                                                                   .name = model_string(model, name),
                                                                   .origin = origin_LISTING,
                                                                   .is_global = 1};
}

/* A program of one section; labels that start with a capital letter are functions up to the next one, and
   those that start with a digit 2 are further entries that end where the function does. */
static void make(struct model *model, const struct line *lines, size_t count, const char *template)
{
    uint64_t addresses[64], last_start = NO_ADDRESS;
    size_t size;
    code = lines;
    code_count = count;
    template_of_all = template;
    for (unsigned i = 1; i < REGISTERS; i++) {
        snprintf(register_names[i], sizeof register_names[i],
                 i == AR_EC    ? "ar.ec"
                 : i == PR_ROT ? "pr.rot"
                 : i == R9     ? "r9"
                               : "p%u",
                 i);
        register_facts[i] =
            (struct register_fact){.name = register_names[i], .full = (uint16_t)i, .bits = 64};
    }
    model_init(model);
    uint8_t *bytes = make_bytes(addresses, &size);
    model_keep(model, bytes, free);
    *(struct program *)model_add(&model->programs) =
        (struct program){.isa = isa_IA64, .format = format_LISTING, .bits = 64, .reader = &reader};
    *(struct section *)model_add(&model->sections) = (struct section){.program = 1,
                                                                      .address = PLACE,
                                                                      .size = size,
                                                                      .is_code = 1,
                                                                      .is_loaded = 1,
                                                                      .contents = {bytes, size}};
    for (size_t i = count; i-- > 0;) {
        const char *label = lines[i].label;
        if (label && (label[0] == '2' || (label[0] >= 'A' && label[0] <= 'Z'))) {
            uint64_t end = last_start == NO_ADDRESS ? PLACE + size : last_start;
            add_symbol(model, label, addresses[i], end);
            if (label[0] != '2')
                last_start = addresses[i];
        }
    }
    for (size_t i = 0; i < count; i++) {
        *(struct listing_instruction *)model_add(&model->listing_instructions) =
            (struct listing_instruction){.program = 1,
                                         .address = addresses[i],
                                         .line = (uint32_t)i + 1,
                                         .column = 1,
                                         .cycle = lines[i].cycle ? lines[i].cycle - 1 : NO_NUMBER,
                                         .number = NO_NUMBER,
                                         .latency = NO_NUMBER};
        if (!lines[i].target)
            continue;
        uint64_t value = label_address(addresses, lines[i].target);
        *(struct relocation *)model_add(&model->relocations) =
            (struct relocation){.program = 1,
                                .address = addresses[i],
                                .value = value,
                                .symbol = model_string(model, lines[i].target)};
    }
}

static void build(struct model *model)
{
    struct structure_options options = {.threads = 1, .path_limit = 8};
    struct error error = {0};
    assert_true(structure_build(model, &options, &error));
}

#define MAKE(model, lines, template) make(model, lines, sizeof lines / sizeof lines[0], template)

static bool has_edge(const struct model *model, uint32_t source, uint32_t target, enum edge_kind kind)
{
    for (uint32_t i = 0; i < model->edges.count; i++) {
        const struct edge *edge = model_edge(model, i);
        if (edge->source == source && edge->target == target && edge->kind == kind)
            return true;
    }
    return false;
}

static uint64_t problems_of(const struct model *model, enum problem_kind kind)
{
    uint64_t count = 0;
    for (uint32_t i = 1; i < model->problems.count; i++)
        count += model_problem(model, i)->kind == kind ? model_problem(model, i)->count : 0;
    return count;
}

static void test_predicates_fall_through(void **state)
{
    static const struct line lines[] = {
        {.label = "F",
         .name = "br",
         .completers = ".ret",
         .predicate = 6,
         .flow = flow_RETURN,
         .marks = LAST},
        {.name = "br",
         .completers = ".call",
         .predicate = 7,
         .flow = flow_CALL,
         .target = "abort",
         .marks = LAST},
        {.name = "br", .predicate = 8, .flow = flow_JUMP, .target = "end", .marks = LAST},
        {.name = "br", .completers = ".call", .flow = flow_CALL, .target = "puts", .marks = LAST},
        {.name = "br", .completers = ".call", .flow = flow_CALL, .target = "exit", .marks = LAST},
        {.label = "end", .name = "br", .completers = ".ret", .flow = flow_RETURN, .marks = LAST | STOP},
    };
    struct model model;
    (void)state;
    MAKE(&model, lines, "mib");
    build(&model);
    assert_int_equal(model.blocks.count, 1 + 5);
    assert_int_equal(model_block(&model, 1)->ends, block_end_RETURN);
    assert_true(has_edge(&model, 1, 2, edge_kind_FALL));
    assert_int_equal(model_block(&model, 2)->ends,
                     block_end_CALL); /* abort under a predicate may not be called */
    assert_true(has_edge(&model, 2, 3, edge_kind_FALL));
    assert_int_equal(model_block(&model, 3)->ends, block_end_BRANCH);
    assert_true(has_edge(&model, 3, 4, edge_kind_FALL));
    assert_true(has_edge(&model, 3, 5, edge_kind_TAKEN));
    assert_int_equal(model_block(&model, 4)->ends, block_end_NO_RETURN); /* puts and exit */
    assert_int_equal(model.edges.count, 4);
    assert_int_equal(model_encoding(&model, model_instruction(&model, 3)->encoding)->flow, flow_BRANCH);
    assert_int_equal(model.calls.count, 3);
    for (uint32_t i = 0; i < model.calls.count; i++) {
        assert_int_equal(model_call(&model, i)->kind, call_kind_IMPORT);
        assert_int_equal(model_function(&model, model_call(&model, i)->callee)->origin, origin_IMPORT);
    }
    assert_null(model_block_bytes(&model, model_block(&model, 1)).data); /* the bytes are invented */
    assert_int_equal(model.gaps.count, 1);
    assert_true(model_function(&model, 1)->returns);
    model_free(&model);
}

static void test_second_entry(void **state)
{
    static const struct line lines[] = {
        {.label = "F", .name = "add"},
        {.label = "2nd", .name = "add"}, /* in the middle of a bundle */
        {.name = "br", .completers = ".ret", .flow = flow_RETURN, .marks = STOP},
        {.label = "G",
         .name = "br",
         .completers = ".call",
         .flow = flow_CALL,
         .target = "2nd",
         .marks = LAST},
        {.name = "br", .completers = ".ret", .flow = flow_RETURN, .marks = LAST | STOP},
    };
    struct model model;
    (void)state;
    MAKE(&model, lines, "mib");
    build(&model);
    assert_int_equal(model.functions.count, 1 + 2);
    assert_string_equal(model_text(&model, model_function(&model, 1)->name), "F");
    assert_int_equal(model_function(&model, 1)->block_count, 2);
    assert_int_equal(model_block(&model, 2)->address, PLACE + 6);
    assert_int_equal(model_block(&model, 2)->dominator, 0); /* F need not have gone before */
    assert_true(model_block(&model, 2)->is_reachable);
    assert_int_equal(model.calls.count, 1);
    assert_int_equal(model_call(&model, 0)->callee, 1);
    assert_int_equal(problems_of(&model, problem_kind_OVERLAP), 0);
    model_free(&model);
}

static void test_bundles_and_groups(void **state)
{
    static const struct line lines[] = {
        {.label = "F", .name = "ld8"}, /* group 1 */
        {.name = "nop"},
        {.name = "br", .predicate = 6, .flow = flow_BRANCH, .target = "far"}, /* goes on */
        {.name = "add"},
        {.name = "add", .marks = STOP},  /* its end */
        {.name = "nop"},                 /* group 2 */
        {.label = "far", .name = "nop"}, /* group 3 */
        {.name = "movl", .marks = LONG | STOP},
        {.name = "nop"}, /* group 4 */
        {.name = "nop"},
        {.name = "br", .completers = ".call", .flow = flow_CALL, .target = "puts"},
        {.name = "nop"}, /* group 5 */
        {.name = "br", .completers = ".ret", .flow = flow_RETURN, .marks = LAST | STOP},
    };
    static const uint32_t firsts[] = {1, 6, 7, 9, 12}, counts[] = {5, 1, 2, 3, 2}, noops[] = {1, 1, 1, 2, 1};
    struct model model;
    (void)state;
    MAKE(&model, lines, "mib");
    build(&model);
    assert_int_equal(model.bundles.count, 5);
    assert_string_equal(model_text(&model, model_bundle(&model, 0)->template), "mib");
    assert_int_equal(model_bundle(&model, 1)->first_instruction, 4);
    assert_int_equal(model_bundle(&model, 1)->stops, 2);
    assert_int_equal(model_bundle(&model, 2)->instruction_count, 2);
    assert_int_equal(model_bundle(&model, 2)->stops, 4);
    assert_int_equal(model_bundle(&model, 2)->block, 3);
    assert_int_equal(model.issue_groups.count, 5);
    for (uint32_t i = 0; i < 5; i++) {
        assert_int_equal(model_issue_group(&model, i)->first_instruction, firsts[i]);
        assert_int_equal(model_issue_group(&model, i)->instruction_count, counts[i]);
        assert_int_equal(model_issue_group(&model, i)->noop_count, noops[i]);
    }
    assert_int_equal(model_issue_group(&model, 2)->block, 3);
    model_free(&model);

    MAKE(&model, lines, ""); /* the assembler makes the bundles: only stops are known */
    build(&model);
    assert_int_equal(model.bundles.count, 0);
    assert_int_equal(model.issue_groups.count, 5);
    model_free(&model);
}

/* daxpy as the compiler writes it: 11 stages, one cycle each. */
#define KERNEL(setup, cycles, write)                                                                         \
    {                                                                                                        \
        setup, {.label = "k", .name = "ldfd", .predicate = P + 16, .cycle = cycles},                         \
            {.name = "fma", .predicate = P + 22, .cycle = cycles, .written = write}, {.name = "nop"},        \
            {.name = "stfd", .predicate = P + 26, .cycle = cycles}, {.name = "nop"},                         \
            {.name = "br",                                                                                   \
             .operation = operation_COUNTED_TOP,                                                             \
             .flow = flow_BRANCH,                                                                            \
             .target = "k",                                                                                  \
             .marks = STOP,                                                                                  \
             .cycle = cycles},                                                                               \
        {                                                                                                    \
            .name = "br", .completers = ".ret", .flow = flow_RETURN, .marks = STOP                           \
        }                                                                                                    \
    }
#define SETUP(mask, count)                                                                                   \
    {.label = "F", .name = "mov", .written = PR_ROT, .immediate = mask},                                     \
        {.name = "mov", .written = AR_EC, .immediate = count},                                               \
    {                                                                                                        \
        .name = "nop", .marks = STOP                                                                         \
    }

static void add_directive(struct model *model, enum directive_kind kind, const char *name, const char *text,
                          uint64_t address)
{
    struct directive *row = model_add(&model->directives);
    *row = (struct directive){.program = 1, .file = 1, .kind = (uint8_t)kind, .address = address};
    row->name = model_string(model, name);
    row->text = model_string(model, text);
}

/* A jump through a table that the listing names: one edge for each place, none guessed. */
static void test_jump_table(void **state)
{
    static const struct line lines[] = {
        {.label = "F", .name = "addl @ltoffx(.L4)"},
        {.name = "br", .flow = flow_JUMP, .marks = LAST},
        {.name = "sub", .marks = LAST},
        {.name = "br", .completers = ".ret", .flow = flow_RETURN, .marks = LAST},
        {.name = "br", .completers = ".ret", .flow = flow_RETURN, .marks = LAST},
        {.label = "G", .name = "addl @ltoffx(.L9)"},
        {.name = "br", .flow = flow_JUMP, .marks = LAST},
    };
    struct model model;
    (void)state;
    MAKE(&model, lines, "mib");
    add_directive(&model, directive_kind_LABEL, "F", NULL, PLACE);
    add_directive(&model, directive_kind_LABEL, ".L1", NULL, PLACE + 0x10);
    add_directive(&model, directive_kind_LABEL, ".L2", NULL, PLACE + 0x30);
    add_directive(&model, directive_kind_LABEL, ".L4", NULL, NO_ADDRESS);
    add_directive(&model, directive_kind_DIRECTIVE, "data8", "@pcrel(.L2)", NO_ADDRESS);
    add_directive(&model, directive_kind_COMMENT, NULL, "two of them", NO_ADDRESS);
    add_directive(&model, directive_kind_DIRECTIVE, "data8", ".L1-.L4, .L2-.L4", NO_ADDRESS);
    add_directive(&model, directive_kind_DIRECTIVE, "data8", "77", NO_ADDRESS);
    build(&model);
    assert_int_equal(model_block(&model, 1)->ends, block_end_SWITCH);
    assert_true(has_edge(&model, 1, 2, edge_kind_SWITCH));
    assert_true(has_edge(&model, 1, 3, edge_kind_SWITCH));
    assert_int_equal(model.edges.count, 2);
    assert_int_equal(model_block(&model, 4)->ends, block_end_INDIRECT); /* .L9 is nowhere */
    assert_int_equal(problems_of(&model, problem_kind_INDIRECT), 1);
    model_free(&model);
}

static struct pipelined_loop pipeline(const struct line *lines, size_t count)
{
    struct model model;
    make(&model, lines, count, "mfi");
    build(&model);
    assert_int_equal(model.pipelined_loops.count, 1 + 1);
    struct pipelined_loop row = *model_pipelined_loop(&model, 1);
    assert_int_equal(row.loop, 1);
    const struct encoding *branch = model_encoding(&model, model_instruction(&model, row.branch)->encoding);
    assert_string_equal(model_text(&model, branch->name), "br");
    model_free(&model);
    return row;
}
#define PIPELINE(lines) pipeline(lines, sizeof lines / sizeof lines[0])

static void test_pipelined_loops(void **state)
{
    static const struct line folded[] = KERNEL(SETUP(1 << 16, 11), 1, 0);
    static const struct line explicit_prologue[] = KERNEL(SETUP(0x70000, 11), 5, 0);
    static const struct line explicit_epilogue[] = KERNEL(SETUP(1 << 16, 1), 0, 0);
    static const struct line with_condition[] = KERNEL(SETUP(1 << 16, 7), 0, P + 24);
    (void)state;
    struct pipelined_loop row = PIPELINE(folded);
    assert_int_equal(row.initiation_interval, 1);
    assert_int_equal(row.stages, 11);
    assert_true(row.is_counted && row.is_prologue_folded && row.is_epilogue_folded);
    row = PIPELINE(explicit_prologue);
    assert_int_equal(row.initiation_interval, 5);
    assert_false(row.is_prologue_folded || row.is_epilogue_folded);
    row = PIPELINE(explicit_epilogue); /* no cycles: one issue group */
    assert_int_equal(row.initiation_interval, 1);
    assert_true(row.is_prologue_folded);
    assert_false(row.is_epilogue_folded);
    row = PIPELINE(with_condition); /* p24 is written: p24 and p26 are no stages */
    assert_int_equal(row.stages, 7);
    assert_true(row.is_epilogue_folded);
}

static void test_while_loop(void **state)
{
    static const struct line lines[] = {
        {.label = "F", .name = "mov", .written = R9, .immediate = 3, .marks = STOP},
        {.name = "mov", .written = AR_EC, .read = R9},
        {.name = "mov", .written = PR_ROT, .immediate = 1 << 16, .marks = STOP},
        {.label = "k", .name = "ld8", .predicate = P + 16, .marks = STOP},
        {.name = "cmp", .predicate = P + 17, .written = P + 18, .marks = STOP},
        {.name = "br",
         .operation = operation_WHILE_EXIT,
         .predicate = P + 18,
         .flow = flow_BRANCH,
         .target = "x"},
        {.name = "br",
         .operation = operation_WHILE_TOP,
         .predicate = P + 18,
         .flow = flow_BRANCH,
         .target = "k",
         .marks = STOP},
        {.label = "x", .name = "br", .completers = ".ret", .flow = flow_RETURN, .marks = STOP},
    };
    (void)state;
    struct pipelined_loop row = PIPELINE(lines);
    assert_int_equal(row.branch, 7); /* the top one of the two */
    assert_int_equal(row.initiation_interval, 3);
    assert_int_equal(row.stages, 3);
    assert_false(row.is_counted);
    assert_true(row.is_prologue_folded && row.is_epilogue_folded);
}

static void state_block(struct model *model, uint32_t number, uint64_t address, const char *before,
                        const char *after)
{
    struct compiler_block *row = model_add(&model->compiler_blocks);
    *row = (struct compiler_block){.program = 1, .line = number * 10, .number = number, .address = address};
    row->predecessors = model_string(model, before);
    row->successors = model_string(model, after);
}

static const struct line diamond[] = {
    {.label = "F", .name = "cmp"},
    {.name = "br", .predicate = 6, .flow = flow_BRANCH, .target = "else"},
    {.name = "nop"},
    {.name = "add", .marks = LAST},
    {.name = "br", .flow = flow_JUMP, .target = "end", .marks = LAST},
    {.label = "else", .name = "sub"},
    {.name = "sub"}, /* a block of the compiler's starts here, in the middle of a bundle */
    {.name = "sub"},
    {.label = "end", .name = "br", .completers = ".ret", .flow = flow_RETURN, .marks = STOP},
};

static void test_compiler_blocks_agree(void **state)
{
    struct model model;
    (void)state;
    MAKE(&model, diamond, "mib");
    state_block(&model, 1, PLACE, NULL, "2 9");
    state_block(&model, 2, PLACE + 0x10, "1", "5");
    state_block(&model, 3, PLACE + 0x30, "9", "6"); /* 9 has no comment: it leads here */
    state_block(&model, 6, PLACE + 0x36, "3", "4");
    state_block(&model, 4, PLACE + 0x40, "6", "5"); /* nothing is left of 4 */
    state_block(&model, 5, PLACE + 0x40, "2 4", NULL);
    build(&model);
    for (uint32_t id = 1; id <= 6; id++) {
        const struct compiler_block *row = model_compiler_block(&model, id);
        assert_int_equal(row->function, 1);
        assert_int_not_equal(row->block, 0);
        assert_int_equal(model_block(&model, row->block)->address, row->address);
        assert_true(row->is_agreed);
    }
    assert_int_equal(problems_of(&model, problem_kind_BLOCKS), 0);
    assert_int_equal(model_compiler_block(&model, 5)->block, model_compiler_block(&model, 6)->block);
    model_free(&model);
}

static void test_compiler_blocks_differ(void **state)
{
    struct model model;
    (void)state;
    MAKE(&model, diamond, "mib");
    state_block(&model, 1, PLACE, NULL, "2");         /* the way to else is missing, */
    state_block(&model, 2, PLACE + 0x10, "1", "5");   /* and else is no block */
    state_block(&model, 5, PLACE + 0x40, "2", "1");   /* returns */
    state_block(&model, 7, PLACE + 0x44, NULL, NULL); /* no instruction starts there */
    build(&model);
    assert_false(model_compiler_block(&model, 1)->is_agreed);
    assert_true(model_compiler_block(&model, 2)->is_agreed);
    assert_false(model_compiler_block(&model, 3)->is_agreed);
    assert_int_equal(model_compiler_block(&model, 4)->block, 0);
    assert_false(model_compiler_block(&model, 4)->is_agreed);
    assert_int_equal(problems_of(&model, problem_kind_BLOCKS), 3 + 1);
    const char *text = model_text(&model, model_problem(&model, 1)->text);
    assert_non_null(strstr(text, "F, line 10"));
    text = model_text(&model, model_problem(&model, 2)->text);
    assert_non_null(strstr(text, "F, line 6")); /* of the listing */
    model_free(&model);
}

static void test_listing_rows(void **state)
{
    struct model model;
    (void)state;
    MAKE(&model, diamond, "mib");
    struct listing_instruction *rows = model.listing_instructions.data, first = rows[0];
    size_t count = model.listing_instructions.count;
    rows[0] = rows[count - 1];
    rows[count - 1] = first;
    struct listing_instruction *data = model_add(&model.listing_instructions);
    *data = (struct listing_instruction){.program = 1, .address = PLACE + 0x2c, .line = 99};
    build(&model);
    assert_int_equal(model.listing_instructions.count, count);
    for (uint32_t i = 0; i < count; i++) {
        assert_int_equal(model_listing_instruction(&model, i)->instruction, i + 1);
        assert_int_equal(model_listing_instruction(&model, i)->line, i + 1);
    }
    model_free(&model);
}

/* A listing that was assembled: marks before statements, one of which gives three instructions. */
static void test_marks_of_statements(void **state)
{
    static const uint8_t bytes[] = {0x90, 0x90, 0x90, 0x90, 0xc3};
    static const struct listing_instruction marks[] = {
        {.program = 1, .address = 0x100, .line = 4, .cycle = NO_NUMBER, .number = NO_NUMBER},
        {.program = 1,
         .address = 0x101,
         .line = 5,
         .cycle = NO_NUMBER,
         .number = NO_NUMBER}, /* gave no code */
        {.program = 1, .address = 0x101, .line = 7, .cycle = NO_NUMBER, .number = 3},
        {.program = 1, .address = 0x104, .line = 9, .cycle = NO_NUMBER, .number = NO_NUMBER}};
    static const uint32_t lines[] = {4, 7, 7, 7, 9};
    struct model model;
    (void)state;
    model_init(&model);
    *(struct program *)model_add(&model.programs) =
        (struct program){.isa = isa_X86_64, .format = format_LISTING, .bits = 64};
    *(struct section *)model_add(&model.sections) = (struct section){.program = 1,
                                                                     .address = 0x100,
                                                                     .size = sizeof bytes,
                                                                     .is_code = 1,
                                                                     .is_loaded = 1,
                                                                     .contents = {bytes, sizeof bytes}};
    add_symbol(&model, "f", 0x100, 0x100 + sizeof bytes);
    memcpy(array_add_many(&model.listing_instructions, 4), marks, sizeof marks);
    build(&model);
    assert_int_equal(model.listing_instructions.count, 5);
    for (uint32_t i = 0; i < 5; i++) {
        assert_int_equal(model_listing_instruction(&model, i)->instruction, i + 1);
        assert_int_equal(model_listing_instruction(&model, i)->line, lines[i]);
        assert_int_equal(model_listing_instruction(&model, i)->number, i == 1 ? 3 : NO_NUMBER);
    }
    assert_non_null(model_block_bytes(&model, model_block(&model, 1)).data);
    assert_int_equal(model.bundles.count + model.issue_groups.count, 0);
    model_free(&model);
}

/* All rows of a question, columns with a blank after them, rows with a bar. */
static void ask(struct store *store, const char *question, const char *expected)
{
    char answer[1000] = "";
    sqlite3_stmt *statement;
    assert_int_equal(sqlite3_prepare_v2(store_connection(store), question, -1, &statement, NULL), SQLITE_OK);
    while (sqlite3_step(statement) == SQLITE_ROW) {
        for (int i = 0; i < sqlite3_column_count(statement); i++) {
            const char *text = (const char *)sqlite3_column_text(statement, i);
            snprintf(answer + strlen(answer), sizeof answer - strlen(answer), "%s ", text ? text : "-");
        }
        snprintf(answer + strlen(answer), sizeof answer - strlen(answer), "|");
    }
    sqlite3_finalize(statement);
    assert_string_equal(answer, expected);
}

static void ask_views(struct store *store)
{
    ask(store, "select line, cycle, template, position from listing_code where instruction in (1, 6)",
        "1 - mib 0 |6 - mib 0 |");
    ask(store, "select name, predicate, slot, is_unknown, bytes from instructions where id < 3",
        "cmp - none 0 - |br p6 none 0 - |");
    ask(store, "select size, bytes from blocks where id = 1", "- - |");
    ask(store, "select block, register from live_in order by 1, 2", "2 r9 |3 r9 |4 p7 |");
    ask(store, "select register from live_in where block = 3", "r9 |");
    ask(store, "select block, register from live_out order by 1, 2", "1 r9 |2 p7 |3 p7 |");
    ask(store, "select instruction, register from definitions order by 1", "4 r9 |");
    ask(store, "select instruction, full_register from uses order by 1", "6 r9 |");
}

/* The views answer the same from memory and from disk. */
static void test_views(void **state)
{
    struct model model;
    struct error error = {0};
    char path[] = "/tmp/assay-test-XXXXXX";
    (void)state;
    MAKE(&model, diamond, "mib");
    build(&model);
    const struct live_range ranges[] = {
        {.function = 1, .register_ = P + 7, .first_block = 4, .last_block = 4},
        {.function = 1, .register_ = R9, .first_block = 2, .last_block = 3}};
    memcpy(array_add_many(&model.live_ranges, 2), ranges, sizeof ranges);
    const struct register_use uses[] = {
        {.encoding = model_instruction(&model, 4)->encoding, .register_ = R9, .access = access_WRITE},
        {.encoding = model_instruction(&model, 6)->encoding, .register_ = R9, .access = access_READ}};
    memcpy(array_add_many(&model.register_uses, 2), uses, sizeof uses);
    struct store *store = store_open_model(&model, &error);
    assert_non_null(store);
    ask_views(store);
    store_close(store);
    close(mkstemp(path));
    assert_true(store_write(&model, path, 0, &error));
    store = store_open_file(path, &error);
    assert_non_null(store);
    ask_views(store);
    store_close(store);
    unlink(path);
    model_free(&model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_predicates_fall_through),
        cmocka_unit_test(test_second_entry),
        cmocka_unit_test(test_bundles_and_groups),
        cmocka_unit_test(test_pipelined_loops),
        cmocka_unit_test(test_while_loop),
        cmocka_unit_test(test_compiler_blocks_agree),
        cmocka_unit_test(test_compiler_blocks_differ),
        cmocka_unit_test(test_listing_rows),
        cmocka_unit_test(test_marks_of_statements),
        cmocka_unit_test(test_views),
        cmocka_unit_test(test_jump_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
