/* What if: the text of a loop is edited, and its cycles follow.

   The page has the text and empty places; its script (static/whatif.js) asks for the figures of the text as
   it is (whatif_answer.c) whenever the reader pauses, and fills them in.  Without a loop it is an editor for
   any text. */
#include "code/cost/path_text.h"
#include "model/tables.h"
#include "show/report/common/html.h"
#include "show/report/common/phrases.h"
#include "show/ui/machines.h"
#include "show/ui/pages/pages.h"
#include "show/ui/workshop.h"
#include "show/ui/pages/queries.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const files[] = {"whatif.css", "whatif.js", NULL};
static const enum isa editable[] = {isa_X86_64, isa_AARCH64, isa_I386};
enum { EDITABLE = sizeof editable / sizeof *editable };

/* What the editor starts with. */
struct editor {
    enum isa isa;
    uint32_t loop;       /* 0: none */
    const char *text;    /* "" without a loop */
    const char *title;   /* "loop 12 of dot" */
    const char *machine; /* its name; NULL: the usual one */
    char *place;         /* of the source; NULL: unknown */
};

/* Bytes and names for the text of a path, until it is written. */
struct material {
    struct ui_request *request;
    struct workshop_visit *visit;
    uint32_t program;
    sqlite3_stmt *bytes;
    struct array kept; /* of void * */
};

static struct span bytes_of(void *context, uint32_t block)
{
    struct material *material = context;
    struct span span = {0};
    sqlite3_reset(material->bytes);
    sqlite3_bind_int64(material->bytes, 1, block);
    if (sqlite3_step(material->bytes) == SQLITE_ROW && sqlite3_column_bytes(material->bytes, 0) > 0) {
        span.size = (size_t)sqlite3_column_bytes(material->bytes, 0);
        uint8_t *copy = memory_get(span.size);
        memcpy(copy, sqlite3_column_blob(material->bytes, 0), span.size);
        *(void **)array_push(&material->kept) = copy;
        span.data = copy;
    }
    return span;
}

static const char *name_of(void *context, uint64_t address)
{
    struct material *material = context;
    char *name = places_name(material->visit->places, material->program, address);
    *(void **)array_push(&material->kept) = name;
    return name;
}

static bool write_text(struct ui_request *request, struct workshop_visit *visit, const struct loop_path *path,
                       char **text, struct error *error)
{
    struct material material = {.request = request,
                                .visit = visit,
                                .program = model_function(visit->model, visit->function)->program,
                                .kept = ARRAY_OF(void *)};
    struct path_text work = {.model = visit->model,
                             .machine = visit->machine,
                             .name = name_of,
                             .bytes = bytes_of,
                             .context = &material};
    bool done = !sqlite3_prepare_v2(request->connection, query_named(page_queries, "block_bytes"), -1,
                                    &material.bytes, NULL) ||
                error_set(error, NULL, "%s", sqlite3_errmsg(request->connection));
    done = done && path_text_write(&work, path, error);
    *text = work.text;
    sqlite3_finalize(material.bytes);
    for (size_t i = 0; i < material.kept.count; i++)
        free(*ARRAY_AT(void *, &material.kept, i));
    array_free(&material.kept);
    return done;
}

/* The path of the address, else the slowest; NULL: there is none. */
static const struct loop_path *choose_path(const struct array *paths, int64_t wanted)
{
    const struct loop_path *chosen = NULL;
    for (size_t i = 0; i < paths->count; i++) {
        const struct loop_path *path = ARRAY_AT(struct loop_path, paths, i);
        if (wanted ? path->path == wanted
                   : !chosen || (isfinite(path->cycles) &&
                                 (!isfinite(chosen->cycles) || path->cycles > chosen->cycles)))
            chosen = path;
    }
    return chosen;
}

static void print_options(FILE *out, const struct ui_machines *machines, const char *chosen)
{
    for (unsigned isa = 0; isa < EDITABLE; isa++)
        for (size_t i = 0; editable[isa] != isa_I386 && i < machines->all.count; i++) {
            const struct ui_machine *machine = ARRAY_AT(struct ui_machine, &machines->all, i);
            if (machine->isa != editable[isa])
                continue;
            html_format(out, "<option data-isa=\"%s\" value=\"%s\"%s>%s</option>\n", isa_word(machine->isa),
                        machine->name, chosen && !strcmp(chosen, machine->name) ? " selected" : "",
                        machine->title ? machine->title : machine->name);
        }
}

