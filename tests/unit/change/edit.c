/* Edits of small listings: what is refused, with the reason, and what becomes of the text. */
#include "change/edit/edit.h"

#include "code/structure/structure.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "own_folder.h"

#include <string.h>

static const char listing[] = "\t.text\n"
                              "\t.globl f\n"
                              "\t.type f, @function\n"
                              "f:\n"
                              "\tpushq %rbx\n" /* line 5 */
                              "\tmovq %rdi, -16(%rsp)\t# 8-byte Spill\n"
                              "\tmovq -16(%rsp), %rdi\t# 8-byte Reload\n"
                              "\tmovq $5, -24(%rsp)\n"
                              "\tmovq $6, -24(%rsp)\n"
                              "\tmovq %rdi, %rax\n" /* line 10 */
                              "\tleaq 1(%rdi), %rcx\n"
                              "\tmovq $7, %rdx\n"
                              "\taddq (%rsi), %rax\n"
                              "\tmovq %rax, (%rsi)\n"
                              "\tnop\n" /* line 15 */
                              "\tcmpq %rax, %rcx\n"
                              "\tje .L1\n"
                              "\taddq %rcx, %rax\n"
                              ".L1: addq $1, %rax\n"
                              "\tmovl $3, %edx\n" /* line 20 */
                              "#APP\n"
                              "\tmovl $4, %ecx\n"
                              "#NO_APP\n"
                              "\tmovl $9, %ecx\n"
                              "\taddq -24(%rsp), %rax\n" /* line 25 */
                              "\tendbr64\n"
                              "\tfld1\n"
                              "\tfstp %st(0)\n"
                              "\tpopq %rbx\n"
                              "\tret\n" /* line 30 */
                              "\t.size f, .-f\n";

static uint32_t at_line(const struct model *model, uint32_t line)
{
    for (uint32_t i = 0; i < model->listing_instructions.count; i++)
        if (model_listing_instruction(model, i)->line == line)
            return model_listing_instruction(model, i)->instruction;
    return 0;
}

struct wanted {
    uint32_t line;
    enum edit_kind kind;
    const char *text;
    uint32_t other;
    const char *refusal; /* a part of it; NULL: it is done */
};

/* The text with the edits of these wishes, as a whole; "" where nothing is written. To be freed. */
static char *edited(const char *name, const char *text, const struct wanted *wanted, size_t count,
                    bool is_proposal)
{
    struct model model;
    struct trust trust;
    struct error error = {0};
    struct array wishes = ARRAY_OF(struct edit_wish), out = ARRAY_OF(char);
    struct edit_outcome outcome;
    write_file(name, text);
    model_init(&model);
    trust_begin(&trust, false);
    struct read_options reading = {.threads = 1, .trust = &trust};
    struct structure_options structuring = {.threads = 1};
    if (!read_file(&model, place(name), &reading, &error) || !structure_build(&model, &structuring, &error))
        fail_msg("%s", error.text);
    for (size_t i = 0; i < count; i++)
        *(struct edit_wish *)array_push(&wishes) = (struct edit_wish){
            .instruction = at_line(&model, wanted[i].line),
            .other = wanted[i].other ? at_line(&model, wanted[i].other) : 0,
            .kind = wanted[i].kind,
            .text = wanted[i].text ? memory_copy_text(wanted[i].text, strlen(wanted[i].text)) : NULL,
            .is_proposal = is_proposal};
    struct edit_work work = {.model = &model,
                             .program = 1,
                             .file = model_listing_text(&model, 1)->file,
                             .path = place(name),
                             .text = {(const uint8_t *)text, strlen(text)},
                             .reading = reading};
    if (!edit_apply(&work, &wishes, &out, &outcome, &error))
        fail_msg("%s", error.text);
    for (size_t i = 0; i < count; i++) {
        const char *refusal = ARRAY_AT(struct edit_wish, &wishes, i)->refusal, *expected = wanted[i].refusal;
        if (!refusal != !expected || (refusal && !strstr(refusal, expected)))
            fail_msg("line %u: %s\nnot: %s", wanted[i].line, refusal ? refusal : "done",
                     expected ? expected : "done");
    }
    char *result = memory_copy_text(out.count ? out.data : "", out.count);
    array_free(&out);
    edit_wishes_free(&wishes);
    trust_free(&trust);
    model_free(&model);
    return result;
}

