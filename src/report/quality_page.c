/* The page of a loop: where it is, what it is among the loops of its source, how fast it is and what limits
   it, then what to do.  Figures are those of its slowest path. */
#include "report/quality_page.h"

#include "model/tables.h"
#include "quality/compiler.h"
#include "report/loop_heading.h"
#include "report/quality_sentences.h"
#include "report/quality_words.h"
#include "report/text.h"
#include "report/wrap.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_PATHS = 16, LONGEST_FLAGS = 400 };

static void print_heading(struct text_report *report, uint32_t loop)
{
    const struct model *model = report->view->model;
    const struct loop *row = model_loop(model, loop);
    const char *line = report->style->unicode ? "─" : "-";
    putc('\n', report->out);
    fputs(report_ink(report->style, ink_DIM), report->out);
    for (size_t i = 0; i < report->width; i++)
        fputs(line, report->out);
    fprintf(report->out, "%s\n", report_ink(report->style, ink_PLAIN));
    report_loop_heading(model, loop, report->style, report->out);
    if (!row->file)
        fprintf(report->out, ", address 0x%" PRIx64, model_block(model, row->header)->address);
    fputs("\n\n", report->out);
}

/* The first row of loop_roles that is of this function: a family is in one function, and its loops' ids are
   near each other. */
static size_t first_role(const struct model *model, uint32_t function, size_t at)
{
    while (at > 0 &&
           model_loop(model, model_loop_role_row(model, (uint32_t)at - 1)->loop)->function == function)
        at--;
    return at;
}

/* The other loops of its source loop that have a role: "peel loop 11", "tail loops 13, 14"; nothing for none.
 */
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
        fprintf(out, "%s%s%s%s", joint, enumeration_word("loop_role", role), noun, kin.count > 1 ? "s" : "");
    for (size_t i = 0; i < kin.count; i++)
        fprintf(out, "%s %u", i ? "," : "", *ARRAY_AT(uint32_t, &kin, i));
    array_free(&kin);
}

static void print_role(struct text_report *report, const struct quality_rows *rows)
{
    static const char *const names[loop_role_COUNT] = {
        [loop_role_ONLY] = "The only loop",
        [loop_role_MAIN] = "The main loop",
        [loop_role_PEEL] = "A peel loop, for the first iterations",
        [loop_role_TAIL] = "A tail loop, for the last iterations",
        [loop_role_VERSION] = "Another version of the main loop"};
    static const enum loop_role order[] = {loop_role_MAIN, loop_role_VERSION, loop_role_PEEL, loop_role_TAIL};
    const struct loop_role_row *role = rows->role;
    char *text = NULL;
    size_t size = 0;
    bool has_kin = role && rows->family && rows->family->loop_count > 1;
    bool has_count = role && role->iterations != NO_NUMBER && role->iterations > 1;
    if (!has_kin && !has_count)
        return;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return;
    if (has_kin) {
        fprintf(out, "%s, of %u that the compiler made of one source loop", names[role->role],
                rows->family->loop_count);
        for (size_t i = 0; i < sizeof order / sizeof *order; i++)
            print_kin(out, rows, order[i], "; ");
        fputs(". ", out);
    }
    if (has_count) {
        fprintf(out, "One iteration of it does %d iterations of the source loop", role->iterations);
        if (role->unroll != NO_NUMBER && role->unroll > 1)
            fprintf(out, "; it is unrolled %d times", role->unroll);
        fputs(".", out);
    }
    fclose(out);
    wrap_say(report->out, 0, report->width, "%s", text);
    putc('\n', report->out);
    free(text);
}

static const struct core_bound *next_bound(const struct quality_rows *path, unsigned limit)
{
    const struct core_bound *next = NULL;
    for (size_t i = 0; i < path->bound_count; i++)
        if (path->bounds[i].part != limit && (!next || path->bounds[i].cycles > next->cycles))
            next = &path->bounds[i];
    return next;
}

