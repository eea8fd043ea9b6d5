/* Tests of x87: its registers are a stack, so that they are named by how far they are from its top, and each
   unit must leave the stack as high as it was.

   A test starts with six numbers on the stack, all 1.  Latency: a chain on the top.  Throughput: results go
   to other places of the stack in turn, where the instruction can name them; what pushes is popped again by
   `fstp st0`, and before what pops `fld st1` pushes.  These take places of their own, so that the figure is
   an upper bound.  What has its result on the top is also measured with a number pushed before and popped
   after, and the quicker of the two counts. */
#include "run/bench/plan.h"

#include <stdio.h>
#include <string.h>

enum { PLACES = 5, COPIES = 8 };

/* What an instruction does to the top of the stack. */
enum top { top_KEEPS, top_CHANGES };

struct x87_code {
    const char *name;
    uint8_t first, second; /* bytes; those with a register: of st0 */
    uint8_t reverse[2];    /* the same with the result in st(i); 0: there is none */
    int8_t push;           /* what is pushed, or popped */
    uint8_t top;           /* enum top */
};

static const struct x87_code registers[] = {
    {"fadd st,st", 0xd8, 0xc0, {0xdc, 0xc0}, 0, top_CHANGES},
    {"fmul st,st", 0xd8, 0xc8, {0xdc, 0xc8}, 0, top_CHANGES},
    {"fsub st,st", 0xd8, 0xe0, {0xdc, 0xe8}, 0, top_CHANGES},
    {"fsubr st,st", 0xd8, 0xe8, {0xdc, 0xe0}, 0, top_CHANGES},
    {"fdiv st,st", 0xd8, 0xf0, {0xdc, 0xf8}, 0, top_CHANGES},
    {"fdivr st,st", 0xd8, 0xf8, {0xdc, 0xf0}, 0, top_CHANGES},
    {"faddp st,st", 0xde, 0xc0, {0, 0}, -1, top_KEEPS},
    {"fmulp st,st", 0xde, 0xc8, {0, 0}, -1, top_KEEPS},
    {"fsubp st,st", 0xde, 0xe8, {0, 0}, -1, top_KEEPS},
    {"fsubrp st,st", 0xde, 0xe0, {0, 0}, -1, top_KEEPS},
    {"fdivp st,st", 0xde, 0xf8, {0, 0}, -1, top_KEEPS},
    {"fdivrp st,st", 0xde, 0xf0, {0, 0}, -1, top_KEEPS},
    {"fcmovb st,st", 0xda, 0xc0, {0, 0}, 0, top_CHANGES},
    {"fcmove st,st", 0xda, 0xc8, {0, 0}, 0, top_CHANGES},
    {"fcmovbe st,st", 0xda, 0xd0, {0, 0}, 0, top_CHANGES},
    {"fcmovu st,st", 0xda, 0xd8, {0, 0}, 0, top_CHANGES},
    {"fcmovnb st,st", 0xdb, 0xc0, {0, 0}, 0, top_CHANGES},
    {"fcmovne st,st", 0xdb, 0xc8, {0, 0}, 0, top_CHANGES},
    {"fcmovnbe st,st", 0xdb, 0xd0, {0, 0}, 0, top_CHANGES},
    {"fcmovnu st,st", 0xdb, 0xd8, {0, 0}, 0, top_CHANGES},
    {"fcomi st,st", 0xdb, 0xf0, {0, 0}, 0, top_KEEPS},
    {"fucomi st,st", 0xdb, 0xe8, {0, 0}, 0, top_KEEPS},
    {"fcomip st,st", 0xdf, 0xf0, {0, 0}, -1, top_KEEPS},
    {"fucomip st,st", 0xdf, 0xe8, {0, 0}, -1, top_KEEPS},
    {"fcom st", 0xd8, 0xd0, {0, 0}, 0, top_KEEPS},
    {"fcom st,st", 0xd8, 0xd0, {0, 0}, 0, top_KEEPS},
    {"fcomp st", 0xd8, 0xd8, {0, 0}, -1, top_KEEPS},
    {"fcomp st,st", 0xd8, 0xd8, {0, 0}, -1, top_KEEPS},
    {"fucom st", 0xdd, 0xe0, {0, 0}, 0, top_KEEPS},
    {"fucom st,st", 0xdd, 0xe0, {0, 0}, 0, top_KEEPS},
    {"fucomp st", 0xdd, 0xe8, {0, 0}, -1, top_KEEPS},
    {"fucomp st,st", 0xdd, 0xe8, {0, 0}, -1, top_KEEPS},
    {"fxch st", 0xd9, 0xc8, {0, 0}, 0, top_KEEPS},
    {"fxch st,st", 0xd9, 0xc8, {0, 0}, 0, top_KEEPS},
    {"fld st", 0xd9, 0xc0, {0, 0}, 1, top_KEEPS},
    {"fst st", 0xdd, 0xd0, {0, 0}, 0, top_KEEPS},
    {"fstp st", 0xdd, 0xd8, {0, 0}, -1, top_KEEPS},
};
static const struct x87_code others[] = {
    {"fchs", 0xd9, 0xe0, {0, 0}, 0, top_CHANGES},   {"fabs", 0xd9, 0xe1, {0, 0}, 0, top_CHANGES},
    {"ftst", 0xd9, 0xe4, {0, 0}, 0, top_KEEPS},     {"fxam", 0xd9, 0xe5, {0, 0}, 0, top_KEEPS},
    {"fld1", 0xd9, 0xe8, {0, 0}, 1, top_KEEPS},     {"fldl2t", 0xd9, 0xe9, {0, 0}, 1, top_KEEPS},
    {"fldl2e", 0xd9, 0xea, {0, 0}, 1, top_KEEPS},   {"fldpi", 0xd9, 0xeb, {0, 0}, 1, top_KEEPS},
    {"fldlg2", 0xd9, 0xec, {0, 0}, 1, top_KEEPS},   {"fldln2", 0xd9, 0xed, {0, 0}, 1, top_KEEPS},
    {"fldz", 0xd9, 0xee, {0, 0}, 1, top_KEEPS},     {"f2xm1", 0xd9, 0xf0, {0, 0}, 0, top_CHANGES},
    {"fyl2x", 0xd9, 0xf1, {0, 0}, -1, top_KEEPS},   {"fptan", 0xd9, 0xf2, {0, 0}, 1, top_KEEPS},
    {"fpatan", 0xd9, 0xf3, {0, 0}, -1, top_KEEPS},  {"fxtract", 0xd9, 0xf4, {0, 0}, 1, top_KEEPS},
    {"fprem1", 0xd9, 0xf5, {0, 0}, 0, top_CHANGES}, {"fdecstp", 0xd9, 0xf6, {0, 0}, 0, top_KEEPS},
    {"fincstp", 0xd9, 0xf7, {0, 0}, 0, top_KEEPS},  {"fprem", 0xd9, 0xf8, {0, 0}, 0, top_CHANGES},
    {"fyl2xp1", 0xd9, 0xf9, {0, 0}, -1, top_KEEPS}, {"fsqrt", 0xd9, 0xfa, {0, 0}, 0, top_CHANGES},
    {"fsincos", 0xd9, 0xfb, {0, 0}, 1, top_KEEPS},  {"frndint", 0xd9, 0xfc, {0, 0}, 0, top_CHANGES},
    {"fscale", 0xd9, 0xfd, {0, 0}, 0, top_CHANGES}, {"fsin", 0xd9, 0xfe, {0, 0}, 0, top_CHANGES},
    {"fcos", 0xd9, 0xff, {0, 0}, 0, top_CHANGES},   {"fnop", 0xd9, 0xd0, {0, 0}, 0, top_KEEPS},
    {"fcompp", 0xde, 0xd9, {0, 0}, -2, top_KEEPS},  {"fucompp", 0xda, 0xe9, {0, 0}, -2, top_KEEPS},
};
/* Instructions with memory, by the beginning of their names; the first that fits counts. */
static const struct {
    const char *stem;
    int8_t push;
    uint8_t top;
} memory[] = {{"fld ", 1, top_KEEPS},      {"fild ", 1, top_KEEPS},    {"fbld ", 1, top_KEEPS},
              {"fst ", 0, top_KEEPS},      {"fist ", 0, top_KEEPS},    {"fstp ", -1, top_KEEPS},
              {"fistp ", -1, top_KEEPS},   {"fisttp ", -1, top_KEEPS}, {"fbstp ", -1, top_KEEPS},
              {"fcom ", 0, top_KEEPS},     {"ficom ", 0, top_KEEPS},   {"fcomp ", -1, top_KEEPS},
              {"ficomp ", -1, top_KEEPS},  {"fadd ", 0, top_CHANGES},  {"fiadd ", 0, top_CHANGES},
              {"fsub ", 0, top_CHANGES},   {"fisub ", 0, top_CHANGES}, {"fsubr ", 0, top_CHANGES},
              {"fisubr ", 0, top_CHANGES}, {"fmul ", 0, top_CHANGES},  {"fimul ", 0, top_CHANGES},
              {"fdiv ", 0, top_CHANGES},   {"fidiv ", 0, top_CHANGES}, {"fdivr ", 0, top_CHANGES},
              {"fidivr ", 0, top_CHANGES}};