/* One by one, because edits of one function may depend on each other. */
static void each(const char *name, const char *text, const struct wanted *wanted, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        char *result = edited(name, text, &wanted[i], 1, false);
        if (!*result != (wanted[i].refusal != NULL))
            fail_msg("line %u: written although refused, or not written", wanted[i].line);
        free(result);
    }
}

#define DELETE edit_kind_DELETE
#define BEFORE edit_kind_BEFORE
#define AFTER edit_kind_AFTER
#define REPLACE edit_kind_REPLACE
#define SWAP edit_kind_SWAP

static void edits_are_judged(void **state)
{
    (void)state;
    static const struct wanted wanted[] = {
        /* Deleted. */
        {7, DELETE, NULL, 0, NULL},
        {6, DELETE, NULL, 0, "line 7 (movq -16(%rsp), %rdi) reads the 8 bytes of the frame"},
        {8, DELETE, NULL, 0, "may be a volatile variable"},
        {12, DELETE, NULL, 0, NULL},
        {15, DELETE, NULL, 0, NULL},
        {11, DELETE, NULL, 0, "line 16 (cmpq %rax, %rcx) reads rcx"},
        {10, DELETE, NULL, 0, "line 13 (addq (%rsi), %rax) reads rax"},
        {20, DELETE, NULL, 0, "line 30 (ret) leaves the function with rdx"},
        {14, DELETE, NULL, 0, "stores to memory that others may read"},
        {13, DELETE, NULL, 0, "loads from memory that may be volatile"},
        {16, DELETE, NULL, 0, "line 17 (je .L1) reads zf"},
        {17, DELETE, NULL, 0, "control flow stays as it is"},
        {30, DELETE, NULL, 0, "control flow stays as it is"},
        {5, DELETE, NULL, 0, "the stack pointer stays as it is"},
        {19, DELETE, NULL, 0, "shares its line with a label"},
        {22, DELETE, NULL, 0, "inline assembler"},
        {26, DELETE, NULL, 0, "a hint or a landing mark"},
        {27, DELETE, NULL, 0, "x87 stack"},
        /* Inserted. */
        {14, BEFORE, "nop", 0, NULL},
        {14, AFTER, "prefetcht0 64(%rsi)\nprefetcht0 128(%rsi)", 0, NULL},
        {14, BEFORE, "movl $1, %edx", 0, NULL},
        {14, BEFORE, "movl $1, %ecx", 0, "line 16 (cmpq %rax, %rcx) reads rcx"},
        {14, BEFORE, "movl $1, %r8d", 0, "line 30 (ret) leaves the function with r8"},
        {17, BEFORE, "addl $0, %edx", 0, "reads zf"},
        {14, BEFORE, "movq %rax, 8(%rsi)", 0, "stores to memory"},
        {14, BEFORE, "movq 8(%rsi), %rdx", 0, "may not be there"},
        {14, BEFORE, "pushq %rax", 0, "the stack pointer stays as it is"},
        {14, BEFORE, "call g", 0, "control flow stays as it is"},
        {14, BEFORE, "jmp .L1", 0, "control flow stays as it is"},
        {14, BEFORE, "ret", 0, "control flow stays as it is"},
        {14, BEFORE, "syscall", 0, "system"},
        {14, BEFORE, "nonsense %rax", 0, "the assembler says"},
        {14, BEFORE, "x: nop", 0, "has a label"},
        {14, BEFORE, ".byte 0x90", 0, "has a directive"},
        {14, BEFORE, "nop; nop", 0, "one a line"},
        {14, BEFORE, "lock", 0, "prefix"},
        {12, BEFORE, "divl %ecx", 0, "a division, which may trap"},
        {24, BEFORE, "movl $2, %ecx", 0, NULL},
        {14, BEFORE, "", 0, "has no text"},
        {26, BEFORE, "nop", 0, "nothing may come before a landing mark"},
        {17, AFTER, "nop", 0, "control does not simply go on"},
        /* Replaced. */
        {12, REPLACE, "movl $7, %edx", 0, NULL},
        {10, REPLACE, "leaq (%rdi), %rax", 0, NULL},
        {10, REPLACE, "movq %rdi, %r9", 0, "reads rax"},
        {11, REPLACE, "addq $1, %rcx", 0, NULL},
        {16, REPLACE, "movq %rax, %rcx", 0, "line 17 (je .L1) reads zf"},
        {14, REPLACE, "movq %rcx, (%rsi)", 0, NULL},
        {14, REPLACE, "movq %rax, 8(%rsi)", 0, "of as many bytes to the same place"},
        {14, REPLACE, "movl %eax, (%rsi)", 0, "of as many bytes to the same place"},
        {7, REPLACE, "movq %rdi, %rdi", 0, NULL},
        {13, REPLACE, "addq $1, %rax", 0, "may be volatile"},
        {12, REPLACE, "nop\nnop", 0, "one instruction is replaced by one"},
        /* Swapped. */
        {11, SWAP, NULL, 12, NULL},
        {12, SWAP, NULL, 10, NULL},
        {10, SWAP, NULL, 13, "depend on each other by a register"},
        {13, SWAP, NULL, 14, "depend on each other by a register"},
        {8, SWAP, NULL, 9, "may meet in memory"},
        {12, SWAP, NULL, 20, "different blocks"},
        {16, SWAP, NULL, 17, "control flow"},
        {12, SWAP, NULL, 12, "the same instruction"},
    };
    each("f.s", listing, wanted, sizeof wanted / sizeof *wanted);
}

