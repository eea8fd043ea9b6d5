/* Code of trampolines of AArch64 as our disassembler reads it: every word that the encoder can make, whole
   trampolines, and what is not moved.  trampoline_aarch64_run.c executes them. */
#include "run/probe/trampoline/aarch64.h"
#include "code/read/aarch64/text.h"
#include "runtime/probe/record_file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

static void test_words(void **state)
{
    (void)state;
    const struct {
        uint32_t word;
        const char *text;
    } cases[] = {
        {arm_add_immediate(3, ARM_SP, 4095, false), "add x3, sp, #0xfff"},
        {arm_add_immediate(3, 4, 1, true), "add x3, x4, #0x1, lsl #12"},
        {arm_subtract_immediate(3, 4, 16, false), "sub x3, x4, #0x10"},
        {arm_add(1, 2, 3, 3), "add x1, x2, x3, lsl #3"},
        {arm_subtract(1, 2, 3), "sub x1, x2, x3"},
        {arm_multiply(1, 2, 3), "mul x1, x2, x3"},
        {arm_add_extended(1, ARM_SP, 3, ARM_UXTX, 0), "add x1, sp, x3"},
        {arm_add_extended(1, 2, 3, ARM_SXTW, 4), "add x1, x2, w3, sxtw #4"},
        {arm_add_extended(1, 2, 3, ARM_UXTW, 2), "add x1, x2, w3, uxtw #2"},
        {arm_move(1, 30), "mov x1, x30"},
        {arm_shift_left(1, 2, 28), "lsl x1, x2, #28"},
        {arm_shift_right(1, 2, 8), "lsr x1, x2, #8"},
        {arm_shift_right_signed(1, 2, 63), "asr x1, x2, #63"},
        {arm_bits_unsigned(1, 2, 62, 31), "ubfiz x1, x2, #2, #32"},
        {arm_bits_signed(1, 2, 3, 31), "sbfx x1, x2, #3, #29"},
        {arm_movz(1, 0x1234, 0), "mov x1, #0x1234"},
        {arm_movn(1, 0, 0), "mov x1, #0xffffffffffffffff"},
        {arm_movk(1, 0x1234, 3), "movk x1, #0x1234, lsl #48"},
        {arm_load(1, 2, 32760), "ldr x1, [x2, #32760]"},
        {arm_store(1, ARM_SP, 16), "str x1, [sp, #16]"},
        {arm_load_extended(1, 2, 4095, 0, false), "ldrb w1, [x2, #4095]"},
        {arm_load_extended(1, 2, 6, 1, true), "ldrsh x1, [x2, #6]"},
        {arm_load_extended(1, 2, 8, 2, true), "ldrsw x1, [x2, #8]"},
        {arm_load_extended(1, 2, 8, 3, false), "ldr x1, [x2, #8]"},
        {arm_load_extended_near(1, 2, -256, 2, false), "ldur w1, [x2, #-256]"},
        {arm_load_extended_near(1, 2, 255, 0, true), "ldursb x1, [x2, #255]"},
        {arm_store_near(1, 2, -16), "stur x1, [x2, #-16]"},
        {arm_store_vector_near(1, 2, -8), "stur d1, [x2, #-8]"},
        {arm_store_vector(1, 2, 8), "str d1, [x2, #8]"},
        {arm_move_from_vector(1, 2), "fmov x1, d2"},
        {arm_store_pair(1, 2, 3, -16), "stp x1, x2, [x3, #-16]"},
        {arm_push(30, 16), "str x30, [sp, #-16]!"},
        {arm_pop(30, 16), "ldr x30, [sp], #16"},
        {arm_push_pair(16, 17, 32), "stp x16, x17, [sp, #-32]!"},
        {arm_pop_pair(16, 17, 32), "ldp x16, x17, [sp], #32"},
        {arm_load_literal(16, -24), "ldr x16, @"},
        {arm_thread_pointer(16), "mrs x16, tpidr_el0"},
        {arm_clock(16), "mrs x16, cntvct_el0"},
        {arm_branch(-4), "b @"},
        {arm_call(8), "bl @"},
        {arm_call_register(30), "blr x30"},
        {arm_page(5), "adrp x5, @"},
        {arm_branch_if_bit(5, 14), "tbnz w5, #14, @"},
        {arm_branch_if_bit(5, 40), "tbnz x5, #40, @"},
        {arm_branch_if_zero(5), "cbz x5, @"},
        {arm_branch_if_not_zero(5), "cbnz x5, @"},
        {ARM_RET_X30, "ret"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[100];
        assert_true(aarch64_write_text(cases[i].word, text, sizeof text));
        assert_string_equal(text, cases[i].text);
    }
}

/* One window at 0x1000 with one instruction. */
struct bench {
    struct probe_trampolines trampolines;
    struct probe_windows windows;
    struct probe_moved moved;
};

static void set_up(struct bench *bench, uint32_t word)
{
    *bench = (struct bench){
        .windows = {.windows = ARRAY_OF(struct probe_window), .points = ARRAY_OF(struct probe_point)},
        .moved = {.address = 0x1000, .size = 4, .target = NO_ADDRESS}};
    for (int i = 0; i < 4; i++)
        bench->moved.bytes[i] = (uint8_t)(word >> 8 * i);
    probe_trampolines_init(&bench->trampolines, 0);
    *(struct probe_window *)array_add(&bench->windows.windows) =
        (struct probe_window){.address = 0x1000, .size = 4, .moved_count = 1, .moved = &bench->moved};
}

static void tear_down(struct bench *bench)
{
    probe_trampolines_free(&bench->trampolines);
    array_free(&bench->windows.windows);
    array_free(&bench->windows.points);
}

static struct probe_point *add_point(struct bench *bench, unsigned where, struct probe_action action,
                                     uint32_t free)
{
    struct probe_point *point = array_add(&bench->windows.points);
    point->where = (uint8_t)where;
    point->action = action;
    point->free.general = free;
    bench->moved.point_count++;
    return point;
}

static bool encode(struct bench *bench)
{
    return aarch64_trampolines.encode(&bench->trampolines, &bench->windows,
                                      ARRAY_AT(struct probe_window, &bench->windows.windows, 0));
}

static const struct probe_plan_fix *fix_at(const struct bench *bench, uint32_t at)
{
    for (size_t i = 0; i < bench->trampolines.fixes.count; i++) {
        const struct probe_plan_fix *fix = ARRAY_AT(struct probe_plan_fix, &bench->trampolines.fixes, i);
        if (fix->at == at)
            return fix;
    }
    return NULL;
}

/* A line for each word; after it its fix, or where in the trampolines a branch leads. */
static void write_trampoline(const struct bench *bench, uint32_t from, char *text, size_t size)
{
    static const char *const kinds[] = {
        [PROBE_FIX_BRANCH26] = "to",          [PROBE_FIX_PAGE21] = "page of",
        [PROBE_FIX_LOCAL_HIGH12] = "high of", [PROBE_FIX_LOCAL_LOW12] = "low of",
        [PROBE_FIX_RUNTIME64] = "address of",
    };
    size_t used = 0;
    for (uint32_t at = from; at < bench->trampolines.code.count; at += 4) {
        uint32_t word;
        char line[100], note[100] = "";
        memcpy(&word, ARRAY_AT(uint8_t, &bench->trampolines.code, at), 4);
        assert_true(aarch64_write_text(word, line, sizeof line));
        const struct probe_plan_fix *fix = fix_at(bench, at);
        if (fix)
            snprintf(note, sizeof note, " %s %#lx", kinds[fix->kind], (unsigned long)fix->target);
        else if (strchr(line, '@'))
            snprintf(note, sizeof note, " %+ld", (long)(aarch64_target(word, at) - from));
        used += (size_t)snprintf(text + used, size - used, "%s%s\n", line, note);
        assert_true(used < size);
    }
}

static void check_trampoline(struct bench *bench, const char *expected)
{
    char text[4000];
    assert_true(encode(bench));
    aarch64_trampolines.finish(&bench->trampolines);
    uint32_t start = *ARRAY_AT(uint32_t, &bench->trampolines.starts, 0);
    write_trampoline(bench, start, text, sizeof text);
    assert_string_equal(text, expected);
    tear_down(bench);
}

enum { NOP = 0xd503201f, CALL = 0x94000010, RETURN = 0xd65f03c0, IF_EQUAL = 0x54000100 };
enum { FREE_TWO = 3 << 16, FREE_FOUR = 15 << 14 };

static struct probe_action event(uint32_t subject, unsigned kind, unsigned source, unsigned base)
{
    return (struct probe_action){
        .kind = PROBE_DO_EVENT,
        .identity = (subject + 1) << 4 | kind,
        .source = {.kind = (uint8_t)source, .base = (uint8_t)base, .index = PROBE_NO_REGISTER}};
}

static void test_stubs(void **state)
{
    struct bench bench;
    char text[1000];
    (void)state;
    set_up(&bench, NOP);
    assert_true(encode(&bench));
    const struct probe_plan_fix *fixes = bench.trampolines.fixes.data;
    assert_int_equal(fixes[0].at, 0);
    assert_int_equal(fixes[0].kind, PROBE_FIX_RUNTIME64);
    assert_int_equal(fixes[0].target, PROBE_ENTRY_FULL);
    assert_int_equal(fixes[1].at, 8);
    assert_int_equal(fixes[1].target, PROBE_ENTRY_TALLY);
    write_trampoline(&bench, 16, text, sizeof text);
    assert_string_equal(text, "stp x16, x17, [sp, #-32]!\n"
                              "str x30, [sp, #16]\n"
                              "ldr x16, @ -16\n"
                              "blr x16\n"
                              "ldr x30, [sp, #16]\n"
                              "ldp x16, x17, [sp], #32\n"
                              "ret\n"
                              "str x30, [sp, #-16]!\n"
                              "ldr x30, @ -8\n"
                              "blr x30\n"
                              "ldr x30, [sp], #16\n"
                              "ret\n"
                              "nop\n"
                              "b @ to 0x1004\n");
    assert_int_equal(*ARRAY_AT(uint32_t, &bench.trampolines.starts, 0), 64);
    tear_down(&bench);
}

static void test_clock_with_two_registers(void **state)
{
    struct bench bench;
    (void)state;
    set_up(&bench, NOP);
    add_point(&bench, PROBE_BEFORE, event(4, PROBE_ENTER, PROBE_FROM_CLOCK, 0), FREE_TWO);
    check_trampoline(&bench, "mrs x16, tpidr_el0\n"
                             "add x16, x16, #0x0, lsl #12 high of 0\n"
                             "ldr x17, [x16] low of 0\n"
                             "add x17, x17, #0x10\n"
                             "str x17, [x16] low of 0\n"
                             "ldur w16, [x17, #-16]\n"
                             "cbnz x16, @ +64\n"
                             "mov x16, sp\n"
                             "lsl x16, x16, #29\n"
                             "movk x16, #0x51\n"
                             "stur x16, [x17, #-16]\n"
                             "mrs x16, cntvct_el0\n"
                             "stur x16, [x17, #-8]\n"
                             "tbnz w17, #14, @ +76\n"
                             "nop\n"
                             "b @ to 0x1004\n"
                             "mrs x16, tpidr_el0\n"
                             "add x16, x16, #0x0, lsl #12 high of 0\n"
                             "b @ +12\n"
                             "str x30, [sp, #-16]!\n"
                             "bl @ -48\n"
                             "ldr x30, [sp], #16\n"
                             "b @ +56\n");
}

/* Nothing is free, x16 is the value: others are saved, and the stack pointer is the program's. */
static void test_value_without_registers(void **state)
{
    struct bench bench;
    (void)state;
    set_up(&bench, NOP);
    add_point(&bench, PROBE_AFTER, event(0x10000, PROBE_SEEN, PROBE_FROM_GENERAL, 16), 0);
    check_trampoline(&bench, "nop\n"
                             "stp x17, x15, [sp, #-16]!\n"
                             "mrs x17, tpidr_el0\n"
                             "add x17, x17, #0x0, lsl #12 high of 0\n"
                             "ldr x15, [x17] low of 0\n"
                             "add x15, x15, #0x10\n"
                             "str x15, [x17] low of 0\n"
                             "ldur w17, [x15, #-16]\n"
                             "cbnz x17, @ +68\n"
                             "add x17, sp, #0x10\n"
                             "lsl x17, x17, #29\n"
                             "movk x17, #0x15\n"
                             "movk x17, #0x10, lsl #16\n"
                             "stp x17, x16, [x15, #-16]\n"
                             "tbnz w15, #14, @ +80\n"
                             "ldp x17, x15, [sp], #16\n"
                             "b @ to 0x1004\n"
                             "mrs x17, tpidr_el0\n"
                             "add x17, x17, #0x0, lsl #12 high of 0\n"
                             "b @ +20\n"
                             "str x30, [sp, #-16]!\n"
                             "bl @ -48\n"
                             "ldr x30, [sp], #16\n"
                             "b @ +60\n");
}

/* The second of two events finds locals and position in their registers; the clock of what ends is read first
   where a register is there for it. */
static void test_two_events(void **state)
{
    struct bench bench;
    (void)state;
    set_up(&bench, RETURN);
    add_point(&bench, PROBE_BEFORE, event(0, PROBE_STOP, PROBE_FROM_GENERAL, 3), FREE_FOUR);
    add_point(&bench, PROBE_BEFORE, event(0, PROBE_LEAVE, PROBE_FROM_CLOCK, 0), FREE_FOUR);
    check_trampoline(&bench, "mrs x16, tpidr_el0\n"
                             "add x16, x16, #0x0, lsl #12 high of 0\n"
                             "ldr x17, [x16] low of 0\n"
                             "add x17, x17, #0x10\n"
                             "str x17, [x16] low of 0\n"
                             "ldur w15, [x17, #-16]\n"
                             "cbnz x15, @ +92\n"
                             "mov x15, sp\n"
                             "lsl x15, x15, #29\n"
                             "movk x15, #0x14\n"
                             "stp x15, x3, [x17, #-16]\n"
                             "tbnz w17, #14, @ +104\n"
                             "mrs x15, cntvct_el0\n"
                             "add x17, x17, #0x10\n"
                             "str x17, [x16] low of 0\n"
                             "ldur w16, [x17, #-16]\n"
                             "cbnz x16, @ +124\n"
                             "mov x16, sp\n"
                             "lsl x16, x16, #29\n"
                             "movk x16, #0x12\n"
                             "stp x16, x15, [x17, #-16]\n"
                             "tbnz w17, #14, @ +136\n"
                             "ret\n"
                             "mrs x16, tpidr_el0\n"
                             "add x16, x16, #0x0, lsl #12 high of 0\n"
                             "b @ +12\n"
                             "str x30, [sp, #-16]!\n"
                             "bl @ -48\n"
                             "ldr x30, [sp], #16\n"
                             "ldr x17, [x16] low of 0\n"
                             "b @ +48\n"
                             "mrs x16, tpidr_el0\n"
                             "add x16, x16, #0x0, lsl #12 high of 0\n"
                             "b @ +52\n"
                             "str x30, [sp, #-16]!\n"
                             "bl @ -48\n"
                             "ldr x30, [sp], #16\n"
                             "b @ +88\n");
}

static void test_tally(void **state)
{
    struct bench bench;
    (void)state;
    set_up(&bench, NOP);
    add_point(&bench, PROBE_AFTER,
              (struct probe_action){.kind = PROBE_DO_TALLY,
                                    .counter = 10,
                                    .tally = 3,
                                    .inverse = UINT64_MAX,
                                    .shift = 2,
                                    .bias = 1,
                                    .source = {.kind = PROBE_FROM_GENERAL, .base = 5}},
              FREE_FOUR);
    check_trampoline(&bench, "nop\n"
                             "mrs x16, tpidr_el0\n"
                             "add x16, x16, #0x0, lsl #12 high of 0x1\n"
                             "ldr x16, [x16] low of 0x1\n"
                             "ldr x17, [x16, #80]\n"
                             "sub x17, x17, x5\n"
                             "asr x17, x17, #2\n"
                             "add x17, x17, #0x1\n"
                             "lsr x15, x17, #8\n"
                             "cbnz x15, @ +60\n"
                             "add x16, x16, x17, lsl #3\n"
                             "ldr x15, [x16, #88]\n"
                             "add x15, x15, #0x1\n"
                             "str x15, [x16, #88]\n"
                             "b @ to 0x1004\n"
                             "stp x16, x17, [sp, #-32]!\n"
                             "str x30, [sp, #16]\n"
                             "mov x16, #0x3\n"
                             "bl @ -20\n"
                             "ldr x30, [sp, #16]\n"
                             "ldp x16, x17, [sp], #32\n"
                             "b @ +56\n");
}

static void test_branch_and_call(void **state)
{
    struct bench bench;
    struct probe_action clear = {.kind = PROBE_DO_CLEAR, .register_ = 9};
    struct probe_action increment = {.kind = PROBE_DO_INCREMENT, .register_ = 9};
    (void)state;
    set_up(&bench, IF_EQUAL);
    add_point(&bench, PROBE_BEFORE, clear, 0);
    add_point(&bench, PROBE_AFTER, increment, 0);
    add_point(&bench, PROBE_TAKEN, increment, 0);
    check_trampoline(&bench, "mov x9, #0x0\n"
                             "b.eq @ +16\n"
                             "add x9, x9, #0x1\n"
                             "b @ to 0x1004\n"
                             "add x9, x9, #0x1\n"
                             "b @ to 0x1020\n");
    set_up(&bench, CALL);
    add_point(&bench, PROBE_BEFORE, clear, 0);
    check_trampoline(&bench, "mov x9, #0x0\n"
                             "adrp x30, @ page of 0x1004\n"
                             "add x30, x30, #0x4\n"
                             "b @ to 0x1040\n");
    set_up(&bench, 0xd63f03c0); /* blr x30 */
    check_trampoline(&bench, "mov x16, x30\n"
                             "adrp x30, @ page of 0x1004\n"
                             "add x30, x30, #0x4\n"
                             "br x16\n");
    set_up(&bench, 0xd73f0bde); /* blraa x30, x30 */
    check_trampoline(&bench, "mov x16, x30\n"
                             "mov x17, x30\n"
                             "adrp x30, @ page of 0x1004\n"
                             "add x30, x30, #0x4\n"
                             "braa x16, x17\n");
    set_up(&bench, 0xd63f087f); /* blraaz x3 */
    check_trampoline(&bench, "adrp x30, @ page of 0x1004\n"
                             "add x30, x30, #0x4\n"
                             "braaz x3\n");
    set_up(&bench, 0xd65f0bff);
    check_trampoline(&bench, "retaa\n");
}

/* A branch goes past the entry actions of another window, or to its target where that has no trampoline. */
static void test_past_entry(void **state)
{
    (void)state;
    for (int has_trampoline = 0; has_trampoline < 2; has_trampoline++) {
        struct bench bench;
        struct probe_moved back = {
            .address = 0x1010, .size = 4, .past_entry = 1, .bytes = {0xfc, 0xff, 0xff, 0x17}}; /* b -16 */
        set_up(&bench, NOP);
        add_point(&bench, PROBE_BEFORE, (struct probe_action){.kind = PROBE_DO_CLEAR, .register_ = 9}, 0)
            ->is_entry = 1;
        add_point(&bench, PROBE_BEFORE, (struct probe_action){.kind = PROBE_DO_INCREMENT, .register_ = 9}, 0);
        *(struct probe_window *)array_add(&bench.windows.windows) =
            (struct probe_window){.address = 0x1010, .size = 4, .moved_count = 1, .moved = &back};
        if (has_trampoline)
            assert_true(encode(&bench));
        assert_true(aarch64_trampolines.encode(&bench.trampolines, &bench.windows,
                                               ARRAY_AT(struct probe_window, &bench.windows.windows, 1)));
        aarch64_trampolines.finish(&bench.trampolines);
        if (has_trampoline) {
            char text[1000];
            write_trampoline(&bench, *ARRAY_AT(uint32_t, &bench.trampolines.starts, 0), text, sizeof text);
            assert_string_equal(text, "mov x9, #0x0\n"
                                      "add x9, x9, #0x1\n"
                                      "nop\n"
                                      "b @ to 0x1004\n"
                                      "b @ +4\n");
        } else {
            assert_int_equal(*ARRAY_AT(uint32_t, &bench.trampolines.past_entries, 0), NO_TRAMPOLINE);
            const struct probe_plan_fix *fix = fix_at(&bench, 64);
            assert_int_equal(fix->kind, PROBE_FIX_BRANCH26);
            assert_int_equal(fix->target, 0x1000);
        }
        tear_down(&bench);
    }
}

static void check_refused(struct bench *bench)
{
    assert_false(encode(bench));
    assert_int_equal(bench->trampolines.code.count, 0);
    assert_int_equal(bench->trampolines.fixes.count, 0);
    assert_int_equal(bench->trampolines.starts.count, 0);
    assert_int_equal(bench->trampolines.past_entries.count, 0);
    assert_int_equal(bench->trampolines.pending.count, 0);
    tear_down(bench);
}

static void test_refused(void **state)
{
    (void)state;
    static const uint32_t words[] = {
        0x00000000 /* udf */,        0xdac1a3fe /* paciasppc */, 0xdac187fe /* pacnbibsppc */,
        0xd50324ff /* pacm */,       0xf3a0005f /* autibsppc */, 0x5500005f /* retaasppc */,
        0x1d410440 /* cpym */,       0x19810440 /* cpyfe */,     0x19c24420 /* setm */,
        0x19c28420 /* sete */,       0x0420bc41 /* movprfx */,   0x04912861 /* movprfx, merging */,
        0xdc000000 /* no literal */, 0xd69f03e0 /* eret */,
    };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        struct bench bench;
        set_up(&bench, words[i]);
        assert_false(aarch64_trampolines.can_move(&bench.moved));
        check_refused(&bench);
    }
    static const uint32_t moved[] = {0x19010440 /* cpyfp */,   0x19c20420 /* setp */, 0xd503245f /* bti c */,
                                     0xd503233f /* paciasp */, 0xd4200020 /* brk */,  0xd4000001 /* svc */};
    for (size_t i = 0; i < sizeof moved / sizeof *moved; i++) {
        struct bench bench;
        set_up(&bench, moved[i]);
        assert_true(aarch64_trampolines.can_move(&bench.moved));
        tear_down(&bench);
    }
}

