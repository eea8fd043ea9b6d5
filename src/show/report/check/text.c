/* For people: a line for each failure, as compilers write them, so that editors find the place; then the sum.
 */
#include "base/text.h"
#include "show/report/check/check.h"

#include <stdlib.h>
#include <string.h>

static void put_safe(const char *text, FILE *out)
{
    text_print_safe(text, strlen(text), out);
}

static void print_verdict(const struct check_view *view, const struct check_verdict *verdict,
                          const struct report_style *style, FILE *out)
{
    struct service_place place = check_place(view, verdict);
    autofree char *title = check_title(view, verdict), *sentence = check_sentence(view, verdict);
    if (place.path) {
        put_safe(place.path, out);
        if (place.line)
            fprintf(out, ":%u", place.line);
        if (place.line && place.column)
            fprintf(out, ":%u", place.column);
        fputs(": ", out);
    }
    bool is_bad = check_is_bad(verdict);
    fprintf(out, "%s%s%s", is_bad ? report_ink(style, ink_BOLD) : "",
            is_bad ? "error: " : "note: ", is_bad ? report_ink(style, ink_PLAIN) : "");
    put_safe(title, out);
    fputs(": ", out);
    put_safe(sentence, out);
    fputs("\n", out);
    free(place.path);
}

static size_t count(const struct check *check, enum check_outcome outcome)
{
    size_t found = 0;
    for (size_t i = 0; i < check->verdicts.count; i++)
        found += check_verdict_at(check, i)->outcome == outcome;
    return found;
}

static int by_number(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

/* Loops that verdicts are about. */
static size_t count_loops(const struct check *check)
{
    struct array loops = ARRAY_OF(uint32_t);
    size_t found = 0;
    for (size_t i = 0; i < check->verdicts.count; i++)
        if (check_verdict_at(check, i)->loop)
            *(uint32_t *)array_push(&loops) = check_verdict_at(check, i)->loop;
    if (loops.count)
        qsort(loops.data, loops.count, sizeof(uint32_t), by_number);
    for (size_t i = 0; i < loops.count; i++)
        found += !i || *ARRAY_AT(uint32_t, &loops, i) != *ARRAY_AT(uint32_t, &loops, i - 1);
    array_free(&loops);
    return found;
}

static void print_files(const struct check_view *view, const struct array *paths, const char *one,
                        const char *many, FILE *out)
{
    if (!paths->count)
        return;
    autofree char *path = service_path(view->root, *ARRAY_AT(char *, paths, 0));
    fputs("note: ", out);
    if (paths->count > 1)
        fprintf(out, "%zu sources, such as ", paths->count);
    put_safe(path, out);
    fprintf(out, " %s\n", paths->count > 1 ? many : one);
}

static void print_sum(const struct check_view *view, const struct report_style *style, FILE *out)
{
    const struct check *check = view->check;
    size_t skipped = count(check, check_SKIPPED), loops = count_loops(check);
    size_t all = check->verdicts.count - skipped, bad = check_failures(check);
    fprintf(out, "%s%zu check%s", report_ink(style, ink_BOLD), all, all == 1 ? "" : "s");
    if (loops)
        fprintf(out, " of %zu loop%s", loops, loops == 1 ? "" : "s");
    fputs(": ", out);
    if (!bad)
        fprintf(out, "all hold%s\n", report_ink(style, ink_PLAIN));
    else
        fprintf(out, "%zu hold, %zu fail%s\n", all - bad, bad, report_ink(style, ink_PLAIN));
}

void report_check_text(const struct check_view *view, const struct report_style *style, FILE *out)
{
    const struct check *check = view->check;
    for (size_t i = 0; i < check->verdicts.count; i++) {
        const struct check_verdict *verdict = check_verdict_at(check, i);
        if (check_is_bad(verdict) || verdict->outcome == check_SKIPPED || view->has_passed)
            print_verdict(view, verdict, style, out);
    }
    if (check->absent)
        fprintf(out, "note: %u comment%s in code that this program does not have\n", check->absent,
                check->absent > 1 ? "s are" : " is");
    print_files(view, &check->newer, "changed after the program was built: build it again",
                "changed after the program was built: build it again", out);
    print_files(view, &check->missing, "cannot be read: its comments are not checked",
                "cannot be read: their comments are not checked", out);
    print_sum(view, style, out);
}
