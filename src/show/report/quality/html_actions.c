/* What to do for the whole program, before anybody looks at a single loop: a line for each action of
   program_actions, with its best loops. The line has the action's word, by which the script finds its loops
   in the table. */
#include "show/report/quality/html.h"

#include "model/tables.h"
#include "code/quality/actions.h"
#include "code/quality/weight.h"
#include "show/report/common/html.h"
#include "show/report/quality/sentences.h"

#include "base/path.h"

#include <math.h>
#include <stdlib.h>

enum { FIRST_ACTIONS = 8, MOST_EXAMPLES = 3 };

struct example {
    uint32_t loop;
    double saving, gain; /* NaN: unknown gain */
    bool has_section, is_upper;
};

/* The best loops of an action, and whether its gains are upper limits: those of most of its loops are. */
struct examples {
    struct example best[MOST_EXAMPLES];
    size_t count, gain_count, upper_count;
};

/* Whether an action is a remedy for a loop, with which gain (NaN: unknown), and what it saves on all its
 * paths. */
static bool is_remedy(const struct model *model, const struct quality_rows *rows, unsigned action,
                      struct example *it)
{
    bool is_there = false;
    it->gain = NAN;
    for (size_t i = 0; i < rows->advice_count; i++) {
        const struct advice *advice = &rows->advice[i];
        if (actions_of_advice(model, rows->first_advice + (uint32_t)i) != action)
            continue;
        is_there = true;
        it->saving += weight_share(model, rows->loop) * weight_saved(model, rows->first_advice + (uint32_t)i);
        if (isfinite(advice->gain) && !(advice->gain <= it->gain)) {
            it->gain = advice->gain;
            it->is_upper = advice->is_upper;
        }
    }
    return is_there;
}

void html_actions_of(const struct html_report *report, const struct quality_rows *rows)
{
    bool has[action_COUNT] = {false};
    size_t count = 0;
    for (size_t i = 0; i < rows->advice_count; i++)
        has[actions_of_advice(report->model, rows->first_advice + (uint32_t)i)] = true;
    for (unsigned action = action_OTHER + 1; action < action_COUNT; action++)
        if (has[action])
            fprintf(report->out, "%s%s", count++ ? " " : " data-a=\"", action_word(action));
    fputs(count ? "\"" : "", report->out);
}

static bool is_better(const struct example *a, const struct example *b)
{
    if (a->has_section != b->has_section)
        return a->has_section;
    if (a->saving != b->saving)
        return a->saving > b->saving;
    return a->gain > b->gain || (isfinite(a->gain) && !isfinite(b->gain));
}

/* Programs of one file have the same path. */
static bool is_in_file(const struct model *model, uint32_t loop, uint32_t program)
{
    uint32_t own = model_function(model, model_loop(model, loop)->function)->program;
    return model_program(model, own)->path == model_program(model, program)->path;
}

/* The loops that an action saves most in, the best first; those with a section before others. */
static void find_examples(const struct html_report *report, const struct program_action *row,
                          struct examples *examples)
{
    for (size_t i = 0; i < report->view->analysed_count; i++) {
        struct quality_rows rows;
        struct example it = {.loop = report->view->loops[i], .has_section = i < report->section_count};
        quality_rows_find(&rows, report->model, it.loop);
        if (!is_in_file(report->model, it.loop, row->program) ||
            !is_remedy(report->model, &rows, row->action, &it))
            continue;
        examples->gain_count += isfinite(it.gain);
        examples->upper_count += isfinite(it.gain) && it.is_upper;
        size_t at = examples->count < MOST_EXAMPLES ? examples->count++ : MOST_EXAMPLES;
        for (; at > 0 && is_better(&it, &examples->best[at - 1]); at--)
            if (at < MOST_EXAMPLES)
                examples->best[at] = examples->best[at - 1];
        if (at < MOST_EXAMPLES)
            examples->best[at] = it;
    }
}

static void print_examples(const struct html_report *report, const struct examples *examples)
{
    for (size_t i = 0; i < examples->count; i++) {
        const struct example *it = &examples->best[i];
        autofree char *place = loop_place_short(report->model, it->loop, report->places->working_directory);
        fputs(i ? ", " : "", report->out);
        html_loop_name(report, it->loop, it->has_section);
        fputs(" <span class=\"where\"", report->out);
        html_place(report->out, place, place, 0);
        fputs("</span>", report->out);
    }
}