static void say_cycles(FILE *out, const struct quality_rows *path, const struct loop_cycle *cycles,
                       const struct loop_metric *metric, bool is_one_of_many)
{
    const struct core_bound *next = next_bound(path, cycles->limit);
    fprintf(out, "An iteration takes %.2f cycles", cycles->cycles);
    if (is_one_of_many)
        fprintf(out, " on the slowest path (path %u)", cycles->path);
    if (metric && isfinite(metric->cycles_per_source_iteration) &&
        metric->cycles_per_source_iteration < cycles->cycles)
        fprintf(out, ", %.2f for each iteration of the source loop", metric->cycles_per_source_iteration);
    fprintf(out, ": %s (%s).", quality_limit_words((enum core_part)cycles->limit),
            enumeration_word("core_part", cycles->limit));
    if (next)
        fprintf(out, " Without that it would %stake %.2f (%s).",
                next->cycles < cycles->cycles ? "" : "still ", next->cycles,
                enumeration_word("core_part", next->part));
}

/* A share in words that do not promise more digits than the model has. */
static void say_share(FILE *out, double share)
{
    if (share < 0.005)
        fputs("less than 1 %", out);
    else
        fprintf(out, "%.0f %%", 100 * share);
}

static void say_rates(FILE *out, const struct loop_metric *metric)
{
    bool computes = metric->flop_count && isfinite(metric->flop_share);
    bool loads = metric->loaded_bytes && isfinite(metric->load_share);
    bool stores = metric->stored_bytes && isfinite(metric->store_share);
    if (computes) {
        fprintf(out, " It does %.2f floating-point operations a cycle, ", metric->flop_per_cycle);
        say_share(out, metric->flop_share);
        fputs(" of what this machine can", out);
    }
    if (loads) {
        fprintf(out, "%s loads %.1f bytes a cycle, ",
                !computes ? " It"
                : stores  ? ","
                          : " and",
                metric->loaded_bytes_per_cycle);
        say_share(out, metric->load_share);
    }
    if (stores) {
        fprintf(out, "%s stores %.1f, ", !computes && !loads ? " It" : " and",
                metric->stored_bytes_per_cycle);
        say_share(out, metric->store_share);
    }
    fputs(computes || loads || stores ? "." : "", out);
}

