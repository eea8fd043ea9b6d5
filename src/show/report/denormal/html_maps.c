/* Maps on the page: a picture for each array, in the page itself.  Phases are folded below it; the script
   makes a slider and a film of them.  A page stays small enough for browsers: long films skip phases evenly,
   and arrays whose pictures would make the page too large are counted, not drawn. */
#include "show/report/denormal/html.h"

#include "show/report/denormal/maps.h"
#include "show/report/common/html.h"
#include "show/report/common/rows.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_FRAMES = 48, MOST_PICTURE_BYTES = 24 << 20 };

static void print_base64(FILE *out, const uint8_t *bytes, size_t size)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < size; i += 3) {
        uint32_t group = (uint32_t)bytes[i] << 16 | (uint32_t)(i + 1 < size ? bytes[i + 1] : 0) << 8 |
                         (i + 2 < size ? bytes[i + 2] : 0);
        putc(digits[group >> 18], out);
        putc(digits[group >> 12 & 63], out);
        putc(i + 1 < size ? digits[group >> 6 & 63] : '=', out);
        putc(i + 2 < size ? digits[group & 63] : '=', out);
    }
}

/* The picture, which is freed; its alternative text and its caption. */
static bool print_picture(struct denormal_page *page, struct picture *picture, const char *name,
                          const char *what, struct error *error)
{
    struct array bytes = ARRAY_OF(uint8_t);
    bool done = png_encode(picture, 1, 0, &bytes, error);
    if (done) {
        html_format(page->out,
                    "<img width=\"%u\" height=\"%u\" alt=\"map of %s, %s\" data-what=\"%s\" "
                    "src=\"data:image/png;base64,",
                    picture->width, picture->height, name, what, what);
        print_base64(page->out, bytes.data, bytes.count);
        fputs("\">\n", page->out);
        page->picture_bytes += bytes.count;
    }
    array_free(&bytes);
    picture_free(picture);
    return done;
}

static char *phase_words(const struct denormal_view *view, int64_t phase)
{
    char *words = NULL;
    struct error error = {0};
    sqlite3_stmt *statement =
        denormal_ask(view, query_named(denormal_queries, "phase_words"), phase, -1, &error);
    if (statement && sqlite3_step(statement) == SQLITE_ROW)
        words = report_column_text(statement, 0);
    sqlite3_finalize(statement);
    return words ? words : memory_format("a phase");
}

static bool print_phases(struct denormal_page *page, const struct denormal_mapped *array, struct error *error)
{
    size_t step = 1 + (array->phases.count - 1) / MOST_FRAMES;
    bool done = true;
    fputs("<details class=\"fold phases\"><summary>", page->out);
    html_counted(page->out, array->phases.count, "phase", "phases");
    fputs("</summary>\n", page->out);
    if (step > 1)
        fprintf(page->out, "<p class=\"note\">1 of %zu phases shown.</p>\n", step);
    for (size_t i = 0; done && i < array->phases.count; i += step) {
        int64_t phase = *ARRAY_AT(int64_t, &array->phases, i);
        struct picture picture = {0};
        autofree char *words = phase_words(page->view, phase);
        done = denormal_draw_map(page->view, array, phase, denormal_ink_BOTH, &picture, error) &&
               print_picture(page, &picture, array->name, words, error);
    }
    fputs("</details>\n", page->out);
    return done;
}

static void print_caption(struct denormal_page *page, const struct denormal_mapped *array)
{
    html_format(page->out, "<figcaption><b class=\"code-name\">%s</b> ", array->name);
    for (const char *at = array->dimensions ? array->dimensions : ""; *at; at++) {
        if (*at == ':')
            fputs(" × ", page->out);
        else
            html_text(page->out, at, 1);
    }
    if (array->is_assumed)
        fputs(" (assumed)", page->out);
    fputs("<span class=\"what\">whole run</span>", page->out);
    if (array->shrink > 1)
        fprintf(page->out, "<span class=\"note\">One cell is %u elements%s.</span>", array->shrink,
                array->height > 1 ? " in each direction" : "");
    if (array->all_slices > array->slices)
        fprintf(page->out, "<span class=\"note\">%u of %u slices shown.</span>", array->slices,
                array->all_slices);
    fputs("</figcaption>\n", page->out);
}

static bool print_array(struct denormal_page *page, const struct denormal_mapped *array, struct error *error)
{
    struct picture picture = {0};
    fputs("<figure class=\"map\">\n", page->out);
    bool done = denormal_draw_map(page->view, array, 0, denormal_ink_BOTH, &picture, error) &&
                print_picture(page, &picture, array->name, "whole run", error);
    print_caption(page, array);
    if (done && array->phases.count > 1)
        done = print_phases(page, array, error);
    if (done && array->sources.count)
        fputs("<details class=\"fold\"><summary>Where its denormals come from</summary>\n", page->out);
    for (size_t i = 0; done && i < array->sources.count; i++) {
        const struct denormal_map_source *source = ARRAY_AT(struct denormal_map_source, &array->sources, i);
        autofree char *what = memory_format("from %s", source->name);
        picture = (struct picture){0};
        done = denormal_draw_origins(page->view, array, source->id, &picture, error) &&
               print_picture(page, &picture, array->name, what, error);
        html_format(page->out, "<p class=\"note\">%s</p>\n", what);
    }
    if (done && array->sources.count)
        fputs("</details>\n", page->out);
    fputs("</figure>\n", page->out);
    return done;
}

bool denormal_html_maps(struct denormal_page *page, const struct shown_run *run, struct error *error)
{
    struct array arrays;
    bool done = denormal_find_mapped(page->view, run->id, page->view->top, &arrays, error);
    size_t drawn = 0;
    if (done && arrays.count)
        fputs("<section class=\"loops told\">\n<h2>Where in the arrays</h2>\n<p class=\"note\">Reads of "
              "denormals are <b class=\"reads\">red</b>, writes <b class=\"writes\">blue</b>, both purple; "
              "brighter cells have more. The first index runs to the right, the second downwards; slices of "
              "further dimensions are side by side.</p>\n<div "
              "class=\"maps\">\n",
              page->out);
    for (; done && drawn < arrays.count && page->picture_bytes < MOST_PICTURE_BYTES; drawn++)
        done = print_array(page, ARRAY_AT(struct denormal_mapped, &arrays, drawn), error);
    if (done && arrays.count) {
        fputs("</div>\n", page->out);
        if (drawn < arrays.count)
            fprintf(page->out,
                    "<p class=\"note\">Maps of %zu more arrays are left out to keep this page small; "
                    "<code>--maps</code> writes them as files.</p>\n",
                    arrays.count - drawn);
        fputs("</section>\n", page->out);
    }
    denormal_free_mapped(&arrays);
    return done;
}
