#include "run/units/units.h"

#include "code/quality/compiler.h"
#include "model/expect.h"
#include "run/units/evidence.h"
#include "run/units/small.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double LEAST_UNIT = 0.01;   /* share of the run that is worth a row */
static const double LEAST_SAVING = 0.01; /* of the run */
static const double LEAST_LOWER = 0.1;   /* share of a unit at a low level, whose saving is unknown */
/* Of the time of code without optimisation: -O2 saved 64 to 96 % in eight programs (GCC 12, Neoverse V1).  What
   its accesses to the frame take does not tell it: samples stand where a loop waits, which may be anywhere. */
static const double USUAL_COST = 0.75;
static const double LEAST_OLD =
    0.15; /* of the run, on instructions that newer processors have better forms of */
static const double MOST_CALLS = 0.75;       /* of the time that calls can be: some work stays */
static const double LOOKS_UNOPTIMISED = 0.5; /* of a unit's time on its frame, where options are unknown */

static const struct units_rule rules[] = {
    [option_rule_UNOPTIMISED] =
        {"keeps every variable in memory, loads and stores it at each use, and inlines nothing",
         "is what -O2 usually saves of such code",
         "Compile it with -O2. Check every place that sets options: the last -O on a command line counts. "
         "Where results must not change in the last digit, add -ffp-contract=off."},
    [option_rule_FLOAT_STORE] =
        {"writes every floating-point variable to memory and reads it back",
         "is spent on these accesses or on waiting for them",
         "Compile it without -ffloat-store. The option is for the x87 unit of old 32-bit programs; SSE and "
         "Arm's registers round to the declared type anyway, so results stay the same but for fused "
         "multiply-adds, which -ffp-contract=off keeps away."},
    [option_rule_NOT_INLINED] = {"keeps small functions from being inlined",
                                 "is spent on calling small functions, returning from them, and their frames",
                                 "Compile it without this option."},
    [option_rule_ASSERTIONS] = {"is missing: assertions are tested while the program works",
                                "is spent on tests of assertions",
                                "Compile it with -DNDEBUG for production. Part of that time may be waiting "
                                "for numbers that are needed anyway.",
                                .is_upper = true, .is_missing = true},
    [option_rule_OVERRIDDEN] = {"comes later on the command line and overrides it", NULL,
                                "Only the last -O counts: remove the later one, and measure. A Makefile "
                                "often appends its own -O to CFLAGS."},
    [option_rule_LOWER] = {"leaves out some of what compilers do for speed", NULL,
                           "Compile it with -O2 or -O3, and measure.", .is_upper = true},
    [option_rule_PROFILED] = {"counts every call for a profile", "of the run is spent in the counter",
                              "Compile and link without -pg, -p, --coverage and -fprofile-generate for "
                              "production."},
    [option_rule_SANITIZED] =
        {"checks the program while it runs",
         "of the run is spent in the sanitizer's functions, and more in the code around "
         "them",
         "Compile and link without -fsanitize for production."},
    [option_rule_TRAPPING] = {"calls a function for each addition, subtraction and multiplication of signed "
                              "numbers",
                              "of the run is spent in these functions",
                              "Compile it without -ftrapv; -fsanitize=signed-integer-overflow finds the same "
                              "mistakes in a test build.",
                              .is_upper = true},
    [option_rule_OLD_TARGET] =
        {"is missing: the code is for processors of 2003, and much of the time is on arithmetic, shifts or bit "
         "counts that newer ones have better instructions for",
         NULL,
         "Where the program runs on this kind of processor only, compile it with -march=native, and measure: "
         "`assay run --try` does it.",
         .is_missing = true},
    [option_rule_EMULATED] =
        {"is missing: bits are counted by calls of a function, because processors of 2003 have no instruction for "
         "it",
         "of the run is spent in this function",
         "Compile it with -mpopcnt (processors since 2008), or with -march=native where the program runs on this "
         "kind of processor only.",
         .is_missing = true},
    [option_rule_SEPARATE] =
        {"is missing: the compiler sees one file at a time, so small functions of other files "
         "are called and not inlined",
         "of the run is spent in these functions and on calling them",
         "Compile and link with -flto, or move the bodies of these functions to a header.",
         .is_missing = true},
};

const struct units_rule *units_rule_of(enum option_rule rule)
{
    return &rules[rule];
}

/* ---- options ---- */

/* The last of two words among the options: the one that counts; NULL: neither is there. */
static const char *last_word(const char *flags, const char *one, const char *other)
{
    const char *last = NULL;
    for (const char *at = flags; at && *at; at += strspn(at, " ")) {
        size_t length = strcspn(at, " ");
        if (strlen(one) == length && !memcmp(at, one, length))
            last = one;
        else if (strlen(other) == length && !memcmp(at, other, length))
            last = other;
        at += length;
    }
    return last;
}

