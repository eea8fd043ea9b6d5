/* Calls in the loop, and what each sort of callee suggests.

   The model knows nothing about the inside of a callee, so there is no figure. The rule is about loops that
   compute: if one calls a large function, it gets a hint. Other loops exist to call functions: for them only
   random numbers, numbers read by sscanf or written by sprintf, streams made anew for a text, texts that
   strcat appends to, counted bits, repeated allocations, vectors that grow and copies are reported. Memory
   that an iteration both allocates and frees can be allocated once; memory that it only allocates is probably
   its result, which is a hint. So are calls on some paths only: nothing shows how often these are taken, and
   branches keep compilers from calling vector versions. Complex arithmetic and 128-bit numbers have rules of
   their own; calls of vector functions are fine. */
#include "code/quality/rules/around.h"
#include "code/quality/rules/call_values.h"
#include "code/quality/rules/callees.h"
#include "code/quality/rules/preconditions.h"
#include "code/quality/rules/rule.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* Inlining pays only if the call is a good part of the callee's cost. GCC and Clang consider functions of up
   to about this many instructions without a hint. */
enum { SMALL = 60, MOST_NAMES = 4, MOST_OF_SORT = 5 };

/* Whether a floating-point number is handed from iteration to iteration, in a register or on the stack. */
static bool hands_on_number(const struct subject *subject)
{
    struct values values;
    values_find(&values, subject);
    for (unsigned i = 0; i < subject->item_count; i++)
        for (unsigned u = 0; subject->items[i].is_fp && u < subject->items[i].use_count; u++) {
            struct value_source source = values_source(&values, i, u);
            bool is_earlier = source.item != VALUE_OUTSIDE && source.is_earlier;
            if (is_earlier && subject->items[source.item].is_fp && value_is_read(&subject->items[i].uses[u]))
                return true;
        }
    for (unsigned i = 0; i < subject->access_count; i++) {
        const struct subject_access *load = &subject->accesses[i];
        if (!load->is_stack || !load->loads || !subject->items[load->item].is_fp)
            continue;
        const struct operand *place = subject_item_memory(&subject->items[load->item]);
        for (unsigned k = 0; k < subject->access_count; k++) {
            const struct subject_access *store = &subject->accesses[k];
            const struct operand *other = subject_item_memory(&subject->items[store->item]);
            if (store->is_stack && store->stores && store->item >= load->item && place && other &&
                place->displacement == other->displacement)
                return true;
        }
    }
    return false;
}

/* Calls in every iteration, whose iterations are independent. A number that is handed on and meets a branch
   (a phase that starts again after a turn) makes them dependent; a plain sum does not. */
static bool calls_independently(const struct subject *subject)
{
    struct callee callee;
    if (!around_is_straight(subject) && hands_on_number(subject))
        return false;
    for (unsigned i = 0; i < subject->item_count; i++)
        if (subject->items[i].row->flow == flow_CALL &&
            !around_is_always_done(subject, subject->items[i].instruction))
            return false;
    return precondition_independent(subject) && callee_find_in_loop(subject, callee_MATH, &callee);
}

static bool calls_sine_and_cosine(const struct subject *subject)
{
    for (unsigned i = 0; i < subject->item_count; i++) {
        struct callee callee;
        if (subject->items[i].row->flow == flow_CALL &&
            callee_find(subject, subject->items[i].instruction, &callee) && callee.name &&
            !strncmp(callee.name, "sincos", 6))
            return true;
    }
    return false;
}

/* glibc has vector functions for x86-64 since 2.22, for AArch64 since 2.38, which GCC knows since 14. It
   computes sine and cosine of one number as a complex number, and vectorises no loop that has one. */
static bool has_library_of_gcc(const struct subject *subject)
{
    enum { FIRST_FOR_ARM = 14 };
    bool is_known = precondition_x86(subject) ||
                    (subject->compiler->family == compiler_GCC && subject->compiler->major >= FIRST_FOR_ARM);
    return is_known && calls_independently(subject) && !calls_sine_and_cosine(subject);
}

static bool has_library_of_clang(const struct subject *subject)
{
    enum { FIRST_FOR_ARM = 18 };
    bool is_known = precondition_x86(subject) || (subject->compiler->family == compiler_CLANG &&
                                                  subject->compiler->major >= FIRST_FOR_ARM);
    return is_known && calls_independently(subject);
}

