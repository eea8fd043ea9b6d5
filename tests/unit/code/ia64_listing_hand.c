/* Hand-written IA-64 listings, as GNU as understands them: each text must give these instructions, with all
   names replaced and no problem; or exactly this problem at this place. */
#include "code/read/ia64/code.h"
#include "code/read/listing/listing.h"
#include "model_bytes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static void read_text(struct model *model, const char *text, size_t length)
{
    model_init(model);
    struct listing_source source = {"t.s", {(const uint8_t *)text, length}, model_file_id(model, "t.s")};
    struct error error = {0};
    assert_true(ia64_listing_read(model, &source, 1, &error));
}

/* The instructions in order, with a bar between them. */
static char *instructions_of(const struct model *model)
{
    struct array text = ARRAY_OF(char);
    const struct isa_reader *reader = model_program(model, 1)->reader;
    const struct ia64_texts *texts = reader->context;
    for (size_t i = 0; i < model->listing_instructions.count; i++) {
        uint64_t address = model_listing_instruction(model, (uint32_t)i)->address;
        size_t left = BUNDLE_BYTES - address % BUNDLE_BYTES;
        struct step step;
        assert_true(reader->step(model_bytes(model, 1, address, left), left, address, &step));
        uint32_t number = step.key.bytes[0] | (uint32_t)step.key.bytes[1] << 8;
        const char *resolved = ARRAY_AT(struct ia64_text, &texts->texts, number)->resolved;
        char *piece = memory_format("%s%s", i ? " | " : "", resolved);
        memcpy(array_add_many(&text, strlen(piece)), piece, strlen(piece));
        free(piece);
    }
    *(char *)array_add(&text) = 0;
    return text.data;
}

static const struct {
    const char *text, *instructions;
} sound[] = {
    /* Conditions. */
    {".if 1\nadd r1=r2,r3\n.else\nbogus\n.endif", "add r1=r2,r3"},
    {".if 0\nbogus { { \"\n.if 1\nbogus\n.else\nbogus\n.endif\n.else\nadd r1=r2,r3\n.endif\nnop.m 0",
     "add r1=r2,r3 | nop.m 0"},
    {"m=2\n.if m == 1\nbogus\n.elseif m == 2\nadd r1=r2,r3\n.elseif 1\nbogus\n.else\nbogus\n.endif",
     "add r1=r2,r3"},
    {".if 1 > 2 || 3 <= 3 && !0\nnop.m 1\n.endif\n.if 1 <> 1\nbogus\n.endif", "nop.m 1"},
    {"m=2\nl:\n.ifdef m\nnop.m 1\n.endif\n.ifndef m\nbogus\n.endif\n.ifnotdef n\nnop.m 2\n.endif\n"
     ".ifdef l\nnop.m 3\n.endif",
     "nop.m 1 | nop.m 2 | nop.m 3"},
    {".ifeq 0\nnop.m 1\n.endif\n.ifgt 0\nbogus\n.endif\n.ifle -1\nnop.m 2\n.endif", "nop.m 1 | nop.m 2"},
    {".ifb\nnop.m 1\n.endif\n.ifnb x\nnop.m 2\n.endif\n.ifc \"a\",\"a\"\nnop.m 3\n.endif\n.ifnc a,a\n"
     "bogus\n.endif",
     "nop.m 1 | nop.m 2 | nop.m 3"},
    {".if 0 ; bogus ; .endif ; nop.m 1", "nop.m 1"},
    /* Macros. */
    {".macro m a b c=r9\nadd \\a=\\b,\\c\n.endm\nm r1 r2 r3\nm r1, r2\nm a=r4, c=r6, b=r5\nm (r1), r2",
     "add r1=r2,r3 | add r1=r2,r9 | add r4=r5,r6 | add (r1)=r2,r9"},
    {".macro m x:req, y:vararg\n.irp r,\\y\nadd \\r=1,\\x\n.endr\n.endm\nm r9,r1,r2",
     "add r1=1,r9 | add r2=1,r9"},
    {".macro down n\n.if \\n\nadds r1=\\n,r2\ndown \"(\\n-1)\"\n.endif\n.endm\ndown 2",
     "adds r1=2,r2 | adds r1=(2-1),r2"},
    {".macro m\nnop.m 1\n.exitm\nbogus\n.endm\nm\nnop.m 2", "nop.m 1 | nop.m 2"},
    {".irpc c,12\n.irp d,r8,r9\nld8 \\d=[r1\\c]\n.endr\n.endr",
     "ld8 r8=[r11] | ld8 r9=[r11] | ld8 r8=[r12] | ld8 r9=[r12]"},
    {".altmacro\n.macro m op, to\nop to 5\nx&op: nop.m 0\n.endm\nm mov, r2 =", "mov r2 = 5 | nop.m 0"},
    /* Letters and numbers. */
    {"(p6) BR.RET.SPTK b0", "(p6) br.ret.sptk b0"},
    {"mov r2=';';mov r3=','; mov r4='\"'", "mov r2=';' | mov r3=',' | mov r4='\"'"},
    {"adds r1=1==1,r2\nadds r1=(1<2)&3,r2\nadds r1=1!=2,r2",
     "adds r1=1==1,r2 | adds r1=(1<2)&3,r2 | adds r1=1!=2,r2"},
    {".equiv a,r3\n.eqv b,f4\nmov a=r1\nmov b=f1", "mov r3=r1 | mov f4=f1"},
    {".regstk 1,2,1,0\nmov r1=in0\nmov r2=loc1\nmov r3=out0\nmov r4=in00",
     "mov r1=r32 | mov r2=r34 | mov r3=r35 | mov r4=in00"},
    {"\xef\xbb\xbfnop.m 1", "nop.m 1"},
    {"add r1=r2, /* a */ r3 /* b */ /* c */ ;;", "add r1=r2, r3"},
    {"lfetch.count.d5 [r127], 62, 0x3bf", "lfetch.count.d5 [r127], 62, 0x3bf"},
    /* A template without braces is for what fits it. */
    {".mib\nnop.m 0\nmov r1=b0\naddl r2=1,gp\nnop.i 0", "nop.m 0 | mov r1=b0 | addl r2=1,gp | nop.i 0"},
};

