/* Source lines of a loop and of its findings. The compiler moves code and inlines functions into a loop, so
   the range from the first to the last line may be far longer than the loop; then only lines that have code
   in it are shown. */
#include "show/report/quality/text.h"

#include "base/path.h"
#include "show/report/common/text.h"

#include <stdlib.h>
#include <string.h>

enum {
    MOST_LINES = 12, /* of the source on a page */
    FEW_LINES = 7,   /* of the source on a page that fits a screen */
    LONGEST_GAP = 2, /* lines without code that are shown between two lines with code */
    MOST_PLACES = 6, /* that a sentence names */
};

struct place {
    bool is_elsewhere; /* not in the loop's own file */
    uint32_t file, line;
};

static int compare_places(const void *left, const void *right)
{
    const struct place *a = left, *b = right;
    if (a->is_elsewhere != b->is_elsewhere)
        return a->is_elsewhere ? 1 : -1;
    if (a->file != b->file)
        return a->file < b->file ? -1 : 1;
    return a->line < b->line ? -1 : a->line > b->line;
}

static void add_place(struct array *places, const struct model *model, uint32_t own_file,
                      uint32_t instruction)
{
    uint32_t id = model_instruction(model, instruction)->source_line;
    const struct source_line *line = id ? model_source_line(model, id) : NULL;
    if (line && line->file && line->line)
        *(struct place *)array_push(places) =
            (struct place){.is_elsewhere = line->file != own_file, .file = line->file, .line = line->line};
}

/* Each once, in order, the loop's own file first. */
static void sort_places(struct array *places)
{
    size_t kept = 0;
    if (places->count)
        qsort(places->data, places->count, places->width, compare_places);
    for (size_t i = 0; i < places->count; i++) {
        const struct place *place = ARRAY_AT(struct place, places, i);
        if (!kept || compare_places(ARRAY_AT(struct place, places, kept - 1), place))
            *ARRAY_AT(struct place, places, kept++) = *place;
    }
    places->count = kept;
}

static struct array places_of_loop(const struct model *model, uint32_t loop)
{
    struct array places = ARRAY_OF(struct place);
    const struct loop *row = model_loop(model, loop);
    uint32_t own_file = row->file;
    for (uint32_t line = row->first_line; line && line <= row->last_line; line++) {
        if (row->last_line - row->first_line >= MOST_LINES)
            break;
        *(struct place *)array_push(&places) = (struct place){.file = own_file, .line = line};
    }
    size_t at = array_first_not_below(&model->loop_blocks, 0, 0, loop);
    for (; at < model->loop_blocks.count && model_loop_block(model, (uint32_t)at)->loop == loop; at++) {
        const struct block *block = model_block(model, model_loop_block(model, (uint32_t)at)->block);
        for (uint32_t i = 0; i < block->instruction_count; i++)
            add_place(&places, model, own_file, block->first_instruction + i);
    }
    sort_places(&places);
    return places;
}

static bool print_line(struct text_report *report, const char *path, uint32_t line, size_t skipped)
{
    size_t length;
    const char *text = places_line(&report->places, path, line, &length);
    if (!text)
        return false;
    while (skipped && length && (*text == ' ' || *text == '\t')) {
        text++;
        length--;
        skipped--;
    }
    struct array plain = ARRAY_OF(char);
    for (size_t i = 0; i < length; i++)
        memcpy(array_add_many(&plain, text[i] == '\t' ? 4 : 1), text[i] == '\t' ? "    " : &text[i],
               text[i] == '\t' ? 4 : 1);
    autofree char *safe = text_safe(plain.data ? plain.data : "", plain.count);
    autofree char *cut =
        text_cut(safe, report->width > 10 ? report->width - 10 : 1, false, report->style->unicode);
    fprintf(report->out, "%s%7u | %s%s\n", report_ink(report->style, ink_SOURCE), line, cut,
            report_ink(report->style, ink_PLAIN));
    array_free(&plain);
    return true;
}

/* Blanks that all lines begin with. */
static size_t common_indent(struct text_report *report, const char *path, const struct array *places,
                            size_t count)
{
    size_t least = SIZE_MAX;
    for (size_t i = 0; i < count; i++) {
        size_t length, blanks = 0;
        const char *text =
            places_line(&report->places, path, ARRAY_AT(struct place, places, i)->line, &length);
        while (text && blanks < length && (text[blanks] == ' ' || text[blanks] == '\t'))
            blanks++;
        if (text && blanks < length && blanks < least)
            least = blanks;
    }
    return least == SIZE_MAX ? 0 : least;
}