static void say_vectors(FILE *out, const struct loop_metric *metric)
{
    bool is_fp = isfinite(metric->vector_ratio_fp);
    double ratio = is_fp ? metric->vector_ratio_fp : metric->vector_ratio_integer;
    double used = is_fp ? metric->vector_efficiency_fp : metric->vector_efficiency_integer;
    const char *kind = is_fp ? "floating-point" : "integer";
    if (!isfinite(ratio) || !isfinite(used) || used <= 0)
        return;
    if (ratio <= 0)
        fprintf(out,
                " None of its %s instructions works on several numbers at a time; this machine can take "
                "%.0f in one.",
                kind, 1 / used);
    else if (ratio >= 1 && used >= 0.995)
        fprintf(out, " All of its %s instructions work on whole vectors of this machine.", kind);
    else if (ratio >= 1)
        fprintf(out,
                " All of its %s instructions work on several numbers at a time, and use %.0f %% of the "
                "vector length of this machine.",
                kind, 100 * used);
    else
        fprintf(out,
                " %.0f %% of its %s instructions work on several numbers at a time; all together use "
                "%.0f %% of the vector length of this machine.",
                100 * ratio, kind, 100 * used);
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
static void say_reservations(FILE *out, const struct model *model, const struct loop_cycle *cycles,
                             const struct loop_metric *metric)
{
    const struct loop *loop = model_loop(model, cycles->loop);
    if (metric && metric->call_count)
        fprintf(out, " It calls %s; the time in %s is not counted.",
                metric->call_count == 1 ? "a function" : "functions",
                metric->call_count == 1 ? "it" : "them");
    if (!loop->exit_count)
        fputs(" No jump in its code leaves it.", out);
    if (!has_returning_path(model, cycles->loop))
        fputs(" Every path that was looked at leaves it: the figures are those of its last iteration.", out);
    if (cycles->known_count < cycles->instruction_count)
        fprintf(out,
                " The machine file knows the costs of %u of its %u instructions; the others are assumed.",
                cycles->known_count, cycles->instruction_count);
    else
        fprintf(out, " The machine file knows the costs of all its instructions (%u).",
                cycles->instruction_count);
}

static void print_figures(struct text_report *report, const struct quality_rows *rows)
{
    const struct loop_cycle *slowest = quality_slowest(rows);
    char *text = NULL;
    size_t size = 0;
    if (!slowest) {
        char *refusal =
            quality_refusal(report->view, rows->loop, rows->cycle_count ? &rows->cycles[0] : NULL);
        wrap_say(report->out, 0, report->width, "There are no cycles for it: %s.", refusal ? refusal : "?");
        free(refusal);
        return;
    }
    struct quality_rows path = quality_rows_of_path(rows, slowest->path);
    const struct loop_metric *metric = quality_metric(rows, slowest->path);
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return;
    say_cycles(out, &path, slowest, metric, rows->cycle_count > 1);
    if (metric) {
        say_rates(out, metric);
        say_vectors(out, metric);
    }
    say_reservations(out, rows->model, slowest, metric);
    fclose(out);
    wrap_say(report->out, 0, report->width, "%s", text);
    free(text);
}

/* A count with commas: 1,048,576. */
static void say_count(FILE *out, uint64_t count)
{
    char digits[32];
    int length = snprintf(digits, sizeof digits, "%" PRIu64, count);
    for (int i = 0; i < length; i++)
        fprintf(out, "%s%c", i && (length - i) % 3 == 0 ? "," : "", digits[i]);
}

static void print_paths(struct text_report *report, const struct quality_rows *rows)
{
    FILE *out = report->out;
    uint64_t all = model_loop(rows->model, rows->loop)->path_count;
    size_t listed = quality_listed(rows->model, rows->loop);
    if (all > listed) {
        fputs("\nIt has branches: ", out);
        say_count(out, listed);
        fputs(all >= INT64_MAX ? " of at least " : " of ", out);
        say_count(out, all);
        fputs(" paths were looked at (--paths takes more).\n", out);
    }
    if (rows->cycle_count < 2)
        return;
    fprintf(out, "%s%s   path    cycles  instructions  limited by%s\n", all > listed ? "" : "\n",
            report_ink(report->style, ink_BOLD), report_ink(report->style, ink_PLAIN));
    for (size_t i = 0; i < rows->cycle_count && i < MOST_PATHS; i++) {
        const struct loop_cycle *row = &rows->cycles[i];
        char *refusal = quality_refusal(report->view, rows->loop, row);
        char cycles[32] = "-";
        if (!refusal)
            snprintf(cycles, sizeof cycles, "%.2f", row->cycles);
        fprintf(out, "%7u  %8s  %12u  ", row->path, cycles, row->instruction_count);
        char *safe = refusal ? text_safe(refusal, strlen(refusal)) : NULL;
        fprintf(out, "%s\n", safe ? safe : enumeration_word("core_part", row->limit));
        free(safe);
        free(refusal);
    }
    if (rows->cycle_count > MOST_PATHS)
        fprintf(out, "    ... and %zu more (--csv has them all)\n", rows->cycle_count - MOST_PATHS);
}

static void print_compiler(struct text_report *report, const struct quality_rows *rows)
{
    const struct model *model = rows->model;
    const struct machine *machine = quality_machine(report->view, rows->loop);
    struct compiler compiler = {0};
    compiler_find(&compiler, model, model_loop(model, rows->loop)->function);
    fputs(report_ink(report->style, ink_DIM), report->out);
    wrap_say(report->out, 0, report->width, "On %s; compiled by %s%s%.*s%s.",
             machine ? machine->name : "no machine", compiler.name ? compiler.name : "an unknown compiler",
             compiler.flags ? " with " : ", options not known", compiler.flags ? LONGEST_FLAGS : 0,
             compiler.flags ? compiler.flags : "",
             compiler.flags && strlen(compiler.flags) > LONGEST_FLAGS ? "..." : "");
    fputs(report_ink(report->style, ink_PLAIN), report->out);
}

void page_print(struct text_report *report, uint32_t loop)
{
    struct quality_rows rows;
    quality_rows_find(&rows, report->view->model, loop);
    print_heading(report, loop);
    page_print_source(report, loop);
    print_role(report, &rows);
    print_figures(report, &rows);
    print_compiler(report, &rows);
    print_paths(report, &rows);
    if (!page_print_advice(report, &rows))
        fprintf(report->out, "\nThere is no advice of this level for it.\n");
    page_print_details(report, &rows);
}
