/* Trampolines of x86-64 as bytes: they decode, fixes are where operands are, nothing newer than the first
   x86-64 processors is used, and instructions that cannot be moved are refused.  What trampolines do is tried
   by tests/commands/run/probe_x86.py. */
#include "runtime/probe/plan_file.h"
#include "run/probe/trampoline/trampoline.h"

#include <Zydis/Zydis.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { PLACE = 0x401000, MOST_TEXT = 4096 };

struct line {
    const char *bytes;
    uint8_t size;
    enum flow flow;
    uint64_t target;
};

struct trial {
    struct probe_windows windows;
    struct probe_trampolines trampolines;
};

static struct probe_moved moved_of(const struct line *line, uint64_t address)
{
    struct probe_moved moved = {.address = address,
                                .size = line->size,
                                .flow = (uint8_t)line->flow,
                                .target = line->target ? line->target : NO_ADDRESS};
    memcpy(moved.bytes, line->bytes, line->size);
    return moved;
}

/* One window of these instructions, the first of which has the points. */
static void begin(struct trial *trial, const struct line *lines, unsigned count,
                  const struct probe_point *points, uint32_t point_count)
{
    trial->windows = (struct probe_windows){.windows = ARRAY_OF(struct probe_window),
                                            .moved = ARRAY_OF(struct probe_moved),
                                            .points = ARRAY_OF(struct probe_point)};
    uint64_t address = PLACE;
    for (unsigned i = 0; i < count; i++) {
        struct probe_moved *moved = array_add(&trial->windows.moved);
        *moved = moved_of(&lines[i], address);
        moved->point_count = i ? 0 : point_count;
        address += lines[i].size;
    }
    if (point_count)
        memcpy(array_add_many(&trial->windows.points, point_count), points, point_count * sizeof *points);
    *(struct probe_window *)array_add(&trial->windows.windows) =
        (struct probe_window){.program = 1,
                              .address = PLACE,
                              .size = (uint8_t)(address - PLACE),
                              .way = PROBE_BY_JUMP,
                              .moved_count = (uint8_t)count,
                              .moved = trial->windows.moved.data};
    probe_trampolines_init(&trial->trampolines, 0);
}

static bool encode(struct trial *trial)
{
    if (!x86_64_trampolines.encode(&trial->trampolines, &trial->windows, trial->windows.windows.data))
        return false;
    x86_64_trampolines.finish(&trial->trampolines);
    return true;
}

static void end(struct trial *trial)
{
    probe_trampolines_free(&trial->trampolines);
    probe_windows_free(&trial->windows);
}

/* 0x0004 becomes 0x4; gives the length. */
static size_t drop_zeros(char *text)
{
    char *to = text;
    for (const char *from = text; *from; from++) {
        *to++ = *from;
        while (to - text > 2 && to[-1] == 'x' && to[-2] == '0' && from[1] == '0' &&
               strchr("0123456789ABCDEF", from[2]) && from[2])
            from++;
    }
    *to = 0;
    return (size_t)(to - text);
}

/* The straight way of the trampoline as text, with places as numbers from its start: up to the first
   instruction that does not go on. */
static void text_of(const struct trial *trial, char *text)
{
    const struct array *code = &trial->trampolines.code;
    size_t at = 0, used = 0;
    ZydisDisassembledInstruction instruction;
    *text = 0;
    do {
        assert_true(ZYAN_SUCCESS(ZydisDisassembleIntel(ZYDIS_MACHINE_MODE_LONG_64, at,
                                                       (const uint8_t *)code->data + at, code->count - at,
                                                       &instruction)));
        used += (size_t)snprintf(text + used, MOST_TEXT - used, "%s; ", instruction.text);
        used = drop_zeros(text);
        at += instruction.info.length;
    } while (instruction.info.mnemonic != ZYDIS_MNEMONIC_JMP &&
             instruction.info.mnemonic != ZYDIS_MNEMONIC_RET && at < code->count);
}