static bool has_library_of_intel(const struct subject *subject)
{
    return precondition_x86(subject) && calls_independently(subject);
}

static const struct remedy remedies_of[callee_SORTS][MOST_OF_SORT] = {
    [callee_OWN] = {{audience_ANY, "-flto",
                     "If the function is in another file, -flto lets the compiler inline it.",
                     action_LINK_TIME},
                    {audience_C, NULL,
                     "Define it static inline in a header or in the file of the loop, so that the compiler "
                     "can inline it.",
                     action_INLINE},
                    {audience_FORTRAN, NULL,
                     "Put it into the module or file of the loop, so that the compiler can inline it.",
                     action_INLINE}},
    [callee_OTHER] = {{audience_ANY, NULL,
                       "If the library has a function for whole arrays, call that once outside the loop.",
                       action_WHOLE_ARRAY}},
    [callee_INDIRECT] = {{audience_C, NULL,
                          "The call goes through a pointer or is virtual, so it cannot be inlined: select "
                          "the function before the loop, with one loop for each case, or use a template "
                          "parameter; declare classes that nothing derives from final.",
                          action_DIRECT_CALL},
                         {audience_FORTRAN, NULL,
                          "The call goes through a procedure pointer or a type-bound procedure, so it cannot "
                          "be inlined: select the procedure before the loop, with one loop for each case.",
                          action_DIRECT_CALL}},
    [callee_MATH] =
        {{audience_GCC, "-ffast-math",
          "-O3 -ffast-math lets GCC call vector versions (libmvec of glibc); the last digits may differ.",
          action_VECTOR_LIBRARY, has_library_of_gcc},
         {audience_CLANG, "-fveclib",
          "-O3 -fno-math-errno -fveclib=libmvec (x86-64; on Arm -fveclib=SLEEF or ArmPL) lets Clang call "
          "vector versions.",
          action_VECTOR_LIBRARY, has_library_of_clang},
         {audience_INTEL, NULL,
          "-O3 -xHost: Intel's compilers then call SVML, unless -fp-model=precise is given.",
          action_VECTOR_LIBRARY, has_library_of_intel},
         {audience_ANY, NULL,
          "Or fill an array and call a vector math library for all elements at once (VML, SLEEF, Arm PL).",
          action_WHOLE_ARRAY},
         {audience_ANY, NULL,
          "Or something cheaper: products instead of pow with an integer exponent, a table, or values "
          "computed "
          "before the loop.",
          action_CHEAPER}},
    [callee_PLAIN_MATH] = {{audience_ANY, NULL,
                            "Look for something cheaper: a table, another formula, or values computed before "
                            "the loop.",
                            action_CHEAPER}},
    [callee_POWER] = {{audience_ANY, NULL,
                       "If the exponent is known, write something cheaper: products for whole exponents, "
                       "sqrt for halves, exp2 for powers of two.",
                       action_CHEAPER},
                      {audience_GCC, "-ffast-math",
                       "-O3 -ffast-math turns constant exponents into products and roots; the last digits "
                       "may differ.",
                       action_FAST_MATH},
                      {audience_CLANG, "-ffast-math",
                       "-O3 -ffast-math turns constant exponents into products and roots; the last digits "
                       "may differ.",
                       action_FAST_MATH}},
    [callee_NEAREST] = {{audience_ANY, "-fno-math-errno",
                         "-fno-math-errno: rounding to an integer takes one instruction instead of a call, "
                         "which is only there to set errno.",
                         action_MATH_ERRNO}},
    [callee_RANDOM] = {{audience_ANY, NULL,
                        "Generate random numbers with a small generator of your own that the compiler can "
                        "inline (xorshift, PCG): those of the C library take a lock for each number.",
                        action_CHEAPER}},
    [callee_SCANNING] =
        {{audience_C, NULL,
          "Read numbers with strtol or strtod (C++17: std::from_chars): sscanf interprets its "
          "format each time, and first takes the length of the whole text.",
          action_CHEAPER}},
    [callee_FORMATTING] =
        {{audience_C, NULL,
          "Write digits and separators directly (C++17: std::to_chars; for hexadecimal digits "
          "\"0123456789abcdef\"[x >> 4]): sprintf interprets its format each time.",
          action_CHEAPER}},
    [callee_STREAM] =
        {{audience_C, NULL,
          "Write numbers with std::to_string or std::to_chars (C++17) and read them with std::from_chars, or make the "
          "stream before the loop and empty it with str(\"\"): a new one sets up its locale and its memory each time.",
          action_CHEAPER}},
    [callee_APPENDING] =
        {{audience_C, NULL,
          "Keep a pointer to the end of the text and append there (stpcpy, memcpy): strcat looks for the end "
          "from the beginning each time, so that the time grows with the square of the length.",
          action_CHEAPER}},
    [callee_GROWTH] =
        {{audience_C, NULL,
          "Make room for all elements before the loop: reserve(), or better a vector of that many, to whose "
          "elements the loop writes: that needs no check for each.",
          action_ALLOCATE_ONCE}},
    [callee_BITS] = {{audience_ANY, "-mpopcnt",
                      "-mpopcnt (or -march=x86-64-v2 and later): counting bits takes one instruction instead "
                      "of a call.",
                      action_TARGET, precondition_x86}},
    [callee_ROUNDING] = {{audience_ANY, "-msse4.1",
                          "-msse4.1 (or -march=x86-64-v2 and later): rounding takes one instruction; round "
                          "also needs -ffast-math.",
                          action_TARGET, precondition_x86}},
    [callee_EXTREME] = {{audience_ANY, "-ffinite-math-only",
                         "-ffinite-math-only -fno-signed-zeros (part of -ffast-math): one instruction "
                         "instead of the call, if "
                         "there are no NaNs.",
                         action_FINITE_MATH},
                        {audience_C, NULL,
                         "Or write a < b ? a : b, which becomes one instruction without options.",
                         action_CHEAPER}},
    [callee_ROOT] = {{audience_ANY, "-fno-math-errno",
                      "-fno-math-errno: the call is only there to set errno for negative numbers.",
                      action_MATH_ERRNO}},
    [callee_FUSED] =
        {{audience_ANY, "-mfma",
          "-mfma (or -march=x86-64-v3 and later): one instruction; without it fma is computed in software.",
          action_TARGET, precondition_fma}},
    [callee_MEMORY] = {{audience_C, NULL,
                        "If the pieces are small: with a constant size, or a plain structure assignment, the "
                        "compiler copies without a call.",
                        action_COPY},
                       {audience_FORTRAN, NULL,
                        "If the pieces are small: a loop over their elements copies without a call.",
                        action_COPY}},
    [callee_ALLOCATION] = {{audience_ANY, NULL,
                            "Allocate the memory once before the loop and reuse it in every iteration.",
                            action_ALLOCATE_ONCE}},
    [callee_PACKING] = {{audience_FORTRAN, NULL,
                         "A non-contiguous array section is copied for a call in each iteration: pass whole "
                         "arrays or columns, or declare the dummy argument assumed-shape.",
                         action_NO_TEMPORARY}},
};