static bool has_option(const char *flags, const char *option, const char *opposite)
{
    return last_word(flags, option, opposite) == option;
}

/* "-O3 … -O2": the first -O is higher than the one that counts.  "-O2" alone, or rising levels: false. */
static bool is_overridden(const char *flags, char later[8])
{
    char highest = 0, last = 0;
    for (const char *at = flags; at && *at; at += strspn(at, " ")) {
        size_t length = strcspn(at, " ");
        if (length >= 2 && length <= 3 && at[0] == '-' && at[1] == 'O') {
            last = length == 2 ? '1' : at[2];
            highest = last > highest && last <= '3' ? last : highest;
        }
        at += length;
    }
    later[0] = '-', later[1] = 'O', later[2] = last, later[3] = 0;
    return highest == '3' && last != '3' && last;
}

/* ---- rows ---- */

struct judging {
    struct model *model;
    uint32_t run;
    struct array options; /* of struct run_option */
};

static void add_option(struct judging *judging, uint32_t unit, enum option_rule rule, const char *option,
                       double share, double cost)
{
    bool is_known = isfinite(cost);
    if (is_known ? share * cost < LEAST_SAVING : share < LEAST_LOWER)
        return;
    *(struct run_option *)array_push(&judging->options) =
        (struct run_option){.run = judging->run,
                            .unit = unit,
                            .rule = (uint8_t)rule,
                            .option = option ? model_string(judging->model, option) : 0,
                            .share = share,
                            .cost = cost,
                            .saving = is_known ? share * cost : NAN};
}

static void judge_level(struct judging *judging, const struct run_unit *row, const struct compiler *compiler)
{
    char later[8];
    if (!compiler->flags) {
        if (row->frame_share >= LOOKS_UNOPTIMISED)
            add_option(judging, row->unit, option_rule_UNOPTIMISED, NULL, row->share, USUAL_COST);
    } else if (compiler->optimisation == 0 && !compiler->optimises_size) {
        add_option(judging, row->unit, option_rule_UNOPTIMISED, "-O0", row->share, USUAL_COST);
    } else if (is_overridden(compiler->flags, later)) {
        add_option(judging, row->unit, option_rule_OVERRIDDEN, later, row->share, NAN);
    } else if (compiler->optimisation < 2 || compiler->optimises_size || compiler->optimises_debugging) {
        add_option(judging, row->unit, option_rule_LOWER,
                   compiler->optimises_size        ? "-Os"
                   : compiler->optimises_debugging ? "-Og"
                                                   : "-O1",
                   row->share, NAN);
    }
}

static void judge_unit(struct judging *judging, const struct run_unit *row, const struct compiler *compiler)
{
    const char *flags = compiler->flags;
    bool is_optimised = !flags || compiler->optimisation > 0;
    judge_level(judging, row, compiler);
    if (is_optimised && has_option(flags, "-ffloat-store", "-fno-float-store"))
        add_option(judging, row->unit, option_rule_FLOAT_STORE, "-ffloat-store", row->share,
                   row->float_share);
    if (is_optimised && has_option(flags, "-fno-inline", "-finline"))
        add_option(judging, row->unit, option_rule_NOT_INLINED, "-fno-inline", row->share,
                   fmin(MOST_CALLS,
                        fmax(row->call_share,
                             small_of_unit(judging->model, judging->run, row->unit).calls / row->share)));
    add_option(judging, row->unit, option_rule_ASSERTIONS, "-DNDEBUG", row->share, row->assertion_share);
}

static void judge_units(struct judging *judging)
{
    struct model *model = judging->model;
    const struct sampled_run *run = model_sampled_run(model, judging->run);
    autofree struct evidence *evidence = evidence_find(model);
    for (uint32_t id = 1; id < model->units.count; id++) {
        const struct evidence *found = &evidence[id];
        if (!found->function || !(found->all >= LEAST_UNIT * run->sampled_seconds))
            continue;
        struct run_unit *row = model_add(&model->run_units);
        *row = (struct run_unit){.run = judging->run,
                                 .unit = id,
                                 .samples = found->samples,
                                 .seconds = found->all,
                                 .share = found->all / run->sampled_seconds,
                                 .frame_share = found->frame / found->all,
                                 .float_share = found->floats / found->all,
                                 .assertion_share = found->assertions / found->all,
                                 .call_share = found->calls / found->all,
                                 .old_share = found->old / found->all};
        struct compiler compiler;
        compiler_find(&compiler, model, found->function);
        judge_unit(judging, row, &compiler);
    }
}