/* The line of the user's own code that calls an inlined loop, above the lines of the loop. */
static void print_call(struct text_report *report, uint32_t loop)
{
    struct loop_place place = loop_place_find(report->view->model, loop);
    const char *path =
        place.origin_file ? model_text(report->view->model, model_file(report->view->model, place.file)->path)
                          : NULL;
    size_t length = 0;
    const char *text = path ? places_line(&report->places, path, place.first_line, &length) : NULL;
    size_t blanks = 0;
    while (text && blanks < length && (text[blanks] == ' ' || text[blanks] == '\t'))
        blanks++;
    if (!text || !print_line(report, path, place.first_line, blanks))
        return;
    const char *origin =
        model_text(report->view->model, model_file(report->view->model, place.origin_file)->path);
    autofree char *safe = text_safe(path_name(origin), strlen(path_name(origin)));
    fprintf(report->out, "%s%7s | %s:%s\n", report_ink(report->style, ink_SOURCE), "inlined", safe,
            report_ink(report->style, ink_PLAIN));
}

void page_print_source(struct text_report *report, uint32_t loop)
{
    const struct model *model = report->view->model;
    uint32_t file = model_loop(model, loop)->file;
    const char *path = file ? model_text(model, model_file(model, file)->path) : NULL;
    struct array places = places_of_loop(model, loop);
    size_t count = 0, printed = 0, most = report->is_full ? MOST_LINES : FEW_LINES;
    while (count < places.count && count < most && !ARRAY_AT(struct place, &places, count)->is_elsewhere)
        count++;
    print_call(report, loop);
    size_t skipped = path && count ? common_indent(report, path, &places, count) : 0;
    for (size_t i = 0; path && i < count && printed < most; i++) {
        uint32_t line = ARRAY_AT(struct place, &places, i)->line;
        uint32_t last = i ? ARRAY_AT(struct place, &places, i - 1)->line : line;
        if (printed && line - last > LONGEST_GAP + 1)
            fprintf(report->out, "%s%7s |%s\n", report_ink(report->style, ink_SOURCE), "...",
                    report_ink(report->style, ink_PLAIN));
        else
            for (uint32_t between = last + 1; printed && between < line; between++)
                printed += print_line(report, path, between, skipped);
        printed += print_line(report, path, line, skipped);
    }
    if (printed && count < places.count && !ARRAY_AT(struct place, &places, count)->is_elsewhere)
        fprintf(report->out, "%s%7s |%s\n", report_ink(report->style, ink_SOURCE), "...",
                report_ink(report->style, ink_PLAIN));
    if (printed)
        putc('\n', report->out);
    array_free(&places);
}

static size_t same_file(const struct array *places, size_t first)
{
    const struct place *place = ARRAY_AT(struct place, places, first);
    size_t end = first + 1;
    while (end < places->count && ARRAY_AT(struct place, places, end)->file == place->file)
        end++;
    return end;
}

/* "3", "3-5, 9", up to a number of stretches; how many lines were left out. */
static size_t print_stretches(FILE *out, const struct array *places, size_t first, size_t end, size_t most)
{
    size_t stretches = 0, i = first;
    while (i < end && stretches < most) {
        uint32_t from = ARRAY_AT(struct place, places, i)->line, to = from;
        for (i++; i < end && ARRAY_AT(struct place, places, i)->line == to + 1; i++)
            to++;
        fprintf(out, "%s%u", stretches++ ? ", " : "", from);
        if (to > from)
            fprintf(out, "-%u", to);
    }
    return end - i;
}

char *page_lines(struct text_report *report, uint32_t loop, const uint32_t *instructions, size_t count)
{
    const struct model *model = report->view->model;
    struct array places = ARRAY_OF(struct place);
    char *text = NULL;
    size_t size = 0, left_out = 0, files = 0;
    for (size_t i = 0; i < count; i++)
        add_place(&places, model, model_loop(model, loop)->file, instructions[i]);
    sort_places(&places);
    FILE *out = places.count ? open_memstream(&text, &size) : NULL;
    for (size_t first = 0, end; out && first < places.count; first = end) {
        const struct place *place = ARRAY_AT(struct place, &places, first);
        const char *path = model_text(model, model_file(model, place->file)->path);
        end = same_file(&places, first);
        if (files == MOST_PLACES) {
            left_out += end - first;
            continue;
        }
        fputs(files++ ? "; " : "", out);
        if (place->is_elsewhere)
            fprintf(out, "%s:", places_path(&report->places, path ? path : "?"));
        else
            fputs(end - first > 1 ? "lines " : "line ", out);
        left_out += print_stretches(out, &places, first, end, MOST_PLACES);
    }
    if (out && left_out)
        fprintf(out, " and %zu more", left_out);
    if (out)
        fclose(out);
    array_free(&places);
    return text;
}