static const struct probe_plan_fix *fix_of(const struct trial *trial, enum probe_fix_kind kind,
                                           unsigned number)
{
    for (size_t i = 0; i < trial->trampolines.fixes.count; i++) {
        const struct probe_plan_fix *fix = ARRAY_AT(struct probe_plan_fix, &trial->trampolines.fixes, i);
        if (fix->kind == kind && !number--)
            return fix;
    }
    return NULL;
}

static const struct line plain = {"\x48\x83\xc0\x01\x90", 4, flow_NEXT, 0}; /* add rax, 1 */

static void test_moved(void **state)
{
    (void)state;
    static const struct {
        struct line line;
        const char *text;
        uint32_t fix_at; /* of the first relative fix */
        int16_t addend;
        uint64_t target;
    } cases[] = {
        {{"\x48\x83\xc0\x01", 4, flow_NEXT, 0}, "add rax, 0x1; jmp 0x9; ", 5, 0, PLACE + 4},
        {{"\x74\x10", 2, flow_BRANCH, PLACE + 18}, "jz 0x6; jmp 0xB; ", 2, 0, PLACE + 18},
        {{"\x0f\x8f\x10\0\0\0", 6, flow_BRANCH, PLACE + 22}, "jnle 0x6; jmp 0xB; ", 2, 0, PLACE + 22},
        {{"\x2e\x74\x10", 3, flow_BRANCH, PLACE + 19}, "jz 0x6; jmp 0xB; ", 2, 0, PLACE + 19},
        {{"\xeb\x10", 2, flow_JUMP, PLACE + 18}, "jmp 0x5; ", 1, 0, PLACE + 18},
        {{"\xe3\x10", 2, flow_BRANCH, PLACE + 18}, "jrcxz 0x4; jmp 0x9; ", 5, 0, PLACE + 18},
        {{"\x67\xe3\x10", 3, flow_BRANCH, PLACE + 19}, "jecxz 0x5; jmp 0xA; ", 6, 0, PLACE + 19},
        {{"\xe2\xf0", 2, flow_BRANCH, PLACE - 14}, "loop 0x4; jmp 0x9; ", 5, 0, PLACE - 14},
        {{"\xff\xe0", 2, flow_JUMP, 0}, "jmp rax; ", 0, 0, 0},
        {{"\xc2\x10\0", 3, flow_RETURN, 0}, "ret 0x10; ", 0, 0, 0},
        {{"\x81\x3d\x10\0\0\0\1\2\3\4", 10, flow_NEXT, PLACE + 26},
         "cmp dword ptr [0x1A], 0x4030201; jmp 0xF; ",
         2,
         4,
         PLACE + 26},
        {{"\x80\x3d\x10\0\0\0\1", 7, flow_NEXT, PLACE + 23},
         "cmp byte ptr [0x17], 0x1; jmp 0xC; ",
         2,
         1,
         PLACE + 23},
        {{"\xff\x25\x10\0\0\0", 6, flow_JUMP, PLACE + 22}, "jmp [0x16]; ", 2, 0, PLACE + 22},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct trial trial;
        char text[MOST_TEXT];
        begin(&trial, &cases[i].line, 1, NULL, 0);
        assert_true(encode(&trial));
        text_of(&trial, text);
        assert_string_equal(text, cases[i].text);
        const struct probe_plan_fix *fix = fix_of(&trial, PROBE_FIX_RELATIVE32, 0);
        assert_int_equal(fix != NULL, cases[i].fix_at != 0);
        if (fix) {
            assert_int_equal(fix->at, cases[i].fix_at);
            assert_int_equal(fix->addend, cases[i].addend);
            assert_true(fix->target == cases[i].target);
        }
        end(&trial);
    }
}

