/* What to do for the whole program, before anybody looks at a single loop: a few remedies, each with the
   number of its loops, what it promises, and the loops that it helps most. */
#include "show/report/quality/text.h"

#include "model/tables.h"
#include "code/quality/actions.h"
#include "show/report/common/share.h"
#include "show/report/common/short_name.h"
#include "show/report/common/text.h"
#include "show/report/common/wrap.h"
#include "show/report/quality/sentences.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_EXAMPLES = 3, NUMBER = 4, LONGEST_NAME = 24, LONGEST_PLACE = 28 };

char *text_action_words(unsigned action)
{
    char *words = memory_format("%s", action_doc(action));
    *words = (char)toupper((unsigned char)*words);
    return words;
}

size_t text_action_number(const struct text_report *report, unsigned action)
{
    for (size_t i = 0; i < report->action_count; i++)
        if (report->actions[i].action == action)
            return i + 1;
    return 0;
}

static int compare_actions(const void *left, const void *right)
{
    const struct text_action *a = left, *b = right;
    if (a->saving != b->saving)
        return a->saving > b->saving ? -1 : 1;
    if (a->loop_count != b->loop_count)
        return a->loop_count > b->loop_count ? -1 : 1;
    return (int)a->action - (int)b->action;
}

/* Options that come after the first few take the places of the last ones that are not options. */
static void keep_options(struct text_action *all, size_t count)
{
    size_t place = MOST_ACTIONS;
    for (size_t i = MOST_ACTIONS; i < count; i++) {
        if (!actions_is_option(all[i].action))
            continue;
        while (place && actions_is_option(all[place - 1].action))
            place--;
        if (!place)
            return;
        all[--place] = all[i];
    }
    if (count > MOST_ACTIONS)
        qsort(all, MOST_ACTIONS, sizeof *all, compare_actions);
}

/* Rows of several files are added up; the gain is that of the file with the most loops. */
void text_find_actions(struct text_report *report)
{
    const struct quality_view *view = report->view;
    const struct model *model = view->model;
    struct text_action all[action_COUNT] = {0};
    size_t most[action_COUNT] = {0}, count = 0;
    for (size_t i = 0; i < model->program_actions.count; i++) {
        const struct program_action *row = model_program_action(model, (uint32_t)i);
        struct text_action *it = &all[row->action];
        if (row->level > view->level)
            continue;
        it->action = row->action;
        it->loop_count += row->loop_count;
        it->function_count += row->function_count;
        it->saving += row->saving;
        if (row->loop_count > most[row->action])
            it->gain = row->gain;
        most[row->action] = row->loop_count > most[row->action] ? row->loop_count : most[row->action];
    }
    for (size_t i = 0; i < action_COUNT; i++)
        if (all[i].loop_count)
            all[count++] = all[i];
    if (count)
        qsort(all, count, sizeof *all, compare_actions);
    keep_options(all, count);
    report->action_count = view->is_chosen || view->analysed_count < 2 ? 0 : count;
    if (report->action_count > MOST_ACTIONS)
        report->action_count = MOST_ACTIONS;
    memcpy(report->actions, all, report->action_count * sizeof *all);
}

/* Whether an action is the first remedy of some advice on a loop. */
static bool is_remedy(const struct text_report *report, uint32_t loop, enum action action)
{
    struct quality_rows rows;
    quality_rows_find(&rows, report->view->model, loop);
    for (size_t i = 0; i < rows.advice_count; i++) {
        size_t count;
        const struct remedy_row *remedies =
            quality_remedies(rows.model, rows.first_advice + (uint32_t)i, &count);
        if (rows.advice[i].level <= report->view->level && count && remedies[0].action == action)
            return true;
    }
    return false;
}

/* A function without a name is named by its address: "function_102490". */
static bool is_named_by_address(const struct model *model, uint32_t loop, const char *name)
{
    return !model_loop(model, loop)->file && !strncmp(name, "function_", strlen("function_"));
}

/* "solve.c:40 (solve)", both cut to fit a line; the address alone where it is the name as well. */
static char *example(const struct text_report *report, uint32_t loop)
{
    const struct quality_view *view = report->view;
    autofree char *name = quality_function(view->model, loop, view->demangle);
    autofree char *place = loop_place_short(view->model, loop, report->places.working_directory);
    autofree char *safe_name = text_safe(name, strlen(name)), *safe_place = text_safe(place, strlen(place));
    autofree char *fitted = name_fit(safe_name, LONGEST_NAME, report->style->unicode);
    autofree char *cut = text_cut(safe_place, LONGEST_PLACE, true, report->style->unicode);
    bool is_short = is_named_by_address(view->model, loop, name);
    return is_short ? memory_format("%s", cut) : memory_format("%s (%s)", cut, fitted);
}

/* The loops are in the order of what they save, so the first ones are the best examples. */
static void say_examples(const struct text_report *report, const struct text_action *it, FILE *out)
{
    size_t said = 0;
    for (size_t i = 0; i < report->view->analysed_count && said < MOST_EXAMPLES; i++) {
        uint32_t loop = report->view->loops[i];
        if (!is_remedy(report, loop, it->action))
            continue;
        autofree char *text = example(report, loop);
        fprintf(out, "%s%s", said++ ? ", " : ": ", text);
    }
}

static char *words_of(const struct text_report *report, const struct text_action *it)
{
    char *words = text_action_words(it->action), *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return words;
    fprintf(out, "%s: %zu loop%s", words, it->loop_count, it->loop_count == 1 ? "" : "s");
    if (it->function_count > 1)
        fprintf(out, " in %zu functions", it->function_count);
    if (isfinite(it->gain) && it->gain > 1)
        fprintf(out, ", %.1f %s", it->gain, report->style->unicode ? "×" : "times");
    if (it->saving >= 0.001)
        fprintf(out, ", saves %s %%", share_words(it->saving).text);
    say_examples(report, it, out);
    fclose(out);
    free(words);
    return text;
}

void text_print_actions(struct text_report *report)
{
    if (!report->action_count)
        return;
    fprintf(report->out, "\n%sWhat would help, over the whole program (median gain; best examples)%s\n",
            report_ink(report->style, ink_BOLD), report_ink(report->style, ink_PLAIN));
    for (size_t i = 0; i < report->action_count; i++) {
        autofree char *text = words_of(report, &report->actions[i]);
        fprintf(report->out, "%s%2zu.%s ", report_ink(report->style, ink_BOLD), i + 1,
                report_ink(report->style, ink_PLAIN));
        wrap_print(report->out, text, NUMBER, NUMBER, report->width);
    }
}
