/* What was found, in groups; and the same as JSON, for suggestions below the search box. */
#include "show/ui/search.h"

#include "show/report/common/html.h"
#include "show/ui/pages/pages.h"

enum { MOST_ON_PAGE = 50, MOST_SUGGESTED = 6 };

static void print_hit(FILE *out, const struct search_hit *hit)
{
    html_format(out, "<tr><td class=\"name\"><a href=\"%s\"", hit->address);
    if (hit->whole)
        html_format(out, " title=\"%s\"", hit->whole);
    html_format(out, ">%s</a></td><td class=\"detail\">%s</td></tr>\n", hit->title, hit->detail);
}

static void print_group(const struct ui_request *request, FILE *out, const struct search_result *result,
                        enum search_group group, const char *text)
{
    const struct array *hits = &result->hits[group];
    if (!hits->count)
        return;
    fprintf(out, "<section>\n<h2>%s <span class=\"count\">", search_group_words[group]);
    html_count(out, result->counts[group]);
    fputs("</span></h2>\n<div class=\"wide\"><table class=\"rows found\">\n<tbody>\n", out);
    for (size_t i = 0; i < hits->count; i++)
        print_hit(out, ARRAY_AT(struct search_hit, hits, i));
    fputs("</tbody></table></div>\n", out);
    if (group == search_FUNCTIONS && result->counts[group] > hits->count) {
        fprintf(out,
                "<p class=\"note\"><a href=\"/%u/functions?imports=1&amp;name=", request->subject->number);
        ui_print_encoded(out, text);
        fputs("\">All functions with this name</a></p>\n", out);
    } else if (group == search_LINES && result->counts[group] > hits->count) {
        fputs("<p class=\"note\">Only the best are listed.</p>\n", out);
    }
    if (group == search_INSTRUCTIONS && result->is_cut)
        fputs("<p class=\"note\">Places were only looked for at the start of the code, because there is so "
              "much of "
              "it.</p>\n",
              out);
    fputs("</section>\n", out);
}

static void print_examples(const struct ui_request *request, FILE *out)
{
    static const struct {
        const char *text, *words;
    } examples[] = {{"main", "functions whose names contain it"},
                    {"solve.c:40", "a source line, and the loops around it"},
                    {"loop 1", "a loop by its number"},
                    {"add", "instructions by their name"},
                    {"0x1000", "the instruction at an address"}};
    fputs("<p class=\"lead\">The box above finds functions, source lines, loops and instructions:</p>\n<dl "
          "class=\"facts examples\">\n",
          out);
    for (unsigned i = 0; i < sizeof examples / sizeof *examples; i++) {
        fprintf(out, "<dt><a href=\"/%u/search?q=", request->subject->number);
        ui_print_encoded(out, examples[i].text);
        fprintf(out, "\"><code>%s</code></a></dt><dd>%s</dd>\n", examples[i].text, examples[i].words);
    }
    fputs("</dl>\n", out);
}

bool page_search(struct ui_request *request, struct ui_answer *answer, struct error *error)
{
    static const char *const files[] = {"start.css", NULL};
    const char *text = ui_parameter(request, "q");
    struct search_result result;
    FILE *out = answer->out;
    bool done = ui_search(request, text ? text : "", MOST_ON_PAGE, false, &result, error);
    uint64_t count = 0;
    ui_begin_page(request, answer, "Search", NULL, files);
    fputs("<h1 class=\"words\">Search</h1>\n", out);
    for (unsigned group = 0; group < search_GROUPS; group++) {
        count += result.hits[group].count;
        print_group(request, out, &result, (enum search_group)group, text ? text : "");
    }
    if (!count && text && *text)
        html_format(out, "<p class=\"lead\">Nothing is called <code>%s</code>.</p>\n", text);
    if (!count)
        print_examples(request, out);
    ui_end_page(request, answer);
    ui_search_free(&result);
    return done;
}

static void print_json_hit(FILE *out, const struct search_hit *hit)
{
    fputs("{\"address\":", out);
    ui_json_string(out, hit->address);
    fputs(",\"title\":", out);
    ui_json_string(out, hit->title);
    fputs(",\"detail\":", out);
    ui_json_string(out, hit->detail);
    fputs("}", out);
}

bool page_suggestions(struct ui_request *request, struct ui_answer *answer, struct error *error)
{
    const char *text = ui_parameter(request, "q");
    struct search_result result;
    FILE *out = answer->out;
    bool done = ui_search(request, text ? text : "", MOST_SUGGESTED, true, &result, error), is_first = true;
    answer->type = "application/json";
    fputs("{\"groups\":[", out);
    for (unsigned group = 0; group < search_GROUPS; group++) {
        const struct array *hits = &result.hits[group];
        if (!hits->count)
            continue;
        fprintf(out, "%s{\"word\":\"%s\",\"count\":%llu,\"hits\":[", is_first ? "" : ",",
                search_group_words[group], (unsigned long long)result.counts[group]);
        for (size_t i = 0; i < hits->count; i++) {
            fputs(i ? "," : "", out);
            print_json_hit(out, ARRAY_AT(struct search_hit, hits, i));
        }
        fputs("]}", out);
        is_first = false;
    }
    fputs("]}\n", out);
    ui_search_free(&result);
    return done;
}