struct calls {
    unsigned count;
    unsigned of[callee_SORTS];
    const char *names[MOST_NAMES];
    unsigned name_count;
    unsigned largest;     /* instructions of the largest own function */
    unsigned always;      /* those that every iteration makes */
    unsigned allocations; /* those of them that allocate memory */
};

static void add_name(struct calls *calls, const char *name)
{
    for (unsigned i = 0; i < calls->name_count && i < MOST_NAMES; i++)
        if (!strcmp(calls->names[i], name))
            return;
    if (calls->name_count < MOST_NAMES)
        calls->names[calls->name_count] = name;
    calls->name_count++;
}

/* strcat as compilers write it: strlen of a text that stays where it is, and a copy to its end. */
static bool is_appending(const struct subject *subject, unsigned item, const struct callee *callee)
{
    static const char *const copies[] = {"stpcpy", "strcpy", "memcpy", "__stpcpy_chk", "__strcpy_chk"};
    struct call_registers registers;
    struct values values;
    if (!callee->name || strcmp(callee->name, "strlen"))
        return false;
    call_registers_find(subject, &registers);
    uint32_t text = call_argument_writer(subject, item, registers.arguments[0]),
             end = call_result_reader(subject, item, registers.result);
    if (text == VALUE_OUTSIDE || end == VALUE_OUTSIDE || subject->items[text].row->load_bytes)
        return false;
    values_find(&values, subject);
    for (unsigned u = 0; u < subject->items[text].use_count; u++)
        if (value_is_read(&subject->items[text].uses[u]) &&
            !values_stays(&values, subject->items[text].uses[u].register_))
            return false;
    for (unsigned i = item + 1; i < subject->item_count; i++) {
        struct callee copy;
        if (subject->items[i].row->flow != flow_CALL ||
            !callee_find(subject, subject->items[i].instruction, &copy) || !copy.name)
            continue;
        for (size_t k = 0; k < sizeof copies / sizeof *copies; k++)
            if (!strcmp(copy.name, copies[k]) &&
                call_argument_writer(subject, i, registers.arguments[0]) == end)
                return true;
    }
    return false;
}

