#include "show/report/quality/sentences.h"

#include "model/demangle.h"
#include "model/tables.h"
#include "show/report/common/share.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

const char *quality_limit_words(enum core_part part)
{
    switch (part) {
    case core_part_PREDECODE:
        return "its instructions are long, and the predecoder (instruction length decoding) cannot keep up";
    case core_part_DECODE:
    case core_part_FRONT_END:
        return "fetching and decoding instructions (MITE) takes longer than executing them";
    case core_part_UOP_CACHE:
        return "the cache of decoded instructions (DSB) cannot deliver µops any faster";
    case core_part_LOOP_BUFFER:
        return "the loop buffer (LSD) cannot replay the loop any faster";
    case core_part_MICROCODE:
        return "some of its instructions run as a microcode sequence of many µops";
    case core_part_ISSUE:
        return "its µops fill every slot that the processor can rename and issue";
    case core_part_PORTS:
        return "the execution ports that its instructions need are busy all the time";
    case core_part_DIVIDER:
        return "divisions or square roots keep the divide unit busy";
    case core_part_LOADS:
        return "it makes as many loads as the processor can do in a cycle";
    case core_part_STORES:
        return "it makes as many stores as the processor can do in a cycle";
    case core_part_BRANCHES:
        return "it makes as many jumps as the processor can do in a cycle";
    case core_part_RETIRE:
        return "the processor cannot retire instructions any faster";
    case core_part_LATENCY:
        return "each iteration waits for a result of an earlier one";
    case core_part_FORWARDING:
        return "store forwarding fails: loads wait until an earlier store to the same place is in the cache";
    case core_part_WINDOW:
        return "iterations are too long for the reorder buffer or schedulers to overlap enough of them";
    case core_part_CONTENTION:
        return "instructions compete for execution ports while others wait for their results";
    case core_part_PAIRING:
        return "the core issues instructions in order, and each waits for the ones before it";
    default:
        return "no part of the core in the model limits it";
    }
}

/* The first row of loop_roles for this function: a family is in one function, and its loops' ids are near
 * each other. */
static size_t first_role(const struct model *model, uint32_t function, size_t at)
{
    while (at > 0 &&
           model_loop(model, model_loop_role_row(model, (uint32_t)at - 1)->loop)->function == function)
        at--;
    return at;
}

/* The other loops of its source loop with a given role: "peel loop 11", "tail loops 13, 14"; nothing for
 * none. */
static void print_kin(FILE *out, const struct quality_rows *rows, enum loop_role role, const char *joint)
{
    const struct model *model = rows->model;
    uint32_t function = model_loop(model, rows->loop)->function;
    struct array kin = ARRAY_OF(uint32_t);
    for (size_t i = first_role(model, function, (size_t)(rows->role - model_loop_role_row(model, 0)));
         i < model->loop_roles.count; i++) {
        const struct loop_role_row *row = model_loop_role_row(model, (uint32_t)i);
        if (model_loop(model, row->loop)->function != function)
            break;
        if (row->family == rows->role->family && row->role == role && row->loop != rows->loop)
            *(uint32_t *)array_push(&kin) = row->loop;
    }
    const char *noun = role == loop_role_VERSION ? "" : " loop";
    if (kin.count)
        fprintf(out, "%s%s%s%s", joint, loop_role_word(role), noun, kin.count > 1 ? "s" : "");
    for (size_t i = 0; i < kin.count; i++)
        fprintf(out, "%s %u", i ? "," : "", *ARRAY_AT(uint32_t, &kin, i));
    array_free(&kin);
}

void quality_say_role(FILE *out, const struct quality_rows *rows)
{
    static const char *const names[loop_role_COUNT] = {
        [loop_role_ONLY] = "The only loop",
        [loop_role_MAIN] = "The main loop",
        [loop_role_PEEL] = "A peel loop, for the first iterations",
        [loop_role_TAIL] = "A tail loop, for the last iterations",
        [loop_role_VERSION] = "Another version of the main loop"};
    static const enum loop_role order[] = {loop_role_MAIN, loop_role_VERSION, loop_role_PEEL, loop_role_TAIL};
    const struct loop_role_row *role = rows->role;
    bool has_kin = role && rows->family && rows->family->loop_count > 1;
    bool has_count = role && role->iterations != NO_NUMBER && role->iterations > 1;
    if (!has_kin && !has_count)
        return;
    if (has_kin) {
        fprintf(out, "%s, one of %u that the compiler made from one source loop", names[role->role],
                rows->family->loop_count);
        for (size_t i = 0; i < sizeof order / sizeof *order; i++)
            print_kin(out, rows, order[i], "; ");
        fputs(". ", out);
    }
    if (has_count) {
        fprintf(out, "Each iteration does %d iterations of the source loop", role->iterations);
        if (role->unroll != NO_NUMBER && role->unroll > 1)
            fprintf(out, "; it is unrolled %d times", role->unroll);
        fputs(".", out);
    }
}