/* A call pushes the original return address; what it finds at rsp has moved by that. */
static void test_calls(void **state)
{
    (void)state;
    static const struct {
        struct line line;
        const char *jump;
    } cases[] = {
        {{"\xe8\x10\0\0\0", 5, flow_CALL, PLACE + 21}, "jmp 0x1D; "},
        {{"\xff\xd3", 2, flow_CALL, 0}, "jmp rbx; "},
        {{"\x41\xff\xd4", 3, flow_CALL, 0}, "jmp r12; "},
        {{"\xff\x53\x08", 3, flow_CALL, 0}, "jmp [rbx+0x8]; "},
        {{"\xff\x14\x24", 3, flow_CALL, 0}, "jmp [rsp+0x8]; "},
        {{"\xff\x54\x24\x78", 4, flow_CALL, 0}, "jmp [rsp+0x80]; "},
        {{"\xff\x54\x24\x80", 4, flow_CALL, 0}, "jmp [rsp-0x78]; "},
        {{"\xff\x14\xcc", 3, flow_CALL, 0}, "jmp [rsp+rcx*8+0x8]; "},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct trial trial;
        char text[MOST_TEXT];
        begin(&trial, &cases[i].line, 1, NULL, 0);
        assert_true(encode(&trial));
        const struct probe_plan_fix *fix = fix_of(&trial, PROBE_FIX_ADDRESS64, 0);
        assert_non_null(fix);
        assert_int_equal(fix->target, PLACE + cases[i].line.size);
        memset(ARRAY_AT(uint8_t, &trial.trampolines.code, fix->at), 0x90, 8);
        text_of(&trial, text);
        assert_non_null(strstr(text, "call 0xD; "));
        assert_non_null(strstr(text, "lea rsp, [rsp+0x8]; push [0x5]; "));
        assert_string_equal(strstr(text, "jmp"), cases[i].jump);
        end(&trial);
    }
}

static void test_refusals(void **state)
{
    (void)state;
    static const struct line refused[] = {
        {"\xf3\x0f\x1e\xfa", 4, flow_NEXT, 0},           /* endbr64 */
        {"\xc7\xf8\x10\0\0\0", 6, flow_BRANCH, PLACE},   /* xbegin */
        {"\x0f\x05", 2, flow_SYSTEM, 0},                 /* syscall */
        {"\xcc", 1, flow_STOP, 0},                       /* int3 */
        {"\xcd\x80", 2, flow_SYSTEM, 0},                 /* int 0x80 */
        {"\xff\xd4", 2, flow_CALL, 0},                   /* call rsp */
        {"\xff\x1b", 2, flow_CALL, 0},                   /* call far */
        {"\xcb", 1, flow_RETURN, 0},                     /* ret far */
        {"\x67\x8b\x05\x10\0\0\0", 7, flow_NEXT, PLACE}, /* mov eax, [eip + 16] */
        {"\x06", 1, flow_NEXT, 0},                       /* does not decode */
        {"\x48\x83\xc0\x01\x90", 5, flow_NEXT, 0},       /* two instructions */
    };
    for (unsigned i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        struct probe_moved moved = moved_of(&refused[i], PLACE);
        struct trial trial;
        assert_false(x86_64_trampolines.can_move(&moved));
        begin(&trial, &refused[i], 1, NULL, 0);
        assert_false(encode(&trial));
        assert_int_equal(
            trial.trampolines.code.count + trial.trampolines.fixes.count + trial.trampolines.starts.count, 0);
        end(&trial);
    }
    struct probe_point point = {
        .action = {
            .kind = PROBE_DO_EVENT,
            .source = {.kind = PROBE_FROM_ADDRESS, .base = 0, .index = PROBE_NO_REGISTER, .segment = 'g'}}};
    struct trial trial;
    begin(&trial, &plain, 1, &point, 1);
    assert_false(encode(&trial));
    end(&trial);
    point.action.source = (struct probe_source){.kind = PROBE_FROM_LOOP_COUNT};
    begin(&trial, &plain, 1, &point, 1);
    assert_false(encode(&trial));
    end(&trial);
}

