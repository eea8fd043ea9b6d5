/* The figures of a text, as JSON for the script of the page; and both texts with their figures as a file.

   The text is assembled before anything is locked: that takes the most time, and several may be under way. */
#include "model/tables.h"
#include "show/report/block_figures.h"
#include "show/ui/pages/pages.h"
#include "show/ui/pages/queries.h"
#include "show/ui/workshop.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_MACHINES = 5, MOST_COPIES = 64 };

/* What the script sends. */
struct wish {
    enum isa isa;
    enum text_mode mode;
    unsigned copies; /* iterations in the text */
    char *text, *original, *title, *place, *link, *machine;
    struct array machines; /* of char * */
};

static void wish_free(struct wish *wish)
{
    char *texts[] = {wish->text, wish->original, wish->title, wish->place, wish->link, wish->machine};
    for (unsigned i = 0; i < sizeof texts / sizeof *texts; i++)
        free(texts[i]);
    for (size_t i = 0; i < wish->machines.count; i++)
        free(*ARRAY_AT(char *, &wish->machines, i));
    array_free(&wish->machines);
}

/* A text of the request; to be freed; NULL: it is missing. */
static char *column(sqlite3_stmt *row, int number)
{
    const char *text = (const char *)sqlite3_column_text(row, number);
    return text ? memory_format("%s", text) : NULL;
}

static enum isa isa_of(const char *word)
{
    for (unsigned isa = 1; word && isa < isa_COUNT; isa++)
        if (!strcmp(word, isa_word((enum isa)isa)))
            return (enum isa)isa;
    return isa_NONE;
}

static bool read_machines(struct ui_request *request, struct wish *wish)
{
    sqlite3_stmt *row = NULL;
    bool good = !sqlite3_prepare_v2(request->connection, query_named(page_queries, "wished_machines"), -1,
                                    &row, NULL);
    sqlite3_bind_text(row, 1, request->body, (int)request->body_size, SQLITE_STATIC);
    sqlite3_bind_int(row, 2, MOST_MACHINES);
    while (good && sqlite3_step(row) == SQLITE_ROW)
        *(char **)array_push(&wish->machines) = column(row, 0);
    sqlite3_finalize(row);
    return good;
}

static bool read_wish(struct ui_request *request, struct ui_answer *answer, struct wish *wish,
                      struct error *error)
{
    sqlite3_stmt *row = NULL;
    *wish = (struct wish){.machines = ARRAY_OF(char *)};
    bool good = request->body_size < INT32_MAX &&
                !sqlite3_prepare_v2(request->connection, query_named(page_queries, "wish"), -1, &row, NULL);
    sqlite3_bind_text(row, 1, request->body, (int)request->body_size, SQLITE_STATIC);
    if (good && sqlite3_step(row) == SQLITE_ROW) {
        const char *mode = (const char *)sqlite3_column_text(row, 1);
        wish->isa = isa_of((const char *)sqlite3_column_text(row, 0));
        wish->mode = mode && !strcmp(mode, "loop")       ? text_LOOP
                     : mode && !strcmp(mode, "unrolled") ? text_UNROLLED
                                                         : text_AS_IT_ENDS;
        wish->text = column(row, 2);
        wish->original = column(row, 3);
        wish->title = column(row, 4);
        wish->place = column(row, 5);
        wish->link = column(row, 6);
        wish->machine = column(row, 7);
        int copies = sqlite3_column_int(row, 8);
        wish->copies = copies > 0 && copies <= MOST_COPIES ? (unsigned)copies : 1;
    }
    sqlite3_finalize(row);
    answer->status = 400;
    if (memmem(request->body, request->body_size, "\\u0000", 6)) /* it would end the text unseen */
        return error_set(error, NULL, "the text contains a zero");
    if (good && wish->text && wish->isa && read_machines(request, wish)) {
        answer->status = 200;
        return true;
    }
    return error_set(error, NULL, "the request needs a text and its instruction set");
}

static void print_refusals(FILE *out, const struct text_code *code, const struct error *error)
{
    fputs("{\"refusals\":[", out);
    for (size_t i = 0; i < code->refusals.count; i++) {
        const struct text_refusal *refusal = ARRAY_AT(struct text_refusal, &code->refusals, i);
        fprintf(out, "%s{\"line\":%u,\"words\":", i ? "," : "", refusal->line);
        ui_json_string(out, refusal->words);
        putc('}', out);
    }
    if (!code->refusals.count) {
        fputs("{\"line\":0,\"words\":", out);
        ui_json_string(out, error->text);
        putc('}', out);
    }
    fputs("]}\n", out);
}

