/* A text with the header of an analysis is run as one, with its parameters (p.NAME in the address) and the
   rows that it needs (function, loop, block, program); any other text is a script.  Errors of the SQL are
   answers: they say where in the text they are.

   The limits here are those of good manners, with words that fit; whoever evades them is ended by the desk.
 */
#include "show/ui/pages/ask_answer.h"

#include "base/clock.h"
#include "show/ui/pages/ask_script.h"
#include "show/ui/tables.h"

#include "model/tables.h"
#include "show/report/common/rows.h"
#include "store/analyses.h"
#include "store/problem.h"

#include <stdlib.h>
#include <string.h>

enum {
    STEPS = 100, /* of SQLite between two checks: few, because a step can make a long value */
    USUAL_ROWS = 1000,
    MOST_ROWS = 100000,
    MOST_SHOWN_BYTES = 32 << 20,
    MOST_EXPORT_BYTES = 200 << 20
};

struct asking {
    struct ui_request *request;
    FILE *out;
    const struct report_style *style; /* of a file; NULL: JSON for the page */
    uint64_t most;                    /* rows of a result */
    size_t results;
    uint64_t rows;
    const struct analysis *analysis; /* NULL: a script */
    struct array tables;             /* of char *: those that were read */
    double deadline;                 /* of the monotonic clock */
    off_t most_bytes;
    enum { goes_on, is_late, is_large } end; /* why it was stopped */
};

static int is_to_end(void *context)
{
    struct asking *asking = context;
    if (asking->end == goes_on && clock_monotonic_seconds() > asking->deadline)
        asking->end = is_late;
    if (asking->end == goes_on && ftello(asking->out) > asking->most_bytes)
        asking->end = is_large;
    return asking->end != goes_on;
}

static bool must_end(void *context)
{
    return is_to_end(context);
}

/* Which page shows a row: of the table, or the one that a column refers to. */
static const char *page_of_table(const char *table)
{
    static const char *const pages[][2] = {{"functions", "function"},
                                           {"loops", "loop"},
                                           {"code", "instruction"},
                                           {"instructions", "instruction"},
                                           {"blocks", "block"}};
    for (size_t i = 0; i < sizeof pages / sizeof *pages; i++)
        if (!strcmp(table, pages[i][0]))
            return pages[i][1];
    return NULL;
}