static void print_action(const struct html_report *report, const struct program_action *row)
{
    const char *level = advice_level_word(row->level);
    struct examples examples = {0};
    find_examples(report, row, &examples);
    fprintf(report->out, "<tr data-filter=\"action\" data-value=\"%s\"><th scope=\"row\">",
            action_word(row->action));
    html_prose(report->out, action_doc(row->action));
    fprintf(report->out, "</th><td><i class=\"level %s\">%s</i></td><td class=\"figure\">", level, level);
    html_count(report->out, row->loop_count);
    fputs("</td><td class=\"figure\">", report->out);
    html_gain(report->out, row->gain, 2 * examples.upper_count > examples.gain_count);
    fputs("</td><td class=\"figure\">", report->out);
    html_narrow_share(report->out, row->saving > 0 ? row->saving : NAN);
    fputs("</td><td class=\"examples\">", report->out);
    print_examples(report, &examples);
    fputs("</td></tr>\n", report->out);
}

/* Which of a file's actions a table shows: all; the first few and the options after them; or the others. */
enum shown { shown_ALL, shown_FIRST, shown_REST };

static bool is_shown(enum shown shown, const struct program_action *row, size_t number)
{
    bool is_first = number < FIRST_ACTIONS || actions_is_option((enum action)row->action);
    return shown == shown_ALL || is_first == (shown == shown_FIRST);
}

static void print_actions(const struct html_report *report, const struct program_action *rows, size_t count,
                          enum shown shown)
{
    fputs("<div class=\"wide\"><table class=\"loops\">\n<thead><tr><th scope=\"col\">action</th><th "
          "scope=\"col\">level</th><th scope=\"col\" class=\"figure\">loops</th><th scope=\"col\" "
          "class=\"figure\" title=\"median of the gains in these loops\">gain</th><th scope=\"col\" "
          "class=\"figure\">saves</th><th scope=\"col\">most in</th></tr></thead>\n<tbody>\n",
          report->out);
    for (size_t i = 0; i < count; i++)
        if (rows[i].level <= report->view->level && is_shown(shown, &rows[i], i))
            print_action(report, &rows[i]);
    fputs("</tbody></table></div>\n", report->out);
}

/* The actions of one file; all but the first few are folded. */
static void print_file(const struct html_report *report, const struct program_action *rows, size_t count,
                       bool is_only)
{
    size_t rest = 0;
    for (size_t i = 0; i < count; i++)
        rest += is_shown(shown_REST, &rows[i], i);
    if (!is_only)
        html_format(report->out, "<h3>%s</h3>\n",
                    model_text(report->model, model_program(report->model, rows->program)->path));
    print_actions(report, rows, count, rest > 1 ? shown_FIRST : shown_ALL);
    if (rest < 2)
        return;
    fprintf(report->out, "<details class=\"fold\"><summary>%zu more</summary>\n", rest);
    print_actions(report, rows, count, shown_REST);
    fputs("</details>\n", report->out);
}

void html_actions(const struct html_report *report)
{
    const struct array *table = &report->model->program_actions;
    if (!table->count)
        return;
    const struct program_action *rows = table->data, *end = rows + table->count;
    fputs("<section class=\"actions\" id=\"actions\">\n<h2>What to do for the whole program</h2>\n<p "
          "class=\"note\">",
          report->out);
    fputs(weight_is_sampled(report->model)
              ? "Savings are of the samples of the run. "
              : "Savings are of the time in innermost loops, estimated from loops around loops and calls in "
                "loops; <code>assay run</code> measures it. ",
          report->out);
    fputs("An action counts for a loop if it is the first remedy of some advice on it.</p>\n", report->out);
    for (const struct program_action *first = rows; first < end;) {
        size_t count = 1;
        while (first + count < end && first[count].program == first->program)
            count++;
        print_file(report, first, count, count == table->count);
        first += count;
    }
    fputs("</section>\n", report->out);
}