/* An instruction that is planned: bytes that may have a register in the last of them. */
struct planned_x87 {
    const char *form;
    uint8_t bytes[INSTRUCTION_BYTES], reverse[2];
    unsigned size;
    bool has_register;
    int push;
    enum top top;
};

/* The form of the bytes, with st(1), must be the wanted one: tables may be wrong. */
static bool is_form(const struct planned_x87 *x87, const uint8_t *bytes)
{
    uint8_t code[INSTRUCTION_BYTES];
    struct bench_instruction instruction;
    memcpy(code, bytes, x87->size);
    code[x87->size - 1] = (uint8_t)(code[x87->size - 1] + x87->has_register);
    return bench_instruction_read(&instruction, isa_X86_64, code, x87->size) &&
           !strcmp(instruction.description.form, x87->form);
}

static bool from_table(struct planned_x87 *x87, const struct x87_code *codes, size_t count, bool has_register)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(codes[i].name, x87->form))
            continue;
        x87->bytes[0] = codes[i].first;
        x87->bytes[1] = codes[i].second;
        x87->size = 2;
        x87->has_register = has_register;
        memcpy(x87->reverse, codes[i].reverse, sizeof x87->reverse);
        x87->push = codes[i].push;
        x87->top = codes[i].top;
        return is_form(x87, x87->bytes) && (!x87->reverse[0] || is_form(x87, x87->reverse));
    }
    return false;
}

