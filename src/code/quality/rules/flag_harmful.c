/* Options that make this loop slower, and that a fast program should not be compiled with.

   An option alone is not a fault: each is reported only where the loop shows its effect. Calls of a profiler
   at the start of functions show their option even where no options are recorded. Frame pointers,
   position-independent code and the usual stack protectors, which check functions with arrays, hardly cost
   loops anything and are not reported. Checks in every function do, where a loop calls small ones. */
#include "code/quality/rules/callees.h"
#include "code/quality/rules/flags.h"
#include "code/quality/rules/targets.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

static const double WORTH_A_WORD = 1.1;
/* Instructions of a function; a check of its frame takes about eight. */
enum { SMALL_FUNCTION = 48, ANY_FUNCTION = UINT32_MAX };

enum evidence {
    evidence_CALLS,   /* the loop calls functions whose names begin with a prefix, on some path */
    evidence_ENTRIES, /* the loop or a function that it calls does so; this alone shows the option */
    evidence_FRAMES,  /* a small function that the loop calls does so */
    evidence_SCALARS, /* it works on single numbers, and vectors would be faster */
    evidence_VECTORS, /* it works on vectors, and longer ones would be faster */
    evidence_COUNTS,  /* it adds one to fixed places in memory */
};

static const struct harm {
    const char *option;
    enum evidence evidence;
    const char *prefix; /* of CALLS */
    const char *text;
    struct remedy remedy;
} harms[] = {
    {"-fsanitize",
     evidence_CALLS,
     "__asan_",
     "checks the addresses of its loads and stores",
     {audience_ANY, NULL, "Remove -fsanitize=… from production builds: it is for finding errors.",
      action_DROP_OPTION}},
    {"-fsanitize",
     evidence_CALLS,
     "__tsan_",
     "reports its loads and stores to the thread sanitizer",
     {audience_ANY, NULL, "Remove -fsanitize=… from production builds: it is for finding errors.",
      action_DROP_OPTION}},
    {"-fsanitize",
     evidence_CALLS,
     "__msan_",
     "checks loads for uninitialised memory",
     {audience_ANY, NULL, "Remove -fsanitize=… from production builds: it is for finding errors.",
      action_DROP_OPTION}},
    {"-fsanitize",
     evidence_CALLS,
     "__ubsan_",
     "checks its arithmetic for overflow and other undefined behaviour",
     {audience_ANY, NULL, "Remove -fsanitize=… from production builds: it is for finding errors.",
      action_DROP_OPTION}},
    {"-fcheck",
     evidence_CALLS,
     "_gfortran_runtime_error",
     "checks subscripts in every iteration",
     {audience_GCC, NULL,
      "Remove -fcheck=… (-fbounds-check) from production builds: it is for finding errors.",
      action_DROP_OPTION}},
    {"-fbounds-check",
     evidence_CALLS,
     "_gfortran_runtime_error",
     "checks subscripts in every iteration",
     {audience_GCC, NULL,
      "Remove -fcheck=… (-fbounds-check) from production builds: it is for finding errors.",
      action_DROP_OPTION}},
    {"-ftrapv",
     evidence_CALLS,
     "__addv",
     "checks its integer arithmetic for overflow",
     {audience_ANY, NULL, "Remove -ftrapv from production builds.", action_DROP_OPTION}},
    {"-ftrapv",
     evidence_CALLS,
     "__mulv",
     "checks its integer arithmetic for overflow",
     {audience_ANY, NULL, "Remove -ftrapv from production builds.", action_DROP_OPTION}},
    {"-finstrument-functions",
     evidence_ENTRIES,
     "__cyg_profile_",
     "reports every function call",
     {audience_ANY, NULL, "Remove -finstrument-functions; assay and perf do not need it.",
      action_DROP_OPTION}},
    {"-pg",
     evidence_ENTRIES,
     "mcount",
     "calls functions that count their calls",
     {audience_ANY, NULL,
      "Remove -pg, when compiling and when linking: it is for gprof. `assay run` and perf see as much "
      "without it.",
      action_DROP_OPTION}},
    {"-pg",
     evidence_ENTRIES,
     "_mcount",
     "calls functions that count their calls",
     {audience_ANY, NULL,
      "Remove -pg, when compiling and when linking: it is for gprof. `assay run` and perf see as much "
      "without it.",
      action_DROP_OPTION}},
    {"-pg",
     evidence_ENTRIES,
     "__fentry__",
     "calls functions that count their calls",
     {audience_ANY, NULL,
      "Remove -pg, when compiling and when linking: it is for gprof. `assay run` and perf see as much "
      "without it.",
      action_DROP_OPTION}},
    {"-pg",
     evidence_ENTRIES,
     "__gnu_mcount_",
     "calls functions that count their calls",
     {audience_ANY, NULL,
      "Remove -pg, when compiling and when linking: it is for gprof. `assay run` and perf see as much "
      "without it.",
      action_DROP_OPTION}},
    {"-fstack-protector-all",
     evidence_FRAMES,
     "__stack_chk_fail",
     "calls a small function that checks its stack frame every time",
     {audience_ANY, NULL,
      "Use -fstack-protector-strong instead of -fstack-protector-all: it checks only functions with arrays "
      "or "
      "variables whose address is used. Or let the function be inlined.",
      action_DROP_OPTION}},
    {"-fprofile-generate",
     evidence_COUNTS,
     NULL,
     "counts its executions",
     {audience_ANY, NULL,
      "Run the program once, then compile again with -fprofile-use: -fprofile-generate is only for the "
      "profiling run.",
      action_DROP_OPTION}},
    {"-fprofile-arcs",
     evidence_COUNTS,
     NULL,
     "counts its executions",
     {audience_ANY, NULL, "Remove --coverage, -fprofile-arcs and -ftest-coverage from production builds.",
      action_DROP_OPTION}},
    {"--coverage",
     evidence_COUNTS,
     NULL,
     "counts its executions",
     {audience_ANY, NULL, "Remove --coverage, -fprofile-arcs and -ftest-coverage from production builds.",
      action_DROP_OPTION}},
    {"-fprofile-instr-generate",
     evidence_COUNTS,
     NULL,
     "counts its executions",
     {audience_ANY, NULL, "Remove -fprofile-instr-generate from production builds.", action_DROP_OPTION}},
    {"-fno-tree-vectorize",
     evidence_SCALARS,
     NULL,
     "is not vectorised, because the option forbids it",
     {audience_GCC, "-ftree-vectorize", "Remove -fno-tree-vectorize.", action_DROP_OPTION}},
    {"-fno-tree-loop-vectorize",
     evidence_SCALARS,
     NULL,
     "is not vectorised, because the option forbids it",
     {audience_GCC, "-ftree-vectorize", "Remove -fno-tree-loop-vectorize.", action_DROP_OPTION}},
    {"-fno-vectorize",
     evidence_SCALARS,
     NULL,
     "is not vectorised, because the option forbids it",
     {audience_CLANG, "-fvectorize", "Remove -fno-vectorize.", action_DROP_OPTION}},
    {"-no-vec",
     evidence_SCALARS,
     NULL,
     "is not vectorised, because the option forbids it",
     {audience_INTEL, "-vec", "Remove -no-vec.", action_DROP_OPTION}},
    {"-mprefer-vector-width",
     evidence_VECTORS,
     NULL,
     "uses shorter vectors than it could",
     {audience_ANY, NULL, "Remove -mprefer-vector-width=128, or try 256 and 512.", action_DROP_OPTION}},
    {"-mprefer-avx128",
     evidence_VECTORS,
     NULL,
     "uses shorter vectors than it could",
     {audience_GCC, NULL, "Remove -mprefer-avx128.", action_DROP_OPTION}},
};