static void only_edited_lines_change(void **state)
{
    (void)state;
    static const struct wanted wanted[] = {{7, DELETE, NULL, 0, NULL},
                                           {12, REPLACE, "\tmovl $7, %edx", 0, NULL},
                                           {14, AFTER, "nop", 0, NULL},
                                           {14, BEFORE, "nop", 0, NULL}};
    char *result = edited("f.s", listing, wanted, 4, false), *at = result;
    static const char *const lines[] = {
        "// assay: deleted: movq -16(%rsp), %rdi # 8-byte Reload\n",
        "// assay: replaced: movq $7, %rdx\n\tmovl $7, %edx\n",
        "// assay: inserted\n\tnop\n\tmovq %rax, (%rsi)\n// assay: inserted\n\tnop\n"};
    static const uint32_t places[] = {7, 12, 14};
    const char *old = listing;
    uint32_t line = 1;
    for (unsigned i = 0; i < 3; i++) {
        for (; line < places[i]; line++) {
            size_t length = strcspn(old, "\n") + 1;
            assert_memory_equal(at, old, length);
            at += length;
            old += length;
        }
        assert_memory_equal(at, lines[i], strlen(lines[i]));
        at += strlen(lines[i]);
        old += strcspn(old, "\n") + 1;
        line++;
    }
    assert_string_equal(at, old);
    free(result);
}