/* One machine; those that do not exist or do not run this code are part of the answer. */
static void print_machine(struct ui_request *request, struct ui_answer *answer, struct text_block *block,
                          const struct wish *wish, const char *name)
{
    struct workshop_visit visit;
    struct error error = {0};
    if (!workshop_enter_machine(request, answer, wish->isa, name, &visit, &error)) {
        answer->status = 200;
        fputs("{\"machine\":", answer->out);
        ui_json_string(answer->out, name);
        fputs(",\"error\":", answer->out);
        ui_json_string(answer->out, error.text);
        putc('}', answer->out);
        return;
    }
    struct block_figures figures;
    text_block_predict(block, visit.machine, wish->mode);
    block_figures_make(&figures, block, visit.machine);
    block_figures_json(&figures, answer->out);
    block_figures_free(&figures);
    workshop_leave(&visit);
}

static void answer_text(struct ui_request *request, struct ui_answer *answer, const struct wish *wish)
{
    struct text_code code;
    struct text_block block;
    struct error error = {0};
    text_code_begin(&code, wish->isa);
    if (!text_code_read(&code, wish->text, strlen(wish->text), &error)) {
        print_refusals(answer->out, &code, &error);
        text_code_end(&code);
        return;
    }
    if (!text_block_begin(&block, &code, &error)) {
        print_refusals(answer->out, &code, &error);
    } else {
        fputs("{\"refusals\":[],\"machines\":[", answer->out);
        for (size_t i = 0; i < wish->machines.count || !i; i++) {
            fputs(i ? "," : "", answer->out);
            print_machine(request, answer, &block, wish,
                          i < wish->machines.count ? *ARRAY_AT(char *, &wish->machines, i) : NULL);
        }
        fputs("]}\n", answer->out);
    }
    text_block_end(&block);
    text_code_end(&code);
}

bool page_whatif_answer(struct ui_request *request, struct ui_answer *answer, struct error *error)
{
    struct wish wish;
    bool done = read_wish(request, answer, &wish, error);
    answer->type = "application/json";
    if (done)
        answer_text(request, answer, &wish);
    wish_free(&wish);
    return done;
}

/* The figures of one of the two texts. */
static bool figure(const struct wish *wish, const char *text, const struct machine *machine,
                   struct block_figures *figures, struct error *error)
{
    struct text_code code;
    struct text_block block;
    text_code_begin(&code, wish->isa);
    bool done = text_code_read(&code, text, strlen(text), error) || text_code_refuse(&code, "line", error);
    if (done) {
        done = text_block_begin(&block, &code, error);
        if (done) {
            text_block_predict(&block, machine, wish->mode);
            block_figures_make(figures, &block, machine);
        }
        text_block_end(&block);
    }
    text_code_end(&code);
    return done;
}

static bool write_page(struct ui_request *request, struct ui_answer *answer, const struct wish *wish,
                       struct error *error)
{
    struct workshop_visit visit;
    struct block_page page = {.title = wish->title ? wish->title : "a loop",
                              .place = wish->place && *wish->place ? wish->place : NULL,
                              .version = request->options->version,
                              .link = wish->link,
                              .copies = wish->copies,
                              .texts = {wish->original ? wish->original : wish->text, wish->text}};
    if (!workshop_enter_machine(request, answer, wish->isa, wish->machine, &visit, error))
        return false;
    bool done = figure(wish, page.texts[0], visit.machine, &page.of[0], error);
    if (done && !figure(wish, page.texts[1], visit.machine, &page.of[1], error)) {
        block_figures_free(&page.of[0]);
        done = false;
    }
    if (done) {
        block_page_write(&page, answer->out);
        answer->file_name = "what-if.html";
        block_figures_free(&page.of[0]);
        block_figures_free(&page.of[1]);
    } else {
        answer->status = 400;
    }
    workshop_leave(&visit);
    return done;
}

bool page_whatif_export(struct ui_request *request, struct ui_answer *answer, struct error *error)
{
    struct wish wish;
    bool done = read_wish(request, answer, &wish, error) && write_page(request, answer, &wish, error);
    wish_free(&wish);
    return done;
}