static void print_tools(const struct ui_request *request, FILE *out, const struct editor *editor)
{
    const struct ui_machines *machines = request->machines;
    fputs("<div class=\"tools\">\n<label>Machine<select id=\"machine\">\n<option value=\"\">", out);
    bool is_host = machines->host && machines->host_isa == editor->isa && !request->options->machine;
    html_format(out, "%s%s</option>\n", is_host ? machines->host_title : "the usual machine",
                is_host ? " (this computer)" : "");
    print_options(out, machines, editor->machine);
    fputs("</select></label>\n<label>Instruction set<select id=\"isa\">\n", out);
    for (unsigned i = 0; i < EDITABLE; i++)
        fprintf(out, "<option value=\"%s\"%s>%s</option>\n", isa_word(editable[i]),
                editable[i] == editor->isa ? " selected" : "", isa_word(editable[i]));
    fputs("</select></label>\n<label>Treated as<select id=\"mode\">\n"
          "<option value=\"auto\">a loop if it ends in a branch back</option>\n",
          out);
    fprintf(out, "<option value=\"loop\"%s>a loop</option>\n", editor->loop ? " selected" : "");
    fputs("<option value=\"unrolled\">repeated without a branch</option>\n</select></label>\n"
          "<label>Iterations in the text<input id=\"copies\" type=\"number\" min=\"1\" max=\"64\" "
          "value=\"1\"></label>\n"
          "<span class=\"buttons\"><button type=\"button\" id=\"comment\">Remove line</button>\n"
          "<button type=\"button\" id=\"double\">Unroll ×2</button>\n"
          "<button type=\"button\" id=\"reset\">Reset</button></span>\n</div>\n",
          out);
}

static void print_result(FILE *out)
{
    fputs("<div class=\"result\" id=\"result\" aria-live=\"polite\" aria-atomic=\"true\">\n<dl "
          "class=\"keys\">\n"
          "<div class=\"main\"><dt>Cycles per iteration</dt><dd id=\"now\">–</dd></div>\n"
          "<div><dt>Before</dt><dd id=\"before\">–</dd></div>\n"
          "<div><dt>Difference</dt><dd id=\"difference\">–</dd></div>\n"
          "<div><dt>Limit</dt><dd id=\"limit\">–</dd></div>\n"
          "<div><dt>Next limit</dt><dd id=\"next\">–</dd></div>\n</dl>\n"
          "<p class=\"note\" id=\"more\"></p>\n</div>\n",
          out);
}

/* The text keeps its lines and tabs. */
static void print_text(FILE *out, const char *text)
{
    while (*text) {
        size_t length = strcspn(text, "\n\t");
        html_text(out, text, length);
        text += length;
        if (*text)
            putc(*text++, out);
    }
}

static void print_sheet(FILE *out, const struct editor *editor)
{
    fputs("<div class=\"sheet\">\n<pre class=\"gutter\" id=\"gutter\" aria-hidden=\"true\"></pre>\n"
          "<textarea id=\"text\" aria-label=\"Assembly\" aria-describedby=\"refusals\" spellcheck=\"false\" "
          "autocomplete=\"off\" autocapitalize=\"off\" wrap=\"off\" placeholder=\"Paste or type the "
          "instructions of a loop.\">\n",
          out);
    print_text(out, editor->text);
    fputs(
        "</textarea>\n<div class=\"costs\"><table id=\"costs\"><caption class=\"unseen\">What each line "
        "costs</caption><thead><tr><th scope=\"col\"><span class=\"unseen\">Line</span></th><th "
        "scope=\"col\" "
        "title=\"issue slots\">µops</th><th scope=\"col\" class=\"latency\" title=\"cycles from operands to "
        "results\">latency</th><th scope=\"col\" class=\"ports\">ports</th><th scope=\"col\" "
        "class=\"remark\">remark</th></tr></thead><tbody></tbody></table></div>\n</div>\n"
        "<div id=\"refusals\" class=\"refusals\" role=\"alert\"></div>\n"
        "<p class=\"note legend\"><span class=\"limit\">behind the limit</span><span class=\"chain\">on the "
        "longest chain of dependences</span></p>\n",
        out);
}