/* A call of a function with such a name anywhere in the loop, or after one of its exits, where failed checks
   go. */
static bool calls_in_block(const struct subject *subject, uint32_t block, const char *prefix)
{
    const struct model *model = subject->model;
    const struct block *row = model_block(model, block);
    size_t at =
        array_first_not_below(&model->calls, 0, offsetof(struct call, instruction), row->first_instruction);
    for (; at < model->calls.count; at++) {
        const struct call *call = model_call(model, (uint32_t)at);
        if (call->instruction >= row->first_instruction + row->instruction_count)
            break;
        const char *name = call->callee ? model_text(model, model_function(model, call->callee)->name) : NULL;
        if (name && !strncmp(name, prefix, strlen(prefix)))
            return true;
    }
    return false;
}

/* Whether a function of at most so many instructions that a block calls itself calls a function with such a
   name. */
static bool calls_behind_block(const struct subject *subject, uint32_t block, const char *prefix,
                               uint32_t most)
{
    const struct model *model = subject->model;
    const struct block *row = model_block(model, block);
    size_t at =
        array_first_not_below(&model->calls, 0, offsetof(struct call, instruction), row->first_instruction);
    for (; at < model->calls.count; at++) {
        const struct call *call = model_call(model, (uint32_t)at);
        if (call->instruction >= row->first_instruction + row->instruction_count)
            break;
        const struct function *callee = model_function(model, call->callee);
        for (uint32_t i = 0; call->callee && callee->instruction_count <= most && i < callee->block_count;
             i++)
            if (calls_in_block(subject, callee->first_block + i, prefix))
                return true;
    }
    return false;
}