/* The event of a function's entry: 15 instructions where rax, rcx and rdx must be kept. */
static void test_entry(void **state)
{
    (void)state;
    struct probe_point point = {
        .action = {.kind = PROBE_DO_EVENT, .identity = 0x21, .source = {.kind = PROBE_FROM_CLOCK}},
        .free = {.has_flags = true, .has_red_zone = true}};
    struct trial trial;
    char text[MOST_TEXT];
    begin(&trial, &plain, 1, &point, 1);
    assert_true(encode(&trial));
    text_of(&trial, text);
    assert_non_null(strstr(text,
                           "mov [rsp-0x8], rax; mov [rsp-0x10], rdx; mov [rsp-0x18], rcx; mov ecx, 0x10; "
                           "xadd fs:[0x0], rcx; cmp "));
    assert_non_null(strstr(text, "[rcx], 0x0; jnz 0xF; rdtsc; "));
    assert_non_null(
        strstr(text, "mov rax, [rsp-0x8]; mov rdx, [rsp-0x10]; mov rcx, [rsp-0x18]; add rax, 0x1; jmp "));
    assert_null(strstr(text, "lahf"));
    end(&trial);
    point.free.general = 1 << 0 | 1 << 2 | 1 << 9;
    begin(&trial, &plain, 1, &point, 1);
    assert_true(encode(&trial));
    text_of(&trial, text);
    assert_null(strstr(text, "rsp-"));
    assert_non_null(strstr(text, "fs:[0x0], r9; "));
    end(&trial);
    point.free = (struct probe_free_registers){0};
    begin(&trial, &plain, 1, &point, 1);
    assert_true(encode(&trial));
    text_of(&trial, text);
    assert_int_equal(strncmp(text, "lea rsp, [rsp-0x80]; ", 21), 0);
    assert_non_null(strstr(text, "seto al; lahf; "));
    assert_non_null(strstr(text, "add al, 0x7F; sahf; "));
    end(&trial);
}

/* Iterations that a register counts cost one instruction, and no flags. */
static void test_increment(void **state)
{
    (void)state;
    struct probe_point point = {.where = PROBE_TAKEN,
                                .action = {.kind = PROBE_DO_INCREMENT, .register_ = 12}};
    static const struct line back = {"\x75\xf0", 2, flow_BRANCH, PLACE - 14};
    struct trial trial;
    char text[MOST_TEXT];
    begin(&trial, &back, 1, &point, 1);
    assert_true(encode(&trial));
    text_of(&trial, text);
    assert_string_equal(text, "jz 0x10; lea r12, [r12+0x1]; jmp 0x10; ");
    end(&trial);
}

/* An event with a limit: bit 22 of counter 5 ends it, and the code goes on after the event. */
static void test_limit(void **state)
{
    (void)state;
    struct probe_point point = {.where = PROBE_BEFORE,
                                .action = {.kind = PROBE_DO_EVENT,
                                           .identity = 17,
                                           .limit = 6,
                                           .limit_bits = 22,
                                           .source = {.kind = PROBE_FROM_GENERAL, .base = 7}},
                                .free = {.general = 0x3, .has_flags = true, .has_red_zone = true}};
    struct trial trial;
    char text[MOST_TEXT];
    begin(&trial, &plain, 1, &point, 1);
    assert_true(encode(&trial));
    text_of(&trial, text);
    static const char start[] = "mov rcx, fs:[0x0]; test byte ptr [rcx+0x2A], 0x40; jnz 0x51; "
                                "inc [rcx+0x28]; mov rax, rdi; mov ecx, 0x10; xadd fs:[0x0], rcx; ";
    assert_memory_equal(text, start, sizeof start - 1);
    assert_non_null(strstr(text, "jnz 0x5A; add rax, 0x1; jmp 0x5A; ")); /* of 4 and 5 bytes */
    end(&trial);
}