static void print_drawings(FILE *out)
{
    fputs(
        "<div class=\"drawings\">\n<section class=\"drawing\"><h2>Parts of the core</h2><table "
        "class=\"pairs\" "
        "id=\"parts\"><thead><tr><th scope=\"col\">part</th><th scope=\"col\">before, now</th><th "
        "scope=\"col\" class=\"figure\">before</th><th scope=\"col\" class=\"figure\">now</th></tr></thead>"
        "<tbody></tbody></table></section>\n"
        "<section class=\"drawing\"><h2>Ports</h2><table class=\"pairs\" id=\"ports\"><thead><tr><th "
        "scope=\"col\">port</th><th scope=\"col\">before, now</th><th scope=\"col\" "
        "class=\"figure\">before</th><th scope=\"col\" class=\"figure\">now</th></tr></thead><tbody></tbody>"
        "</table></section>\n</div>\n",
        out);
}

static void print_others(const struct ui_request *request, FILE *out)
{
    fputs("<section><h2>On other machines</h2>\n<div class=\"tools\"><label>Machine<select id=\"other\">\n",
          out);
    print_options(out, request->machines, NULL);
    fputs("</select></label>\n<button type=\"button\" id=\"add\">Add</button></div>\n<div class=\"wide\" "
          "role=\"region\" tabindex=\"0\" aria-label=\"On other machines\"><table class=\"rows\" "
          "id=\"others\"><thead><tr><th scope=\"col\">machine</th><th scope=\"col\" "
          "class=\"figure\">before</th>"
          "<th scope=\"col\" class=\"figure\">now</th><th scope=\"col\" class=\"figure\">difference</th><th "
          "scope=\"col\">limit</th><th scope=\"col\"><span class=\"unseen\">Remove</span></th></tr></thead>"
          "<tbody></tbody></table></div></section>\n",
          out);
}

static void print_sharing(FILE *out)
{
    fputs("<section><h2>Share</h2>\n<p class=\"lead\">The link holds both texts, the instruction set and the "
          "machine. It is not sent anywhere: what follows # stays in the browser. The file is a page that "
          "needs neither Assay nor a network.</p>\n<div class=\"tools\">"
          "<button type=\"button\" id=\"copy\">Copy link</button>\n"
          "<button type=\"button\" id=\"export\">Save as a page</button>\n"
          "<label class=\"grow\">Link<input id=\"link\" type=\"text\" readonly></label>\n"
          "<label class=\"grow\">Open a link that somebody sent<input id=\"received\" type=\"text\" "
          "autocomplete=\"off\"></label>\n<button type=\"button\" id=\"open\">Open</button>\n</div>\n"
          "<p class=\"note\" id=\"said\" role=\"status\"></p></section>\n",
          out);
}

static void print_editor(struct ui_request *request, struct ui_answer *answer, const struct editor *editor)
{
    FILE *out = answer->out;
    html_format(out,
                "<div class=\"whatif\" id=\"whatif\" data-number=\"%u\" data-loop=\"%u\" data-title=\"%s\" "
                "data-place=\"%s\">\n",
                request->subject->number, editor->loop, editor->title, editor->place);
    print_tools(request, out, editor);
    print_result(out);
    print_sheet(out, editor);
    print_drawings(out);
    print_others(request, out);
    print_sharing(out);
    fputs("<noscript><p>This page needs its script: the text is assembled again at every "
          "change.</p></noscript>\n"
          "</div>\n",
          out);
}

static void print_paths(struct ui_request *request, FILE *out, const struct array *paths,
                        const struct loop_path *chosen)
{
    if (paths->count < 2)
        return;
    fputs("<nav class=\"paths\" aria-label=\"Paths\"><ul>\n", out);
    for (size_t i = 0; i < paths->count && i < 20; i++) {
        const struct loop_path *path = ARRAY_AT(struct loop_path, paths, i);
        fprintf(out, "<li><a href=\"?path=%u", path->path);
        if (ui_parameter(request, "machine")) {
            fputs("&amp;machine=", out);
            ui_print_encoded(out, ui_parameter(request, "machine"));
        }
        fprintf(out, "\"%s>Path %u", path == chosen ? " aria-current=\"page\"" : "", path->path);
        if (isfinite(path->cycles))
            fprintf(out, ", %.2f cycles", path->cycles);
        fputs("</a></li>\n", out);
    }
    fputs("</ul></nav>\n", out);
}