/* ---- functions that only an option calls ---- */

static const struct {
    enum option_rule rule;
    const char *option, *prefix; /* a prefix of names; with a blank at its end the whole name */
} helpers[] = {
    {option_rule_PROFILED, "-pg", "_mcount "},
    {option_rule_PROFILED, "-pg", "mcount "},
    {option_rule_PROFILED, "-pg", "__mcount"},
    {option_rule_PROFILED, "-pg", "__fentry__ "},
    {option_rule_PROFILED, "-fprofile-generate", "__gcov_"},
    {option_rule_PROFILED, "-finstrument-functions", "__cyg_profile_func_"},
    {option_rule_SANITIZED, "-fsanitize=address", "__asan_"},
    {option_rule_SANITIZED, "-fsanitize=address", "_ZN6__asan"},
    {option_rule_SANITIZED, "-fsanitize=thread", "__tsan_"},
    {option_rule_SANITIZED, "-fsanitize=thread", "_ZN6__tsan"},
    {option_rule_SANITIZED, "-fsanitize=undefined", "__ubsan_"},
    {option_rule_SANITIZED, "-fsanitize=undefined", "_ZN7__ubsan"},
    {option_rule_TRAPPING, "-ftrapv", "__addv"},
    {option_rule_TRAPPING, "-ftrapv", "__subv"},
    {option_rule_TRAPPING, "-ftrapv", "__mulv"},
    {option_rule_TRAPPING, "-ftrapv", "__negv"},
    {option_rule_EMULATED, "-mpopcnt", "__popcountdi2 "},
    {option_rule_EMULATED, "-mpopcnt", "__popcountsi2 "},
};
enum { HELPERS = sizeof helpers / sizeof *helpers };

static bool is_named(const char *name, const char *prefix)
{
    size_t length = strcspn(prefix, " ");
    return name && !strncmp(name, prefix, length) &&
           (!prefix[length] || !name[length] || name[length] == '@');
}

static void judge_helpers(struct judging *judging)
{
    struct model *model = judging->model;
    /* In themselves; and in the one with the most, with what it called. */
    double shares[option_rule_COUNT] = {0}, totals[option_rule_COUNT] = {0};
    const char *options[option_rule_COUNT] = {0};
    for (uint32_t i = 1; i < model->run_functions.count; i++) {
        const struct run_function *row = model_run_function(model, i);
        const char *name =
            model_text(model, row->function ? model_function(model, row->function)->name : row->name);
        for (size_t k = 0; k < HELPERS; k++)
            if (is_named(name, helpers[k].prefix)) {
                shares[helpers[k].rule] += row->self_share;
                totals[helpers[k].rule] = fmax(totals[helpers[k].rule], row->total_share);
                options[helpers[k].rule] = helpers[k].option;
                break;
            }
    }
    for (unsigned rule = 0; rule < option_rule_COUNT; rule++)
        if (options[rule])
            add_option(judging, 0, (enum option_rule)rule, options[rule], fmax(shares[rule], totals[rule]),
                       1);
}

static void judge_whole(struct judging *judging)
{
    struct small_functions found = small_apart(judging->model, judging->run);
    double calls = fmin(found.calls, MOST_CALLS), share = fmax(found.share, calls);
    if (share > 0)
        add_option(judging, 0, option_rule_SEPARATE, "-flto", share, calls / share);
}

/* ---- order ---- */

static int by_saving(const void *left, const void *right)
{
    const struct run_option *a = left, *b = right;
    double one = isfinite(a->saving) ? a->saving : 0, other = isfinite(b->saving) ? b->saving : 0;
    if (one != other)
        return one > other ? -1 : 1;
    if (a->share != b->share)
        return a->share > b->share ? -1 : 1;
    return (a->unit > b->unit) - (a->unit < b->unit);
}

static void sort_options(struct model *model)
{
    if (model->run_options.count)
        qsort(model->run_options.data, model->run_options.count, model->run_options.width, by_saving);
    for (uint32_t i = 0; i < model->run_options.count; i++)
        model_run_option(model, i)->position = i + 1;
}

/* ---- processors that are older than the one that ran it ---- */

static bool is_unoptimised(const struct model *model, uint32_t unit)
{
    for (uint32_t i = 0; i < model->run_options.count; i++)
        if (model_run_option(model, i)->unit == unit &&
            model_run_option(model, i)->rule == option_rule_UNOPTIMISED)
            return true;
    return false;
}