/* What one edit changes may be what another relied on. */
static void edits_are_judged_together(void **state)
{
    (void)state;
    static const struct wanted both[] = {{11, DELETE, NULL, 0, "line 16 (cmpq %rax, %rcx) reads rcx"},
                                         {12, DELETE, NULL, 0, NULL}};
    char *result = edited("f.s", listing, both, 2, true);
    assert_non_null(strstr(result, "// assay: deleted: movq $7, %rdx\n"));
    assert_non_null(strstr(result, "\tleaq 1(%rdi), %rcx\n"));
    free(result);
    result = edited("f.s", listing, both, 2, false); /* commands: all or nothing */
    assert_string_equal(result, "");
    free(result);
    static const struct wanted twice[] = {{12, DELETE, NULL, 0, NULL},
                                          {12, REPLACE, "movl $7, %edx", 0, "another edit changes the same"}};
    free(edited("f.s", listing, twice, 2, true));
    static const struct wanted window[] = {{12, SWAP, NULL, 10, "another edit is between the two"},
                                           {11, BEFORE, "nop", 0, NULL}};
    free(edited("f.s", listing, window, 2, true));
    /* An inserted definition is dead only as long as nobody reads it; a replacement does. */
    static const struct wanted chain[] = {{12, BEFORE, "movl $1, %edx", 0, "reads (as it is replaced) rdx"},
                                          {12, REPLACE, "leaq 6(%rdx), %rdx", 0, NULL}};
    free(edited("f.s", listing, chain, 2, true));
}

static const char frames[] = "\t.text\n"
                             "\t.globl g\n"
                             "\t.type g, @function\n"
                             "g:\n"
                             "\tsubq $40, %rsp\n"
                             "\tmovq %rdi, 8(%rsp)\t# 8-byte Spill\n" /* line 6 */
                             "\tmovq $1, 16(%rsp)\t# 8-byte Spill\n"
                             "\tmovq %rbx, 24(%rsp)\t# 8-byte Spill\n"
                             "\tcall h\n"
                             "\tmovq 8(%rsp), %rdi\t# 8-byte Reload\n" /* line 10 */
                             "\tmovq %rdi, %rax\n"
                             "\tmovq 24(%rsp), %rbx\t# 8-byte Reload\n"
                             "\taddq $40, %rsp\n"
                             "\tret\n"
                             "\t.size g, .-g\n"
                             "\t.globl k\n"
                             "\t.type k, @function\n"
                             "k:\n"
                             "\tsubq $40, %rsp\n"
                             "\tmovq $1, 16(%rsp)\t# 8-byte Spill\n" /* line 20 */
                             "\tmovq $2, 16(%rsp)\t# 8-byte Spill\n"
                             "\tmovl $5, %ebx\n"
                             "\tleaq 16(%rsp), %rdi\n"
                             "\tcall _setjmp\n"
                             "\tmovq 16(%rsp), %rax\n"
                             "\taddq $40, %rsp\n"
                             "\tret\n"
                             "\t.size k, .-k\n";

static void the_frame_is_watched(void **state)
{
    (void)state;
    static const struct wanted wanted[] = {
        {6, DELETE, NULL, 0, "line 10 (movq 8(%rsp), %rdi) reads the 8 bytes of the frame"},
        {7, DELETE, NULL, 0, "something may read what it stores"},
        {8, DELETE, NULL, 0, "something may read what it stores, such as the unwinder"},
        {10, DELETE, NULL, 0, "reads rdi"},
        {12, DELETE, NULL, 0, NULL}, /* h keeps rbx, so it holds the value still */
        {20, DELETE, NULL, 0, "something may read what it stores"},
        {22, DELETE, NULL, 0, "control flow or the stack of its function is not known completely"},
    };
    each("g.s", frames, wanted, sizeof wanted / sizeof *wanted);
}