/* The constructor of a text's stream that was inlined: that of its base is called. */
static bool is_stream_made(const struct subject *subject, uint32_t instruction, const struct callee *callee)
{
    enum { MOST_DEPTH = 100 };
    const struct model *model = subject->model;
    uint32_t line = model_instruction(model, instruction)->source_line;
    uint32_t inlined = line ? model_source_line(model, line)->inlined_call : 0;
    if (!callee->name || strcmp(callee->name, "_ZNSt8ios_baseC2Ev"))
        return false;
    for (unsigned depth = 0; inlined && depth < MOST_DEPTH; depth++) {
        const struct inlined_call *call = model_inlined_call(model, inlined);
        if (call->name && callee_sort(model_text(model, call->name)) == callee_STREAM)
            return true;
        inlined = call->parent;
    }
    return false;
}

static void look(const struct subject *subject, struct calls *calls, struct remark *remark)
{
    *calls = (struct calls){0};
    for (unsigned i = 0; i < subject->item_count; i++) {
        struct callee callee;
        if (subject->items[i].row->flow != flow_CALL ||
            !callee_find(subject, subject->items[i].instruction, &callee) || callee.sort == callee_VECTOR ||
            callee.sort == callee_COMPLEX || callee.sort == callee_QUADRUPLE)
            continue;
        if (is_appending(subject, i, &callee))
            callee.sort = callee_APPENDING;
        if (is_stream_made(subject, subject->items[i].instruction, &callee))
            callee.sort = callee_STREAM;
        calls->count++;
        bool is_always = around_is_always_done(subject, subject->items[i].instruction);
        calls->always += is_always;
        calls->allocations += is_always && callee.sort == callee_ALLOCATION;
        calls->of[callee.sort]++;
        if (callee.sort == callee_OWN && callee.instructions > calls->largest)
            calls->largest = callee.instructions;
        if (callee.name)
            add_name(calls, callee_source_name(subject, callee.name));
        remark_point(remark, i);
    }
}

static void say(const struct calls *calls, struct remark *remark)
{
    char buffer[64];
    remark_count(buffer, sizeof buffer, calls->count, "call", "calls");
    if (calls->always == calls->count)
        remark_say(remark, "%s in each iteration", buffer);
    else
        remark_say(remark, "%s on this path, %s", buffer,
                   calls->always ? "some of them only there" : "which not every iteration takes");
    for (unsigned i = 0; i < calls->name_count && i < MOST_NAMES; i++)
        remark_say(remark, "%s%s", i ? ", " : ": ", calls->names[i]);
    if (calls->name_count > MOST_NAMES)
        remark_say(remark, " and others");
    if (calls->of[callee_INDIRECT])
        remark_say(remark, "%s%u through a pointer", calls->name_count ? ", " : ": ",
                   calls->of[callee_INDIRECT]);
    if (calls->largest && calls->largest <= SMALL)
        remark_say(remark, " (%u instructions)", calls->largest);
    remark_say(remark, ".");
    if (calls->of[callee_APPENDING])
        remark_say(remark, " Text is appended to one that gets longer, and its end looked for each time.");
}

/* Whether the loop does nothing but that, which somebody may want to be quick; among other work it is hardly worth a word. */
static bool is_all(const struct calls *calls, enum callee_sort sort)
{
    return calls->of[sort] == calls->count;
}

/* Calls of callees that compute, which makes the loop around them one that computes. Random numbers beside
   other calls, as for the name of a file, do not; nor do numbers that are read or written among other work. */