static bool has_action(const struct model *model, uint32_t advice, enum action action)
{
    size_t at = array_first_not_below(&model->remedies, 0, offsetof(struct remedy_row, advice), advice);
    return at < model->remedies.count && model_remedy_row(model, (uint32_t)at)->advice == advice &&
           model_remedy_row(model, (uint32_t)at)->action == action;
}

/* What newer instructions bring is known for a loop of the unit: its advice says it. */
static bool has_known_gain(const struct model *model, uint32_t unit)
{
    for (uint32_t k = 0; k < model->run_loops.count; k++) {
        const struct run_loop *loop = model_run_loop(model, k);
        size_t at = array_first_not_below(&model->advice, 1, offsetof(struct advice, loop), loop->loop);
        if (loop->self_share < LEAST_UNIT ||
            model_function(model, model_loop(model, loop->loop)->function)->unit != unit)
            continue;
        for (; at < model->advice.count && model_advice(model, (uint32_t)at)->loop == loop->loop; at++)
            if (model_advice(model, (uint32_t)at)->gain > 1 && has_action(model, (uint32_t)at, action_TARGET))
                return true;
    }
    return false;
}

/* The code of the unit's functions is x86-64; the first of them tells its options. */
static uint32_t function_of(const struct model *model, uint32_t unit)
{
    for (uint32_t id = 1; id < model->functions.count; id++)
        if (model_function(model, id)->unit == unit)
            return id;
    return 0;
}

void units_judge_target(struct model *model, const struct machine *const machines[])
{
    struct judging judging = {.model = model, .run = 1, .options = ARRAY_OF(struct run_option)};
    const struct machine *machine = machines[isa_X86_64];
    for (uint32_t i = 0; machine && machine->core.vector_bits > 128 && i < model->run_units.count; i++) {
        const struct run_unit *row = model_run_unit(model, i);
        uint32_t function = function_of(model, row->unit);
        struct compiler compiler;
        if (row->share * row->old_share < LEAST_OLD || !function || is_unoptimised(model, row->unit) ||
            has_known_gain(model, row->unit))
            continue;
        compiler_find(&compiler, model, function);
        if (compiler.flags && compiler.optimisation > 0 && !compiler_has(&compiler, "-march") &&
            !compiler.has_features)
            add_option(&judging, row->unit, option_rule_OLD_TARGET, "-march=native", row->share, NAN);
    }
    for (size_t i = 0; i < judging.options.count; i++)
        *(struct run_option *)model_add(&model->run_options) =
            *ARRAY_AT(struct run_option, &judging.options, i);
    sort_options(model);
    array_free(&judging.options);
}

/* ---- what a higher level would bring ---- */

static double saved_by_level(const struct model *model, const struct run_loop *loop)
{
    double gain = 1;
    size_t at = array_first_not_below(&model->advice, 1, offsetof(struct advice, loop), loop->loop);
    for (; at < model->advice.count && model_advice(model, (uint32_t)at)->loop == loop->loop; at++) {
        const struct advice *advice = model_advice(model, (uint32_t)at);
        if (advice->level <= advice_level_HINT && advice->gain > gain &&
            has_action(model, (uint32_t)at, action_OPTIMISE))
            gain = advice->gain;
    }
    return loop->self_share * (1 - 1 / gain);
}

void units_promise(struct model *model)
{
    for (uint32_t i = 0; i < model->run_options.count; i++) {
        struct run_option *option = model_run_option(model, i);
        double saving = 0;
        if (option->rule != option_rule_OVERRIDDEN && option->rule != option_rule_LOWER)
            continue;
        for (uint32_t k = 0; k < model->run_loops.count; k++) {
            const struct run_loop *loop = model_run_loop(model, k);
            if (model_function(model, model_loop(model, loop->loop)->function)->unit == option->unit)
                saving += saved_by_level(model, loop);
        }
        option->saving = saving >= LEAST_SAVING ? fmin(saving, option->share) : NAN;
        option->cost = option->saving / option->share;
    }
    sort_options(model);
}

/* ---- */

void units_judge(struct model *model)
{
    struct judging judging = {.model = model, .run = 1, .options = ARRAY_OF(struct run_option)};
    model->run_units.count = model->run_options.count = 0;
    if (model->runs.count < 2 || !(model_sampled_run(model, 1)->sampled_seconds > 0))
        return;
    judge_units(&judging);
    judge_helpers(&judging);
    judge_whole(&judging);
    for (size_t i = 0; i < judging.options.count; i++)
        *(struct run_option *)model_add(&model->run_options) =
            *ARRAY_AT(struct run_option, &judging.options, i);
    sort_options(model);
    array_free(&judging.options);
    model_expect(model, "units");
}