/* The name of the function and the place of the loop; both to be freed. */
static void name_loop(struct ui_request *request, uint32_t loop, char **title, char **place)
{
    sqlite3_stmt *row = NULL;
    *title = *place = NULL;
    if (!sqlite3_prepare_v2(request->connection, query_named(page_queries, "name_loop"), -1, &row, NULL)) {
        sqlite3_bind_int64(row, 1, loop);
        sqlite3_bind_int(row, 2, request->options->demangle);
        if (sqlite3_step(row) == SQLITE_ROW) {
            const char *name = (const char *)sqlite3_column_text(row, 0);
            const char *where = (const char *)sqlite3_column_text(row, 1);
            *title = memory_format("loop %u of %s", loop, name ? name : "?");
            *place = where && *where ? memory_format("%s", where) : NULL;
        }
    }
    sqlite3_finalize(row);
    if (!*title)
        *title = memory_format("loop %u", loop);
}

static bool print_loop(struct ui_request *request, struct ui_answer *answer, struct workshop_visit *visit,
                       uint32_t loop, struct error *error)
{
    const struct model *model = visit->model;
    uint32_t program = model_function(model, visit->function)->program;
    struct array paths = ARRAY_OF(struct loop_path);
    char *text = NULL, *title;
    loop_paths_list(model, loop, &paths);
    cost_loops(model, &visit->machines, &paths, 1);
    const struct loop_path *path = choose_path(&paths, ui_number(request, "path", 0));
    bool done = path ? write_text(request, visit, path, &text, error)
                     : ui_missing(answer, error, "loop %u has no such path", loop);
    if (done) {
        struct editor editor = {.isa = (enum isa)model_program(model, program)->isa,
                                .loop = loop,
                                .text = text,
                                .machine = ui_parameter(request, "machine") ? ui_parameter(request, "machine")
                                                                            : request->options->machine};
        name_loop(request, loop, &title, &editor.place);
        editor.title = title;
        ui_begin_page(request, answer, "What if", "whatif", files);
        html_format(answer->out, "<p class=\"kicker\"><a href=\"/%u/loop/%u\">Loop %u</a></p>\n<h1>%s</h1>\n",
                    request->subject->number, loop, loop,
                    strchr(title + 5, ' ') ? strstr(title, " of ") + 4 : title);
        if (editor.place)
            html_format(answer->out, "<p class=\"note place\">%s</p>\n", editor.place);
        print_paths(request, answer->out, &paths, path);
        print_editor(request, answer, &editor);
        ui_end_page(request, answer);
        free(editor.place);
        free(title);
    }
    free(text);
    array_free(&paths);
    return done;
}

static bool print_empty(struct ui_request *request, struct ui_answer *answer)
{
    const char *word = ui_parameter(request, "isa");
    struct editor editor = {
        .isa = ui_isa(request), .text = "", .title = "a loop", .machine = ui_parameter(request, "machine")};
    for (unsigned i = 0; i < EDITABLE; i++)
        if (word && !strcmp(word, isa_word(editable[i])))
            editor.isa = editable[i];
    ui_begin_page(request, answer, "What if", "whatif", files);
    fputs("<h1 class=\"words\">What if</h1>\n<p class=\"lead\">Paste a loop, or open one from the page of a "
          "loop, and change its instructions: the cycles follow.</p>\n",
          answer->out);
    print_editor(request, answer, &editor);
    ui_end_page(request, answer);
    return true;
}

bool page_whatif(struct ui_request *request, struct ui_answer *answer, struct error *error)
{
    struct workshop_visit visit;
    if (!*request->rest)
        return print_empty(request, answer);
    int64_t id = ui_rest_number(request);
    if (id <= 0 || id > UINT32_MAX)
        return ui_missing(answer, error, "there is no loop '%s'", request->rest);
    if (!workshop_enter(request, answer, 0, (uint32_t)id, NULL, &visit, error))
        return false;
    enum isa isa =
        (enum isa)model_program(visit.model, model_function(visit.model, visit.function)->program)->isa;
    bool is_editable = false, done;
    for (unsigned i = 0; i < EDITABLE; i++)
        is_editable |= editable[i] == isa;
    if (!is_editable) {
        answer->status = 400;
        done = error_set(error, NULL, "there is no assembler for %s code here", isa_word(isa));
    } else if (!visit.view.loop_count) {
        done = ui_missing(answer, error, "loop %lld has no innermost loop", (long long)id);
    } else {
        done = print_loop(request, answer, &visit, visit.view.loops[0], error);
    }
    workshop_leave(&visit);
    return done;
}