/* Cycles of an iteration for switches between SSE and AVX code. */
static double transitions_of(const struct loop_metric *metric)
{
    return metric && metric->transition_cycles > 0 ? metric->transition_cycles : 0;
}

void quality_say_cycles(FILE *out, const struct loop_cycle *cycles, const struct loop_metric *metric,
                        bool is_one_of_many)
{
    double switches = transitions_of(metric), total = cycles->cycles + switches;
    fprintf(out, "An iteration takes %.2f cycles", total);
    if (is_one_of_many)
        fprintf(out, " on the slowest path (path %u)", cycles->path);
    if (metric && isfinite(metric->cycles_per_source_iteration) &&
        metric->cycles_per_source_iteration < cycles->cycles)
        fprintf(out, ", %.2f for each iteration of the source loop",
                metric->cycles_per_source_iteration * total / cycles->cycles);
    if (switches > 0)
        fprintf(out, ": %.2f for switches between SSE and AVX code, and %.2f for the rest", switches,
                cycles->cycles);
    fprintf(out, ": %s (%s).", quality_limit_words((enum core_part)cycles->limit),
            core_part_word(cycles->limit));
    if (isfinite(cycles->next_cycles) && !(switches > 0))
        fprintf(out, " Without this limit it would %stake %.2f (%s).",
                cycles->next_cycles < cycles->cycles ? "" : "still ", cycles->next_cycles,
                core_part_word(cycles->next));
    if (isfinite(cycles->unaligned_cycles))
        fprintf(out, " With the worst alignment of the data it takes %.2f.", cycles->unaligned_cycles);
    if (isfinite(cycles->easy_cycles))
        fprintf(out, " It takes %.2f-%.2f by the operands: divisions of easy numbers are quicker.",
                cycles->easy_cycles, cycles->hard_cycles);
    if (isfinite(cycles->scattered_cycles))
        fprintf(
            out,
            " That is with all lanes of a gather or scatter in one line of the cache; it is repeated for each "
            "line, and with each lane in a line of its own an iteration takes %.2f.",
            cycles->scattered_cycles + switches);
    if (isfinite(cycles->repeated_cycles))
        fprintf(out, " If iterations in a row update the same element it takes %.2f.",
                cycles->repeated_cycles);
}

/* What makes lines late: loaded values say where the next one is, or steps are too wide for a line to serve
   several iterations. */
static const char *misses_words(const struct quality_rows *path)
{
    for (size_t i = 0; i < path->access_count; i++)
        if (path->accesses[i].is_load && path->accesses[i].pattern == access_pattern_INDIRECT)
            return "loaded values decide where its loads go, so nothing fetches them ahead";
    return "its loads there are far apart, so that each iteration needs lines of its own, and only as many "
           "are under way as the core can hold";
}

void quality_say_levels(FILE *out, const struct quality_rows *rows, const struct loop_cycle *cycles)
{
    static const char *const names[data_level_COUNT] = {
        [data_level_L2] = "L2", [data_level_L3] = "L3", [data_level_MEMORY] = "memory"};
    static const char *const meaning[data_limit_COUNT] = {
        [data_limit_LINES] =
            "lines of data limit it there, so fewer bytes help and faster arithmetic does not",
        [data_limit_CHAIN] = "each load there waits for one before it",
        [data_limit_MISSES] = NULL};
    const double much = 1.1, switches = transitions_of(quality_metric(rows, cycles->path));
    struct quality_rows path = quality_rows_of_path(rows, cycles->path);
    const struct loop_level *last = NULL;
    for (size_t i = 0; i < path.level_count; i++) {
        const struct loop_level *level = &path.levels[i];
        if (!(level->cycles + switches > much * (cycles->cycles + switches)) ||
            level->limit == data_limit_CORE)
            continue;
        fprintf(out, last ? ", in %s %.2f%s" : " With data in %s it takes %.2f cycles%s", names[level->level],
                level->cycles + switches, level->is_assumed ? " (assumed)" : "");
        last = level;
    }
    if (!last)
        return;
    const char *why = last->limit == data_limit_MISSES ? misses_words(&path)
                      : meaning[last->limit]           ? meaning[last->limit]
                                                       : data_limit_doc(last->limit);
    fprintf(out, ": %s.", why);
}

static void say_share(FILE *out, const char **joint, double share, const char *of, double rate,
                      const char *unit)
{
    fprintf(out, "%s%s%% of peak %s (%.2f %s/cycle)", *joint, share_words(share).text, of, rate, unit);
    *joint = ", ";
}