static const char *page_of_name(const char *name)
{
    static const char *const names[][2] = {{"function_id", "function"},
                                           {"loop_id", "loop"},
                                           {"loop", "loop"},
                                           {"instruction_id", "instruction"},
                                           {"block_id", "block"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(name, names[i][0]))
            return names[i][1];
    return NULL;
}

/* The page that a number of this column leads to; NULL: none. */
static const char *page_of_column(sqlite3_stmt *statement, int column)
{
    const char *table = sqlite3_column_table_name(statement, column);
    const char *origin = sqlite3_column_origin_name(statement, column);
    const struct table_description *description = table && origin ? table_named(table) : NULL;
    if (!description)
        return page_of_name(sqlite3_column_name(statement, column));
    if (!strcmp(origin, "id"))
        return page_of_table(table);
    for (unsigned i = 0; i < description->column_count; i++)
        if (!strcmp(description->columns[i].name, origin))
            return description->columns[i].refers_to ? page_of_table(description->columns[i].refers_to->name)
                                                     : NULL;
    return NULL;
}

static void print_columns(FILE *out, sqlite3_stmt *statement)
{
    int count = sqlite3_column_count(statement);
    fputs("{\"columns\":[", out);
    for (int i = 0; i < count; i++) {
        fputs(i ? "," : "", out);
        ui_json_string(out, sqlite3_column_name(statement, i));
    }
    fputs("],\"pages\":[", out);
    for (int i = 0; i < count; i++) {
        fputs(i ? "," : "", out);
        ui_json_string(out, page_of_column(statement, i));
    }
}

static bool print_shown(struct asking *asking, sqlite3_stmt *statement, struct error *error)
{
    FILE *out = asking->out;
    int columns = sqlite3_column_count(statement), state;
    uint64_t count = 0;
    fputs(asking->results++ ? "," : "", out);
    print_columns(out, statement);
    fputs("],\"rows\":[", out);
    while ((state = report_step(statement, error)) == 1 && count < asking->most) {
        fputs(count++ ? ",[" : "[", out);
        for (int i = 0; i < columns; i++) {
            fputs(i ? "," : "", out);
            ui_json_value(out, statement, i);
        }
        putc(']', out);
    }
    fprintf(out, "],\"cut\":%s}", state == 1 ? "true" : "false");
    asking->rows += count;
    return state >= 0;
}

/* Several results follow each other as `assay sql` prints them. */
static bool print_file(struct asking *asking, sqlite3_stmt *statement, struct error *error)
{
    uint64_t count = 0;
    if (asking->results++ && asking->style->format == report_CSV)
        fputs("\r\n", asking->out);
    return report_rows(statement, asking->style, -1, asking->out, &count, error);
}

static bool print(void *context, sqlite3_stmt *statement, struct error *error)
{
    struct asking *asking = context;
    return asking->style ? print_file(asking, statement, error) : print_shown(asking, statement, error);
}

static void note_table(void *context, const char *table)
{
    struct asking *asking = context;
    for (size_t i = 0; i < asking->tables.count; i++)
        if (!strcmp(*ARRAY_AT(char *, &asking->tables, i), table))
            return;
    *(char **)array_add(&asking->tables) = memory_copy_text(table, strlen(table));
}

/* What fills tables that many databases leave empty, by the start of their names. */
static const char *filler(const char *table)
{
    static const char *const fillers[][2] = {
        {"def_use", "assay db --flow"},        {"live_ranges", "assay db --flow"},
        {"stack_accesses", "assay db --flow"}, {"useless_accesses", "assay db --flow"},
        {"loop_cycles", "assay db --cycles"},  {"core_bounds", "assay db --cycles"},
        {"loop_levels", "assay db --cycles"},  {"loop_metrics", "assay db --report"},
        {"advice", "assay db --report"},       {"denormal_", "assay denormals -o FILE.db"},
        {"probe_", "assay probe -o FILE.db"},  {"run", "assay run -o FILE.db"},
        {"samples", "assay run -o FILE.db"},   {"findings", "assay analysis NAME FILE.db --keep"},
        {"compiler_blocks", "assay db FILE.s"}};
    for (size_t i = 0; i < sizeof fillers / sizeof *fillers; i++)
        if (!strncmp(table, fillers[i][0], strlen(fillers[i][0])))
            return fillers[i][1];
    return NULL;
}

static bool is_empty(sqlite3 *connection, const char *table)
{
    sqlite3_stmt *rows = NULL;
    /* Of the user's own query, whose tables no file can name. */
    char *sql = sqlite3_mprintf("select 1 from \"%w\" limit 1", table);
    bool is_there = sqlite3_prepare_v2(connection, sql, -1, &rows, NULL) || sqlite3_step(rows) == SQLITE_ROW;
    sqlite3_finalize(rows);
    sqlite3_free(sql);
    return !is_there;
}

static void print_note(FILE *out, bool *is_first, char *note)
{
    fputs(*is_first ? "" : ",", out);
    ui_json_string(out, note);
    *is_first = false;
    free(note);
}

/* Why rows may be missing. */
static void print_notes(struct asking *asking, FILE *out)
{
    bool is_first = true;
    const struct analysis *analysis = asking->analysis;
    store_supply(asking->request->store, NULL, NULL);
    for (size_t i = 0; i < asking->tables.count; i++) {
        const char *table = *ARRAY_AT(char *, &asking->tables, i), *command = filler(table);
        if (table_named(table) && is_empty(asking->request->connection, table))
            print_note(out, &is_first,
                       command ? memory_format("The table %s is empty: %s fills it.", table, command)
                               : memory_format("The table %s is empty.", table));
    }
    if (!analysis)
        return;
    char *meant, *found;
    if (!analysis_is_meant_for(analysis, asking->request->store, &meant, &found))
        print_note(out, &is_first, memory_format("This analysis is for %s; this file is %s.", meant, found));
    free(meant);
    free(found);
    const char *lacks = asking->rows ? NULL : analysis_lacks(analysis, asking->request->store);
    if (lacks)
        print_note(out, &is_first, memory_format("Nothing found: %s.", lacks));
}

static struct store_choice choice_of(const struct ui_request *request)
{
    return (struct store_choice){.function = ui_number(request, "function", 0),
                                 .loop = ui_number(request, "loop", 0),
                                 .block = ui_number(request, "block", 0),
                                 .program = ui_number(request, "program", 0)};
}

static struct array values_of(const struct ui_request *request, const struct analysis *analysis)
{
    struct array values = ARRAY_OF(struct analysis_value);
    for (size_t i = 0; i < analysis->parameters.count; i++) {
        const char *name = ARRAY_AT(struct analysis_parameter, &analysis->parameters, i)->name;
        autofree char *address = memory_format("p.%s", name);
        const char *text = ui_parameter(request, address);
        if (text && *text)
            *(struct analysis_value *)array_add(&values) = (struct analysis_value){name, text};
    }
    return values;
}

static bool run_text(struct asking *asking, const struct analysis *analysis, struct error *error)
{
    struct ui_request *request = asking->request;
    struct store_choice choice = choice_of(request);
    if (!analysis->title)
        return store_run(request->store, NULL, request->body, &choice, print, asking, error);
    asking->analysis = analysis;
    struct array values = values_of(request, analysis);
    struct error inner = {0};
    bool done = analysis->is_script
                    ? ask_script(request, analysis, &choice, &values, print, asking, must_end, &inner)
                    : analysis_run(request->store, analysis, &choice, values.data, values.count, print,
                                   asking, &inner);
    size_t prefix = strlen(analysis->name) + 2;
    array_free(&values);
    return done || error_set(error, NULL, "%s",
                             !analysis->is_script && !strncmp(inner.text, analysis->name, prefix - 2) &&
                                     strlen(inner.text) > prefix
                                 ? inner.text + prefix
                                 : inner.text);
}

static const char *end_words(const struct asking *asking, unsigned seconds, char words[120])
{
    switch (asking->end) {
    case is_late:
        snprintf(words, 120, ASK_LATE, seconds);
        return words;
    case is_large:
        return asking->style ? "The result is larger than 200 MB; `assay sql --csv` writes it to a file."
                             : "The result is too large to show; export it, or choose fewer columns.";
    case goes_on:
        break;
    }
    return NULL;
}

/* Characters of the text, as JavaScript counts them (UTF-16), before the byte. */
static size_t character_place(const char *text, const char *byte)
{
    size_t count = 0;
    for (; text < byte; text++)
        count += ((unsigned char)*text & 0xc0) == 0x80 ? 0 : (unsigned char)*text >= 0xf0 ? 2 : 1;
    return count;
}

static void print_error(struct asking *asking, FILE *out, const char *text, const char *words,
                        const struct error *error)
{
    bool is_script = asking->analysis && asking->analysis->is_script;
    const char *place = words || is_script ? NULL : store_wrong_place(asking->request->store);
    const char *plain = strncmp(error->text, "SQL: ", 5) ? error->text : error->text + 5;
    fputs("{\"error\":", out);
    ui_json_string(out, words ? words : plain);
    if (place)
        fprintf(out, ",\"place\":%zu", character_place(text, place));
    fputs(",\"stopped\":false", out);
}

/* Runs the text; the first character says whether what follows is an error. */
static void ask(struct asking *asking, FILE *out)
{
    struct ui_request *request = asking->request;
    unsigned seconds = ask_seconds(request);
    char *text = NULL, words[120];
    size_t size = 0;
    asking->out = open_memstream(&text, &size);
    asking->most_bytes = asking->style ? MOST_EXPORT_BYTES : MOST_SHOWN_BYTES;
    asking->tables = ARRAY_OF(char *);
    struct analysis analysis;
    struct error inner = {0};
    analysis_parse(&analysis, "query", request->body);
    store_supply(request->store, note_table, asking);
    double start = clock_monotonic_seconds();
    asking->deadline = start + seconds;
    sqlite3_progress_handler(request->connection, STEPS, is_to_end, asking);
    bool done = run_text(asking, &analysis, &inner);
    sqlite3_progress_handler(request->connection, 0, NULL, NULL);
    double took = clock_monotonic_seconds() - start;
    fclose(asking->out);
    putc(done ? ASK_DONE : ASK_FAILED, out);
    if (done && asking->style)
        fwrite(text, 1, size, out);
    else if (done) {
        fprintf(out, "{\"results\":[");
        fwrite(text, 1, size, out);
        fputs("],\"notes\":[", out);
        print_notes(asking, out);
        fprintf(out, "],\"seconds\":%.6f}\n", took);
    } else {
        print_error(asking, out, asking->analysis ? analysis.text : request->body,
                    end_words(asking, seconds, words), &inner);
        fprintf(out, ",\"seconds\":%.6f}\n", took);
    }
}

unsigned ask_seconds(const struct ui_request *request)
{
    enum { USUAL_SECONDS = 10, MOST_SECONDS = 28 /* less than the budget of a request */ };
    int64_t seconds = ui_number(request, "seconds", USUAL_SECONDS);
    return seconds < 1 || seconds > MOST_SECONDS ? USUAL_SECONDS : (unsigned)seconds;
}

static void answer_rows(struct ui_request *request, FILE *out)
{
    int64_t most = ui_number(request, "most", USUAL_ROWS);
    ask(&(struct asking){.request = request,
                         .most = most < 1 || most > MOST_ROWS ? USUAL_ROWS : (uint64_t)most},
        out);
}

static void answer_file(struct ui_request *request, FILE *out)
{
    struct report_style style = {.format = ask_is_json(request) ? report_JSON : report_CSV};
    ask(&(struct asking){.request = request, .style = &style}, out);
}

bool ask_is_json(const struct ui_request *request)
{
    const char *format = ui_parameter(request, "format");
    return format && !strcmp(format, "json");
}

/* ---- how a question travels ---- */

static void add_text(struct array *question, const char *text)
{
    size_t size = strlen(text) + 1;
    memcpy(array_push_many(question, size), text, size);
}

static void add_parameter(void *context, const char *name, const char *value)
{
    if (!*name)
        return;
    add_text(context, name);
    add_text(context, value);
}

struct array ask_pack(const struct ui_request *request, enum ask_kind kind)
{
    struct array question = ARRAY_OF(char);
    *(char *)array_push(&question) = (char)kind;
    ui_each_parameter(request, add_parameter, &question);
    add_text(&question, "");
    add_text(&question, request->body);
    return question;
}

/* A text of the question, and the place after it; NULL: there is none. */
static const char *next_text(const char **at, const char *end)
{
    const char *text = *at, *zero = memchr(text, 0, (size_t)(end - text));
    *at = zero ? zero + 1 : end;
    return zero ? text : NULL;
}

void *ask_open(void *context, const char *subject, struct error *error)
{
    struct asked *asked = context;
    for (size_t i = 0; i < ASK_KEPT; i++)
        if (asked->kept[i].store && !strcmp(asked->kept[i].path, subject))
            return asked->kept[i].store;
    struct store *store = ui_tables_open(subject, error);
    if (!store)
        return NULL;
    size_t place = asked->next++ % ASK_KEPT;
    store_close(asked->kept[place].store);
    free(asked->kept[place].path);
    asked->kept[place].store = store;
    asked->kept[place].path = memory_copy_text(subject, strlen(subject));
    return store;
}

void ask_answer(void *context, void *opened, const struct desk_question *question, FILE *out)
{
    const struct asked *asked = context;
    struct array given = ARRAY_OF(struct analysis_value);
    const char *at = question->text, *end = at + question->size, *name, *value;
    enum ask_kind kind = at < end ? (enum ask_kind) * at++ : ask_ROWS;
    while ((name = next_text(&at, end)) && *name && (value = next_text(&at, end)))
        *(struct analysis_value *)array_push(&given) = (struct analysis_value){name, value};
    struct ui_subject subject = {.path = question->subject, .database = question->subject};
    struct ui_request request = {.options = asked->options,
                                 .subject = &subject,
                                 .given = &given,
                                 .body = next_text(&at, end),
                                 .store = opened,
                                 .connection = store_connection(opened)};
    if (request.body && kind == ask_FILE)
        answer_file(&request, out);
    else if (request.body)
        answer_rows(&request, out);
}