enum { BASE = 3 }; /* rbx */

static bool from_memory(struct planned_x87 *x87)
{
    struct bench_instruction sample, made;
    for (size_t i = 0; i < sizeof memory / sizeof *memory; i++) {
        const uint8_t numbers[MOST_SLOTS] = {BASE};
        if (strncmp(x87->form, memory[i].stem, strlen(memory[i].stem)) ||
            !bench_sample(&sample, isa_X86_64, x87->form) ||
            !bench_instruction_renumber(&sample, numbers, &made))
            continue;
        memcpy(x87->bytes, made.bytes, made.size);
        x87->size = made.size;
        x87->push = memory[i].push;
        x87->top = memory[i].top;
        return true;
    }
    return false;
}

static void put_bytes(struct bench_planned *planned, const uint8_t *bytes, unsigned size)
{
    for (unsigned i = 0; i < size; i++)
        *(uint8_t *)array_push(&planned->code) = bytes[i];
    planned->instruction_count++;
}

static void put(struct bench_planned *planned, const struct planned_x87 *x87, const uint8_t *bytes,
                unsigned place)
{
    uint8_t code[INSTRUCTION_BYTES];
    memcpy(code, bytes, x87->size);
    if (x87->has_register)
        code[x87->size - 1] = (uint8_t)(code[x87->size - 1] + place);
    put_bytes(planned, code, x87->size);
    planned->instances++;
}

static const uint8_t push_one[] = {0xd9, 0xc1} /* fld st1 */, pop_one[] = {0xdd, 0xd8} /* fstp st0 */;

/* What memory holds: 1, in the format that the instruction reads. */
static uint64_t memory_value(const char *form)
{
    bool is_integer = !strncmp(form, "fi", 2);
    if (strstr(form, " m16"))
        return 0x0001000100010001;
    if (strstr(form, " m32"))
        return is_integer ? 0x0000000100000001 : 0x3f8000003f800000;
    if (strstr(form, " m64"))
        return is_integer ? 1 : 0x3ff0000000000000;
    return !strncmp(form, "fb", 2) ? 0x0101010101010101 : 0x8000000000003fff;
}

static struct bench_planned *begin(struct array *planned, const struct planned_x87 *x87, enum bench_kind kind,
                                   const char *what)
{
    struct bench_planned *next = array_push(planned);
    *next = (struct bench_planned){.kind = kind,
                                   .code = ARRAY_OF(uint8_t),
                                   .values = ARRAY_OF(struct bench_value),
                                   .general = 1,
                                   .memory = memory_value(x87->form),
                                   .vector_bytes = 16};
    snprintf(next->name, sizeof next->name, "%s|%s", x87->form, what);
    bench_put_value(next, domain_GENERAL, BASE, true, 0);
    return next;
}

static void plan_throughput(struct array *planned, const struct planned_x87 *x87)
{
    struct bench_planned *next = begin(planned, x87, bench_THROUGHPUT, "throughput");
    for (unsigned i = 0; i < (x87->reverse[0] ? PLACES : COPIES); i++) {
        for (int k = x87->push; k < 0; k++)
            put_bytes(next, push_one, sizeof push_one);
        put(next, x87, x87->reverse[0] ? x87->reverse : x87->bytes, 1 + i % PLACES);
        for (int k = x87->push; k > 0; k--)
            put_bytes(next, pop_one, sizeof pop_one);
    }
    if (x87->top != top_CHANGES || x87->reverse[0])
        return;
    next = begin(planned, x87, bench_THROUGHPUT, "throughput broken");
    next->is_variant = true;
    for (unsigned i = 0; i < COPIES; i++) {
        put_bytes(next, push_one, sizeof push_one);
        put(next, x87, x87->bytes, 2);
        put_bytes(next, pop_one, sizeof pop_one);
    }
}

bool bench_plan_x87(struct array *planned, const char *form)
{
    struct planned_x87 x87 = {.form = form};
    if (!from_table(&x87, registers, sizeof registers / sizeof *registers, true) &&
        !from_table(&x87, others, sizeof others / sizeof *others, false) && !from_memory(&x87))
        return false;
    if (x87.top == top_CHANGES) {
        const char *slot = x87.has_register ? "1" : "st0";
        char what[24];
        snprintf(what, sizeof what, "%s>%s", slot, slot);
        struct bench_planned *next = begin(planned, &x87, bench_LATENCY, what);
        strcpy(next->from, slot);
        strcpy(next->to, slot);
        put(next, &x87, x87.bytes, 1);
    }
    plan_throughput(planned, &x87);
    return true;
}