static void people_write_this(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof sound / sizeof *sound; i++) {
        struct model model;
        read_text(&model, sound[i].text, strlen(sound[i].text));
        if (model.problems.count > 1)
            fail_msg("%s\n%s", sound[i].text, model_text(&model, model_problem(&model, 1)->text));
        char *found = instructions_of(&model);
        if (strcmp(found, sound[i].instructions))
            fail_msg("%s\nbecame: %s\nnot:    %s", sound[i].text, found, sound[i].instructions);
        free(found);
        model_free(&model);
    }
}

static const struct {
    const char *text, *problem;
} unsound[] = {
    {".if 1\nnop.m 0", "t.s:2:8: a condition that never ends: '.endif' is missing"},
    {".if 0\nnop.m 0", "t.s:2:8: a condition that never ends: '.endif' is missing"},
    {"nop.m 0\n.endif", "t.s:2:1: no .if before this: '.endif'"},
    {" .else\nnop.m 0", "t.s:1:2: no .if before this: '.else'"},
    {".if x+1\nnop.m 0\n.endif", "t.s:1:5: a condition that cannot be computed: 'x+1'"},
    {"adds r1=5/0,r2", "t.s:1:9: a division by zero: '5/0'"},
    {"adds r1=5%(3-3),r2", "t.s:1:9: a division by zero: '5%(3-3)'"},
    {"mov r3=ar.xyz", "t.s:1:8: no such register: 'ar.xyz'"},
    {"add r8=r128,r10", "t.s:1:8: no such register: 'r128'"},
    {"{ .mi\nnop.m 0\n}", "t.s:1:3: no such template: '.mi'"},
    {"{ .mmmi\nnop.m 0\n}", "t.s:1:3: no such template: '.mmmi'"},
    {"{ .mib\nnop.m 0\nfadd f1=f2,f3\n}",
     "t.s:3:1: this does not fit the rest of a bundle mib: 'fadd f1=f2,f3'"},
    {"nop.m 0\n.include \"a.h\"", "t.s:2:10: an included file, which is not read: 'a.h'"},
    {"nop.m 0\nSAVE_ALL\nRESTORE_ALL", "t.s:2:1: an undefined macro: 'SAVE_ALL'"},
};

static void and_this_is_wrong(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof unsound / sizeof *unsound; i++) {
        struct model model;
        read_text(&model, unsound[i].text, strlen(unsound[i].text));
        if (model.problems.count != 2)
            fail_msg("%s\n%zu problems", unsound[i].text, model.problems.count - 1);
        assert_string_equal(model_text(&model, model_problem(&model, 1)->text), unsound[i].problem);
        model_free(&model);
    }
}