void quality_say_rates(FILE *out, const struct loop_metric *metric)
{
    static const char beginning[] = " It reaches ";
    const char *joint = beginning;
    double part = metric->cycles > 0 ? metric->cycles / (metric->cycles + transitions_of(metric)) : 1;
    if (metric->flop_count && isfinite(metric->flop_share))
        say_share(out, &joint, part * metric->flop_share, "floating-point throughput",
                  part * metric->flop_per_cycle, "flop");
    if (metric->loaded_bytes && isfinite(metric->load_share))
        say_share(out, &joint, part * metric->load_share, "load bandwidth",
                  part * metric->loaded_bytes_per_cycle, "bytes");
    if (metric->stored_bytes && isfinite(metric->store_share))
        say_share(out, &joint, part * metric->store_share, "store bandwidth",
                  part * metric->stored_bytes_per_cycle, "bytes");
    fputs(joint == beginning ? "" : ".", out);
}

static void say_scalars(FILE *out, const struct loop_metric *metric, const char *kind)
{
    fprintf(out, " None of its %s instructions is a vector instruction", kind);
    if (metric->lanes_most > metric->lanes_least)
        fprintf(out, "; vectors of this machine hold %u of its widest numbers and %u of its narrowest",
                metric->lanes_least, metric->lanes_most);
    else if (metric->lanes_most)
        fprintf(out, "; vectors of this machine hold %u such numbers", metric->lanes_most);
    putc('.', out);
}

void quality_say_vectors(FILE *out, const struct loop_metric *metric)
{
    bool is_fp = isfinite(metric->vector_ratio_fp);
    double ratio = is_fp ? metric->vector_ratio_fp : metric->vector_ratio_integer;
    double used = is_fp ? metric->vector_efficiency_fp : metric->vector_efficiency_integer;
    const char *kind = is_fp ? "floating-point" : "integer";
    if (!isfinite(ratio) || !isfinite(used) || used <= 0)
        return;
    if (metric->x87_count)
        fprintf(out, " It uses x87 instructions, which are scalar.");
    else if (ratio <= 0)
        say_scalars(out, metric, kind);
    else if (ratio >= 1 && used >= 1)
        fprintf(out, " All of its %s instructions use full vectors.", kind);
    else if (ratio >= 1)
        fprintf(out,
                " All of its %s instructions are vector instructions, but use only %s%% of the vector width "
                "of this machine.",
                kind, share_words(used).text);
    else
        fprintf(out,
                " %s%% of its %s instructions are vector instructions; together they use %s%% of the vector "
                "width of this machine.",
                share_words(ratio).text, kind, share_words(used).text);
}

static bool has_returning_path(const struct model *model, uint32_t loop)
{
    size_t at = array_first_not_below(&model->paths, 0, 0, loop);
    for (; at < model->paths.count && model_path(model, (uint32_t)at)->loop == loop; at++)
        if (!model_path(model, (uint32_t)at)->is_exit)
            return true;
    return false;
}

/* What the figures do not cover. */
void quality_say_reservations(FILE *out, const struct model *model, const struct loop_cycle *cycles,
                              const struct loop_metric *metric)
{
    const struct loop *loop = model_loop(model, cycles->loop);
    if (metric && metric->call_count)
        fprintf(out, " It calls %s; time spent in %s is not included.",
                metric->call_count == 1 ? "a function" : "functions",
                metric->call_count == 1 ? "it" : "them");
    if (!loop->exit_count)
        fputs(" No jump leaves the loop.", out);
    if (!has_returning_path(model, cycles->loop))
        fputs(" Every path analysed leaves the loop, so the figures are for its last iteration, and "
              "what was found there is a hint at most.",
              out);
    if (cycles->known_count < cycles->instruction_count)
        fprintf(out,
                " The machine file has costs for %u of its %u instructions; those of the others are assumed.",
                cycles->known_count, cycles->instruction_count);
}

char *quality_access_words(const struct access_pattern_row *access)
{
    const char *verb = access->is_load && access->is_store ? "loads and stores"
                       : access->is_store                  ? "stores"
                                                           : "loads";
    char bytes[32] = "", stride[48] = "";
    if (access->bytes)
        snprintf(bytes, sizeof bytes, " %u %s", access->bytes, access->bytes == 1 ? "byte" : "bytes");
    if (access->pattern == access_pattern_CONSTANT_STRIDE)
        snprintf(stride, sizeof stride, " of %lld bytes", (long long)access->stride);
    return memory_format("%s%s, %s%s%s", verb, bytes, access_pattern_word(access->pattern), stride,
                         access->is_stack ? ", on the stack" : "");
}

char *quality_function(const struct model *model, uint32_t loop, bool demangle)
{
    const char *name = model_text(model, model_function(model, model_loop(model, loop)->function)->name);
    char *plain = demangle && name ? demangle_name(name) : NULL;
    return plain ? plain : memory_format("%s", name ? name : "?");
}