static void check_code(const struct trial *trial)
{
    ZydisDecoder decoder;
    ZydisDecodedInstruction instruction;
    ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
    const struct probe_plan_fix *first_literal = fix_of(trial, PROBE_FIX_RUNTIME64, 0);
    size_t stop = first_literal ? first_literal->at : trial->trampolines.code.count;
    ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
    for (size_t at = 0; at < stop; at += instruction.length) {
        assert_true(
            ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, (const uint8_t *)trial->trampolines.code.data + at,
                                                stop - at, &instruction, operands)));
        assert_int_equal(instruction.encoding, ZYDIS_INSTRUCTION_ENCODING_LEGACY);
        for (size_t i = 0; i < trial->trampolines.fixes.count; i++) {
            const struct probe_plan_fix *fix = ARRAY_AT(struct probe_plan_fix, &trial->trampolines.fixes, i);
            if (fix->at < at || fix->at >= at + instruction.length || fix->kind == PROBE_FIX_ADDRESS64)
                continue;
            bool is_address = instruction.raw.disp.size == 32 && fix->at == at + instruction.raw.disp.offset;
            bool is_way = instruction.raw.imm[0].size == 32 && fix->at == at + instruction.raw.imm[0].offset;
            assert_true(is_address || (is_way && instruction.raw.imm[0].is_relative));
            assert_int_equal(fix->kind == PROBE_FIX_LOCAL32,
                             (instruction.attributes & ZYDIS_ATTRIB_HAS_SEGMENT_FS) != 0);
            if (fix->kind == PROBE_FIX_RELATIVE32)
                assert_int_equal(fix->at + 4 + (size_t)fix->addend, at + instruction.length);
        }
    }
}

/* All kinds of actions, with all kinds of promises, alone and together. */
static void test_all_actions(void **state)
{
    (void)state;
    struct probe_point points[64] = {0};
    uint32_t count = 0;
    for (unsigned kind = PROBE_DO_EVENT; kind <= PROBE_DO_TALLY; kind++)
        for (unsigned source = PROBE_FROM_CLOCK; source <= PROBE_FROM_PLACE_MEMORY; source++) {
            if (source == PROBE_FROM_LOOP_COUNT)
                continue;
            points[count++].action = (struct probe_action){.kind = (uint8_t)kind,
                                                           .register_ = 13,
                                                           .identity = 17,
                                                           .counter = 100,
                                                           .limit = count % 3 ? 0 : 9,
                                                           .limit_bits = 20,
                                                           .is_summed = count % 2,
                                                           .tally = 3,
                                                           .inverse = 1,
                                                           .source = {.kind = (uint8_t)source,
                                                                      .base = (uint8_t)(count % 16),
                                                                      .index = 9,
                                                                      .scale = 4,
                                                                      .bytes = 4,
                                                                      .counter = 7,
                                                                      .displacement = 64}};
        }
    for (unsigned promise = 0; promise < 8; promise++)
        for (uint32_t first = 0; first < count; first++)
            for (uint32_t together = 1; together <= 3 && first + together <= count; together++) {
                struct trial trial;
                for (uint32_t i = 0; i < together; i++)
                    points[first + i].free = (struct probe_free_registers){.general = promise & 1 ? 0xfb0 : 0,
                                                                           .has_flags = promise & 2,
                                                                           .has_red_zone = promise & 4};
                begin(&trial, &plain, 1, points + first, together);
                assert_true(encode(&trial));
                check_code(&trial);
                end(&trial);
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_moved),      cmocka_unit_test(test_calls),
                                       cmocka_unit_test(test_refusals),   cmocka_unit_test(test_entry),
                                       cmocka_unit_test(test_increment),  cmocka_unit_test(test_limit),
                                       cmocka_unit_test(test_all_actions)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