/* IA-64: a deletion leaves the no-op of its slot with its stop, and groups stay independent. */
static const char bundles[] = "\t.text\n"
                              "\t.global f#\n"
                              "\t.proc f#\n"
                              "f:\n"
                              "{ .mmi\n"
                              "\tld8 r14=[r32]\n" /* line 6 */
                              "\tadd r15=1,r33\n"
                              "\tnop.i 0 ;;\n"
                              "}\n"
                              "{ .mii\n"
                              "\tadd r16=2,r15\n" /* line 11 */
                              "\tadd r17=3,r33\n"
                              "\tnop.i 0 ;;\n"
                              "}\n"
                              "{ .mii\n"
                              "\tadd r18=4,r33\n" /* line 16 */
                              "\tadd r19=5,r33\n"
                              "\tnop.i 0 ;;\n"
                              "}\n"
                              "{ .mmi\n"
                              "\tnop.m 0\n" /* line 21 */
                              "\tst8 [r32]=r16\n"
                              "\tadd r8=r17,r18 ;;\n"
                              "}\n"
                              "{ .mib\n"
                              "\tnop.m 0\n"
                              "\tadd r8=r8,r19\n" /* line 27 */
                              "\tbr.ret.sptk.many b0\n"
                              "}\n"
                              "\t.endp f#\n";

static void bundles_and_groups_stay_legal(void **state)
{
    (void)state;
    static const struct wanted wanted[] = {
        {6, DELETE, NULL, 0, "may be volatile"},
        {7, DELETE, NULL, 0, "line 11 (add r16=2,r15) reads r15"},
        {27, DELETE, NULL, 0, "line 28 (br.ret.sptk.many b0) leaves the function with r8"},
        {8, REPLACE, "add r8=1,r33", 0, NULL},
        {8, REPLACE, "add r8=1,r15", 0, "it would depend on line 7 in its issue group"},
        {8, REPLACE, "add r15=1,r33", 0, "it would depend on line 7 in its issue group"},
        {21, REPLACE, "lfetch [r32]", 0, NULL},
        {18, REPLACE, "lfetch [r32]", 0, "does not fit the rest of a bundle"},
        {21, REPLACE, "nonsense r1=r2", 0, "no such instruction"},
        {21, REPLACE, "ld8 r9=[r33]", 0, "may not be there"},
        {21, BEFORE, "nop.m 0", 0, "bundles keep their templates"},
        {12, SWAP, NULL, 16, NULL},
        {12, SWAP, NULL, 23, "depend on each other by a register"},
        {21, SWAP, NULL, 26, NULL},
        {17, SWAP, NULL, 26, "slots of different kinds"},
        {11, edit_kind_SWAP_BUNDLES, NULL, 17, NULL},
        {6, edit_kind_SWAP_BUNDLES, NULL, 11,
         "line 7 (add r15=1,r33) and line 11 (add r16=2,r15) depend on each other"},
        {6, edit_kind_SWAP_BUNDLES, NULL, 7, "the two are in one bundle"},
    };
    each("ia.s", bundles, wanted, sizeof wanted / sizeof *wanted);
    static const struct wanted gone[] = {{8, REPLACE, "add r8=1,r33", 0, NULL},
                                         {17, DELETE, NULL, 0, "reads r19"}};
    char *result = edited("ia.s", bundles, gone, 2, true);
    assert_non_null(strstr(result, "// assay: replaced: nop.i 0 ;;\n\tadd r8=1,r33 ;;\n}\n"));
    free(result);
    result = edited("ia.s", bundles, &wanted[15], 1, false);
    assert_non_null(
        strstr(result, "// assay: bundle swapped with line 15\n{ .mii\n\tadd r18=4,r33\n\tadd r19=5,r33\n"
                       "\tnop.i 0 ;;\n}\n// assay: bundle swapped with line 10\n{ .mii\n\tadd r16=2,r15\n"));
    free(result);
    static const struct wanted here[] = {{12, edit_kind_SWAP_BUNDLES, NULL, 14, "only IA-64 has bundles"}};
    free(edited("f.s", listing, here, 1, false));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(edits_are_judged),
        cmocka_unit_test(only_edited_lines_change),
        cmocka_unit_test(edits_are_judged_together),
        cmocka_unit_test(the_frame_is_watched),
        cmocka_unit_test(bundles_and_groups_stay_legal),
    };
    return cmocka_run_group_tests_name("edit", tests, make_folder, remove_folder);
}