/* Whether the loop calls such a function, or a function of at most so many instructions that does. */
static bool has_entries(const struct subject *subject, const char *prefix, uint32_t most)
{
    const struct model *model = subject->model;
    size_t at =
        array_first_not_below(&model->loop_blocks, 0, offsetof(struct loop_block, loop), subject->loop);
    for (; at < model->loop_blocks.count && model_loop_block(model, (uint32_t)at)->loop == subject->loop;
         at++) {
        uint32_t block = model_loop_block(model, (uint32_t)at)->block;
        if ((most == ANY_FUNCTION && calls_in_block(subject, block, prefix)) ||
            calls_behind_block(subject, block, prefix, most))
            return true;
    }
    return false;
}

static bool has_calls(const struct subject *subject, const char *prefix)
{
    const struct model *model = subject->model;
    size_t at =
        array_first_not_below(&model->loop_blocks, 0, offsetof(struct loop_block, loop), subject->loop);
    for (; at < model->loop_blocks.count && model_loop_block(model, (uint32_t)at)->loop == subject->loop;
         at++) {
        uint32_t block = model_loop_block(model, (uint32_t)at)->block;
        size_t edge = array_first_not_below(&model->edges, 0, offsetof(struct edge, source), block);
        if (calls_in_block(subject, block, prefix))
            return true;
        for (; edge < model->edges.count && model_edge(model, (uint32_t)edge)->source == block; edge++)
            if (calls_in_block(subject, model_edge(model, (uint32_t)edge)->target, prefix))
                return true;
    }
    return false;
}

/* Items that add one to a value at a fixed place. */
static bool find_counters(const struct subject *subject, struct remark *remark)
{
    bool is_found = false;
    for (unsigned i = 0; i < subject->access_count; i++) {
        const struct subject_access *access = &subject->accesses[i];
        if (access->stores && access->pattern == access_pattern_INVARIANT && !access->is_stack &&
            !subject->items[access->item].is_fp) {
            remark_point(remark, access->item);
            is_found = true;
        }
    }
    return is_found;
}

static bool find_work(const struct subject *subject, double cycles, struct remark *remark)
{
    if (!(subject->path->cycles >= WORTH_A_WORD * cycles))
        return false;
    for (unsigned i = 0; i < subject->item_count; i++)
        if (subject->items[i].purpose == purpose_DATA && subject->items[i].is_vectorisable)
            remark_point(remark, i);
    remark->cycles = cycles;
    return true;
}

static bool is_shown(const struct subject *subject, const struct harm *harm, struct remark *remark)
{
    const struct compiler *compiler = subject->compiler;
    switch (harm->evidence) {
    case evidence_CALLS:
        return has_calls(subject, harm->prefix);
    case evidence_ENTRIES:
        return has_entries(subject, harm->prefix, ANY_FUNCTION);
    case evidence_FRAMES:
        return has_entries(subject, harm->prefix, SMALL_FUNCTION);
    case evidence_COUNTS:
        return find_counters(subject, remark);
    case evidence_SCALARS:
        return compiler->forbids_vectorising && !flags_has_vectors(subject) &&
               find_work(subject, target_cycles(subject, target_bits(subject)), remark);
    default:
        return compiler->preferred_vector &&
               compiler->preferred_vector < subject->machine->core.vector_bits &&
               compiler->preferred_vector < 256 && flags_has_vectors(subject) &&
               find_work(subject, target_cycles(subject, target_native_bits(subject)), remark);
    }
}

static bool find(const struct subject *subject, struct remark *remark)
{
    bool is_known = flags_are_known(subject);
    if (subject_is_aside(subject) || (is_known && subject->compiler->optimisation == 0))
        return false;
    for (size_t i = 0; i < sizeof harms / sizeof *harms; i++) {
        bool is_named = is_known && flags_name(subject, harms[i].option);
        if ((!is_named && harms[i].evidence != evidence_ENTRIES) || !is_shown(subject, &harms[i], remark))
            continue;
        remark_say(remark, "The code was compiled with %s: the loop %s.", harms[i].option, harms[i].text);
        if (harms[i].evidence == evidence_FRAMES)
            remark->level = advice_level_POTENTIAL;
        remark_advise(remark, &harms[i].remedy);
        return true;
    }
    return false;
}

const struct rule rule_flag_harmful = {
    .name = "flag-harmful",
    .title = "A compiler option slows the code down",
    .meaning = "Some options are for debugging or profiling; others forbid optimisations that would make the "
               "loop faster. They do not belong in production builds.",
    .level = advice_level_GAIN,
    .remedies = {{audience_ANY, NULL,
                  "Keep two builds: one with such options for debugging, one without them for production.",
                  action_DROP_OPTION}},
    .find = find,
};
