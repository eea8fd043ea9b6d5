/* What to do about a finding. A text is printed once in the report: later findings with the same remedy name
   it in a few words and say where the text is. An option that the summary names needs no more than its number
   there. Pages that were asked for have every text, but none twice. */
#include "show/report/quality/text.h"

#include "model/tables.h"
#include "code/quality/compiler.h"
#include "show/report/common/wrap.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* Remedies are those for the compiler and language in use; where these are unknown, each remedy names its
   audience. */
static bool needs_audience(const struct compiler *compiler, unsigned audience)
{
    bool is_language = audience == audience_C || audience == audience_FORTRAN;
    if (audience == audience_ANY)
        return false;
    return is_language ? compiler->language == language_UNKNOWN : compiler->family == compiler_UNKNOWN;
}

/* The finding of this page, before this one, that has the same remedy; 0: none. */
static size_t same_on_page(const struct model *model, const struct array *findings, size_t number,
                           string_id text)
{
    for (size_t i = 0; i + 1 < number; i++) {
        size_t count;
        const struct remedy_row *remedies =
            quality_remedies(model, ARRAY_AT(struct quality_finding, findings, i)->advice, &count);
        for (size_t k = 0; k < count; k++)
            if (remedies[k].text == text)
                return i + 1;
    }
    return 0;
}

/* The loop on whose page a text is; 0: nowhere yet. */
static uint32_t said_on(const struct text_report *report, string_id text)
{
    for (size_t i = 0; i < report->said.count; i++) {
        const struct text_said *it = ARRAY_AT(struct text_said, &report->said, i);
        if (it->text == text)
            return it->loop;
    }
    return 0;
}

/* The remedy in a few words: its action, or its first sentence. */
static char *short_words(const struct model *model, const struct remedy_row *remedy)
{
    const char *text = model_text(model, remedy->text);
    if (remedy->action != action_OTHER)
        return text_action_words(remedy->action);
    const char *stop = text ? strstr(text, ". ") : NULL;
    size_t length = stop ? (size_t)(stop - text) : text ? strlen(text) : 0;
    while (length && text[length - 1] == '.')
        length--;
    return memory_copy_text(text ? text : "", length);
}

/* Where the text of a remedy is, if not here: a number of the summary, or the loop of an earlier page. */
struct reference {
    size_t number;
    uint32_t loop;
};

static struct reference refer(const struct text_report *report, uint32_t loop,
                              const struct remedy_row *remedy)
{
    struct reference reference = {0};
    if (report->view->is_chosen)
        return reference;
    reference.number = remedy->option ? text_action_number(report, remedy->action) : 0;
    uint32_t before = said_on(report, remedy->text);
    if (!reference.number && before != loop)
        reference.loop = before;
    return reference;
}

struct printing {
    struct text_report *report;
    const struct quality_rows *rows;
    const struct remedy_row *remedies;
    size_t count, printed;
};

static void print_item(struct printing *printing, const char *text)
{
    struct text_report *report = printing->report;
    if (!printing->printed)
        wrap_say(report->out, 3, report->width, "What to do:");
    fprintf(report->out, "   %s%2zu.%s ", report_ink(report->style, ink_BOLD), ++printing->printed,
            report_ink(report->style, ink_PLAIN));
    wrap_print(report->out, text, 7, 7, report->width);
}

/* Whether a remedy before this one is the same in a few words, with its text at the top or in the same place.
 */
static bool is_repeated(const struct printing *printing, size_t at, struct reference reference)
{
    const struct remedy_row *remedies = printing->remedies;
    for (size_t i = 0; i < at; i++) {
        struct reference other = refer(printing->report, printing->rows->loop, &remedies[i]);
        bool is_same = remedies[i].action == remedies[at].action && remedies[i].action != action_OTHER;
        if (is_same && (other.number || (!reference.number && other.loop == reference.loop)))
            return true;
    }
    return false;
}

/* Remedies with their texts in one place are one item: "As for loop 12: compile with -O3; …." */
static void print_references(struct printing *printing, size_t first, struct reference wanted)
{
    const struct model *model = printing->report->view->model;
    autofree char *text = NULL;
    size_t size = 0, said = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return;
    fprintf(out, "As for loop %u: ", wanted.loop);
    for (size_t i = first; i < printing->count; i++) {
        struct reference reference = refer(printing->report, printing->rows->loop, &printing->remedies[i]);
        if (reference.loop != wanted.loop || reference.number || is_repeated(printing, i, reference))
            continue;
        autofree char *words = short_words(model, &printing->remedies[i]);
        *words = (char)tolower((unsigned char)*words);
        fprintf(out, "%s%s", said++ ? "; " : "", words);
    }
    fputs(".", out);
    fclose(out);
    if (said)
        print_item(printing, text);
}

static bool is_first_of_loop(const struct printing *printing, size_t at, uint32_t loop)
{
    for (size_t i = 0; i < at; i++)
        if (refer(printing->report, printing->rows->loop, &printing->remedies[i]).loop == loop)
            return false;
    return true;
}

static void print_remedy(struct printing *printing, size_t at, const struct compiler *compiler)
{
    struct text_report *report = printing->report;
    const struct remedy_row *remedy = &printing->remedies[at];
    struct reference reference = refer(report, printing->rows->loop, remedy);
    const char *text = model_text(report->view->model, remedy->text);
    if (reference.loop) {
        if (is_first_of_loop(printing, at, reference.loop))
            print_references(printing, at, reference);
        return;
    }
    if (reference.number && is_repeated(printing, at, reference))
        return;
    bool is_for_some = !reference.number && needs_audience(compiler, remedy->audience);
    autofree char *words = reference.number ? short_words(report->view->model, remedy) : NULL;
    autofree char *line = words ? memory_format("%s: %zu at the top.", words, reference.number)
                                : memory_format("%s%s%s", is_for_some ? audience_word(remedy->audience) : "",
                                                is_for_some ? ": " : "", text ? text : "");
    print_item(printing, line);
    if (!words && !said_on(report, remedy->text))
        *(struct text_said *)array_push(&report->said) =
            (struct text_said){.text = remedy->text, .loop = printing->rows->loop};
}

void page_print_remedies(struct text_report *report, const struct quality_rows *rows,
                         const struct array *findings, size_t number)
{
    const struct model *model = report->view->model;
    struct compiler compiler = {0};
    struct printing printing = {.report = report, .rows = rows};
    uint32_t advice = ARRAY_AT(struct quality_finding, findings, number - 1)->advice;
    size_t same = 0;
    printing.remedies = quality_remedies(model, advice, &printing.count);
    compiler_find(&compiler, model, model_loop(model, rows->loop)->function);
    for (size_t i = 0; i < printing.count; i++) {
        size_t before = same_on_page(model, findings, number, printing.remedies[i].text);
        same = same ? same : before;
        if (!before)
            print_remedy(&printing, i, &compiler);
    }
    if (same)
        wrap_say(report->out, 3, report->width,
                 printing.printed ? "And as for %zu." : "What to do: as for %zu.", same);
}