static unsigned count_arithmetic(const struct calls *calls)
{
    unsigned count = 0;
    static const enum callee_sort arithmetic[] = {callee_MATH,    callee_PLAIN_MATH, callee_POWER,
                                                  callee_NEAREST, callee_ROUNDING,   callee_EXTREME,
                                                  callee_ROOT,    callee_FUSED,      callee_BITS};
    for (unsigned i = 0; i < sizeof arithmetic / sizeof *arithmetic; i++)
        count += calls->of[arithmetic[i]];
    count += calls->of[callee_APPENDING];
    return is_all(calls, callee_RANDOM) || is_all(calls, callee_SCANNING) || is_all(calls, callee_FORMATTING)
               ? calls->count
               : count;
}

/* Whether the function asks for memory before or after the loop, as reserve() does: then a vector has room
   already, or gets it in another way. */
static bool has_room(const struct subject *subject)
{
    const struct model *model = subject->model;
    uint32_t function = model_loop(model, subject->loop)->function;
    size_t at = array_first_not_below(&model->calls, 0, offsetof(struct call, caller), function);
    for (; at < model->calls.count && model_call(model, (uint32_t)at)->caller == function; at++) {
        struct callee callee;
        uint32_t instruction = model_call(model, (uint32_t)at)->instruction;
        uint32_t block = model_instruction(model, instruction)->block;
        if (!callee_find(subject, instruction, &callee))
            continue;
        bool makes_room = callee.sort == callee_ALLOCATION || (callee.name && strstr(callee.name, "reserve"));
        if (makes_room && !model_block(model, block)->loop)
            return true;
    }
    return false;
}

/* Whether the loop does little but make vectors longer. */
static bool fills_vector(const struct subject *subject, const struct calls *calls)
{
    enum { SHORT_PATH = 40 };
    return is_all(calls, callee_GROWTH) && subject->item_count <= SHORT_PATH && !has_room(subject);
}

/* Sorts that nearly always cost more than the rest of the loop. */
static bool is_dear(const struct calls *calls)
{
    return count_arithmetic(calls) > calls->of[callee_ROOT] || calls->of[callee_ALLOCATION] ||
           calls->of[callee_PACKING];
}

static bool find(const struct subject *subject, struct remark *remark)
{
    struct calls calls;
    if (subject_is_aside(subject) || !subject->metric->call_count)
        return false;
    look(subject, &calls, remark);
    if (!calls.count)
        return false;
    bool computes = subject->metric->flop_count > 0 || count_arithmetic(&calls);
    bool is_small = calls.of[callee_OWN] && calls.largest <= SMALL;
    /* On some paths only, containers grow. */
    bool wastes = calls.allocations && calls.of[callee_RELEASE] &&
                  (calls.of[callee_ALLOCATION] + calls.of[callee_RELEASE]) * 2 >= calls.count;
    bool grows = fills_vector(subject, &calls);
    bool makes_streams = calls.of[callee_STREAM] && calls.always;
    if (!computes && !calls.of[callee_ALLOCATION] && !calls.of[callee_PACKING] && !grows && !makes_streams)
        return false;
    if (!wastes && !makes_streams && (!computes || !(is_dear(&calls) || is_small)))
        remark->level = advice_level_HINT;
    /* Rounding is quick: the call alone is worth a word only where nothing else is decided. */
    if (!calls.always || (calls.of[callee_NEAREST] == calls.count && !around_is_straight(subject)))
        remark->level = advice_level_HINT;
    if (grows) {
        remark->level = advice_level_POTENTIAL;
        remark_say(remark,
                   "A std::vector grows by push_back: whenever it is full, all its elements move to memory "
                   "twice as large, and each element pays for the check. ");
    }
    if (makes_streams)
        remark_say(remark, "Each iteration makes a stream for a text, and destroys it. ");
    say(&calls, remark);
    if (calls.of[callee_APPENDING])
        calls.of[callee_OTHER] = 0; /* only the copy itself */
    for (unsigned sort = 0; sort < callee_SORTS; sort++)
        for (unsigned i = 0; calls.of[sort] && i < MOST_OF_SORT && remedies_of[sort][i].text; i++)
            remark_advise(remark, &remedies_of[sort][i]);
    return true;
}

const struct rule rule_calls = {
    .name = "calls",
    .title = "The loop calls functions",
    .meaning = "A call takes time, values in registers must be saved around it, and the loop cannot be "
               "vectorised. If the function is small, most of the time is call overhead.",
    .level = advice_level_POTENTIAL,
    .remedies = {{audience_ANY, NULL,
                  "Move calls whose result does not depend on the iteration out of the loop.", action_HOIST}},
    .find = find,
};
