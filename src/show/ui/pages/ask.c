/* The page of the editor.  Everything in it is filled by ask.js; this is the skeleton and its names. */
#include "show/ui/cells.h"
#include "show/ui/pages/pages.h"
#include "show/ui/pages/queries.h"

#include <stdlib.h>
#include <string.h>

static const char skeleton[] =
    "<h1 class=\"title\">Ask the code</h1>\n"
    "<noscript><p class=\"note\">The editor needs its script. <code>assay sql</code> and <code>assay "
    "analysis</code> answer the same questions.</p></noscript>\n"
    "<div class=\"ask\">\n"
    "<aside aria-label=\"Analyses and tables\">\n"
    "<label class=\"find\"><span>Find an analysis, a table or a column</span><input type=\"search\" "
    "id=\"find\" autocomplete=\"off\" spellcheck=\"false\"></label>\n"
    "<details class=\"side\" id=\"side-analyses\"><summary><h2>Analyses</h2></summary><div "
    "id=\"analyses\"></div></details>\n"
    "<details class=\"side\" id=\"side-tables\"><summary><h2>Tables</h2></summary><div "
    "id=\"tables\"></div></details>\n"
    "</aside>\n"
    "<div class=\"work\">\n"
    "<div id=\"chosen\" class=\"chosen\" hidden><h2></h2><p></p></div>\n"
    "<form id=\"form\">\n"
    "<label for=\"sql\" class=\"editor-label\">SQL <span class=\"note\"><kbd>Ctrl</kbd> <kbd>Enter</kbd> "
    "runs it, <kbd>Ctrl</kbd> <kbd>Space</kbd> completes</span></label>\n"
    "<div class=\"editor\"><pre id=\"ink\" aria-hidden=\"true\"></pre><textarea id=\"sql\" rows=\"6\" "
    "spellcheck=\"false\" autocomplete=\"off\" autocapitalize=\"off\" aria-autocomplete=\"list\" "
    "aria-haspopup=\"listbox\"></textarea></div>\n"
    "<div id=\"fields\" class=\"fields\" hidden></div>\n"
    "<div class=\"tools\"><button type=\"submit\" class=\"main\" id=\"run\">Run</button><button "
    "type=\"button\" id=\"stop\" hidden>Stop <kbd>Esc</kbd></button>"
    "<button type=\"button\" id=\"save\">Save as analysis…</button>"
    "<button type=\"button\" id=\"csv\">Export CSV</button><button type=\"button\" id=\"json\">Export "
    "JSON</button>"
    "<button type=\"button\" id=\"link\">Copy link</button>"
    "<label class=\"history\"><span>Earlier</span><select id=\"history\"></select></label></div>\n"
    "</form>\n"
    "<p id=\"state\" class=\"state\" role=\"status\"></p>\n"
    "<div id=\"wrong\" class=\"wrong\" role=\"alert\" hidden></div>\n"
    "<div id=\"results\"></div>\n"
    "</div>\n</div>\n"
    "<dialog id=\"saving\" aria-labelledby=\"saving-title\"><form method=\"dialog\">\n"
    "<h2 id=\"saving-title\">Save as an analysis of your own</h2>\n"
    "<p class=\"note\">It is written to your folder of analyses; <code>assay analyses</code> lists it, "
    "too.</p>\n"
    "<label>Name <input id=\"save-name\" required pattern=\"[A-Za-z0-9_][A-Za-z0-9_\\-]*\" maxlength=\"60\" "
    "autocomplete=\"off\" spellcheck=\"false\" aria-describedby=\"save-name-note\"></label>\n"
    "<p class=\"note\" id=\"save-name-note\">Letters, digits, - and _.</p>\n"
    "<label>Title <input id=\"save-title\" required autocomplete=\"off\"></label>\n"
    "<label>What it does, as a sentence <input id=\"save-does\" required autocomplete=\"off\"></label>\n"
    "<label>Menu <input id=\"save-group\" autocomplete=\"off\" list=\"groups\"></label>\n"
    "<datalist id=\"groups\"></datalist>\n"
    "<p id=\"save-state\" class=\"state\" role=\"status\"></p>\n"
    "<div class=\"tools\"><button type=\"submit\" class=\"main\" id=\"save-do\">Save</button><button "
    "type=\"button\" id=\"save-cancel\">Cancel</button></div>\n"
    "</form></dialog>\n";

bool page_ask(struct ui_request *request, struct ui_answer *answer, struct error *error)
{
    static const char *const files[] = {"ask.css", "ask.js", NULL};

    (void)error;
    ui_begin_page(request, answer, "Ask", "ask", files);
    fputs(skeleton, answer->out);
    ui_end_page(request, answer);

    return true;
}

/* /N/instruction/ID and /N/block/ID: the function that it belongs to. */
static bool go_to_function(struct ui_request *request, struct ui_answer *answer, const char *sql,
                           const char *what, struct error *error)
{
    static _Thread_local char place[80];
    int64_t function = ui_ask_number_of(request, sql, ui_rest_number(request));
    if (!function)
        return ui_missing(answer, error, "There is no %s %.20s in a function of %.200s.", what, request->rest,
                          request->subject->name);
    snprintf(place, sizeof place, "/%u/function/%lld", request->subject->number, (long long)function);
    answer->location = place;
    return true;
}

bool page_instruction(struct ui_request *request, struct ui_answer *answer, struct error *error)
{
    return go_to_function(request, answer, query_named(page_queries, "function_of_instruction"),
                          "instruction", error);
}

bool page_block(struct ui_request *request, struct ui_answer *answer, struct error *error)
{
    return go_to_function(request, answer, query_named(page_queries, "function_of_block"), "block", error);
}