static void bytes_of_zero_are_told(void **state)
{
    (void)state;
    static const char text[] = "nop.m 0\n nop.m\0 1\n\0\0\n";
    struct model model;
    read_text(&model, text, sizeof text - 1);
    assert_int_equal(model.problems.count, 2);
    assert_string_equal(model_text(&model, model_problem(&model, 1)->text),
                        "t.s:2:7: a byte that is not text, read as a space: '\\0'");
    char *found = instructions_of(&model);
    assert_string_equal(found, "nop.m 0 | nop.m 1");
    free(found);
    model_free(&model);
}

/* Many comments on one line once took the square of their number. */
static void comments_on_one_line(void **state)
{
    (void)state;
    enum { COUNT = 200000 };
    char *text = memory_get(COUNT * 5 + 20), *at = text;
    at += sprintf(at, "nop.m 0");
    for (unsigned i = 0; i < COUNT; i++)
        at += sprintf(at, "/* */");
    struct model model;
    read_text(&model, text, (size_t)(at - text));
    assert_int_equal(model.listing_instructions.count, 1);
    assert_int_equal(model.problems.count, 1);
    model_free(&model);
    free(text);
}

static const struct symbol *symbol_named(const struct model *model, const char *name)
{
    for (uint32_t i = 1; i < model->symbols.count; i++)
        if (!strcmp(model_text(model, model_symbol(model, i)->name), name))
            return model_symbol(model, i);
    return NULL;
}

/* A procedure that is begun inside another one ends that, and is not ended by its .endp. */
static void procedures_inside_others(void **state)
{
    (void)state;
    static const char text[] =
        ".global a, b\n.proc a\na: nop.m 0\n;;\n.proc b\nb: nop.m 0\nbr.ret.sptk b0\n.endp a\n"
        ".L1: nop.m 1\nbr.ret.sptk b0\n.endp b\n";
    struct model model;
    read_text(&model, text, sizeof text - 1);
    const struct symbol *a = symbol_named(&model, "a"), *b = symbol_named(&model, "b");
    assert_int_equal(a->address, 0);
    assert_int_equal(a->size, 16);
    assert_int_equal(b->address, 16);
    assert_int_equal(b->size, 32);
    model_free(&model);
}

/* Outside of .proc a label begins a function where control does not come to it. */
static void labels_that_are_functions(void **state)
{
    (void)state;
    static const char text[] =
        "start: nop.m 0\ninside: nop.m 1\n(p6) br.ret.sptk b0\nalso: nop.m 2\nbr.ret.sptk b0\n"
        "second: nop.m 3\nbr.cond.sptk third\nfourth: br.call.sptk b0=fourth\nbr.ret.sptk b0\n"
        "third: nop.m 4\n.Lfifth: br.ret.sptk b0\n";
    static const char *const functions[] = {"start", "second", "fourth"};
    static const char *const others[] = {"inside", "also", "third", ".Lfifth"};
    struct model model;
    read_text(&model, text, sizeof text - 1);
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        assert_non_null(symbol_named(&model, functions[i]));
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        assert_null(symbol_named(&model, others[i]));
    model_free(&model);
}

static uint8_t stops_at(const struct model *model, uint64_t address)
{
    char template[4];
    uint8_t stops;
    model_program(model, 1)->reader->bundle(model_bytes(model, 1, address, BUNDLE_BYTES), template, &stops);
    return stops;
}

/* The assembler ends an issue group before what is no code, and the text need not say so. */
static void stops_before_what_is_no_code(void **state)
{
    (void)state;
    static const char text[] =
        ".mib\nnop.m 0\nnop.i 0\n(p6) br.cond.sptk 1f\n.align 32\n1: .mib\nnop.m 0\nnop.i 0\n"
        "nop.b 0\n2: .mib\nnop.m 0\nnop.i 0\nbr.ret.sptk b0\n.data\ndata8 1\n";
    struct model model;
    read_text(&model, text, sizeof text - 1);
    assert_int_equal(stops_at(&model, 0), 4);
    assert_int_equal(stops_at(&model, 16), 0);
    assert_int_equal(stops_at(&model, 32), 4);
    for (size_t i = 0; i < model.listing_instructions.count; i++)
        assert_int_equal(model_listing_instruction(&model, (uint32_t)i)->is_stop, 0);
    model_free(&model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(people_write_this),
        cmocka_unit_test(and_this_is_wrong),
        cmocka_unit_test(bytes_of_zero_are_told),
        cmocka_unit_test(comments_on_one_line),
        cmocka_unit_test(procedures_inside_others),
        cmocka_unit_test(labels_that_are_functions),
        cmocka_unit_test(stops_before_what_is_no_code),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