/* Places that an instruction does not have, and a branch of short reach. */
static void test_refused_places(void **state)
{
    struct bench bench;
    struct probe_action clear = {.kind = PROBE_DO_CLEAR, .register_ = 9};
    (void)state;
    set_up(&bench, CALL);
    add_point(&bench, PROBE_AFTER, clear, 0);
    check_refused(&bench);
    set_up(&bench, RETURN);
    add_point(&bench, PROBE_AFTER, clear, 0);
    check_refused(&bench);
    set_up(&bench, NOP);
    add_point(&bench, PROBE_TAKEN, clear, 0);
    check_refused(&bench);
    for (unsigned count = 200; count < 300; count += 99) {
        set_up(&bench, 0x74020201); /* cbgt w1, w2, .+64 */
        for (unsigned i = 0; i < count; i++)
            add_point(&bench, PROBE_AFTER, clear, 0);
        if (count > 254)
            check_refused(&bench);
        else {
            assert_true(encode(&bench));
            uint32_t word;
            memcpy(&word, ARRAY_AT(uint8_t, &bench.trampolines.code, 64), 4);
            assert_int_equal(word, 0x74020001 | (count + 2) << 5);
            tear_down(&bench);
        }
    }
}

/* Free registers that a branch or another action of the instruction reads are left alone. */
static void test_kept_registers(void **state)
{
    struct bench bench;
    (void)state;
    set_up(&bench, 0xd61f0200); /* br x16 */
    struct probe_action count = {.kind = PROBE_DO_COUNT, .counter = 0};
    add_point(&bench, PROBE_BEFORE, count, 7 << 15)->is_entry = 1;
    add_point(&bench, PROBE_BEFORE,
              (struct probe_action){
                  .kind = PROBE_DO_KEEP, .counter = 1, .source = {.kind = PROBE_FROM_GENERAL, .base = 17}},
              7 << 15);
    check_trampoline(&bench, "str x14, [sp, #-16]!\n"
                             "mrs x15, tpidr_el0\n"
                             "add x15, x15, #0x0, lsl #12 high of 0x1\n"
                             "ldr x15, [x15] low of 0x1\n"
                             "ldr x14, [x15]\n"
                             "add x14, x14, #0x1\n"
                             "str x14, [x15]\n"
                             "ldr x14, [sp], #16\n"
                             "mrs x15, tpidr_el0\n"
                             "add x15, x15, #0x0, lsl #12 high of 0x1\n"
                             "ldr x15, [x15] low of 0x1\n"
                             "str x17, [x15, #8]\n"
                             "br x16\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_words),
        cmocka_unit_test(test_stubs),
        cmocka_unit_test(test_clock_with_two_registers),
        cmocka_unit_test(test_value_without_registers),
        cmocka_unit_test(test_two_events),
        cmocka_unit_test(test_tally),
        cmocka_unit_test(test_branch_and_call),
        cmocka_unit_test(test_past_entry),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_refused_places),
        cmocka_unit_test(test_kept_registers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
