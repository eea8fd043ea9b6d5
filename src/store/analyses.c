/* Finding, reading and running analyses.  See analyses.h for their format.

   A file is read as a whole.  Its header is a run of comment lines. Lines of the form `-- word: …` are
   fields; an unknown field is an error, so that a typing mistake is not ignored. Other comments are for
   readers. The SQL given to SQLite is the whole file, header included. */
#include "store/analyses.h"

#include "base/path.h"
#include "base/regular_file.h"
#include "model/tables.h"
#include "store/queries.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ANALYSIS_SIZE_MAX = 1 << 20 };

/* A piece of a text. */
struct piece {
    const char *at;
    size_t length;
};

static bool is_blank(char byte)
{
    return byte == ' ' || byte == '\t' || byte == '\r';
}

static struct piece trimmed(struct piece piece)
{
    while (piece.length && is_blank(piece.at[0])) {
        piece.at++;
        piece.length--;
    }
    while (piece.length && is_blank(piece.at[piece.length - 1]))
        piece.length--;
    return piece;
}

static bool is_text(struct piece piece, const char *text)
{
    return piece.length == strlen(text) && !memcmp(piece.at, text, piece.length);
}

/* Takes a word, or text in single quotes, from the front. */
static struct piece take_word(struct piece *from)
{
    *from = trimmed(*from);
    struct piece word = {from->at, 0};
    if (from->length && from->at[0] == '\'') {
        const char *end = memchr(from->at + 1, '\'', from->length - 1);
        if (end) {
            word = (struct piece){from->at + 1, (size_t)(end - from->at) - 1};
            from->length -= word.length + 2;
            from->at += word.length + 2;
            return word;
        }
    }
    while (word.length < from->length && !is_blank(word.at[word.length]))
        word.length++;
    from->at += word.length;
    from->length -= word.length;
    return word;
}

static bool is_name(struct piece piece)
{
    for (size_t i = 0; i < piece.length; i++) {
        char byte = piece.at[i];
        if (!((byte >= 'a' && byte <= 'z') || byte == '_' || (i && byte >= '0' && byte <= '9')))
            return false;
    }
    return piece.length > 0;
}

static bool set_text(char **field, struct piece value, struct error *error, const char *where,
                     struct piece name)
{
    if (*field)
        return error_set(error, where, "%.*s is given twice", (int)name.length, name.at);
    if (!value.length)
        return error_set(error, where, "%.*s is empty", (int)name.length, name.at);
    *field = memory_copy_text(value.at, value.length);
    return true;
}

static bool read_need(struct analysis *analysis, struct piece value, const char *where)
{
    struct piece word = take_word(&value), mode = take_word(&value);
    bool is_optional = is_text(mode, "optional");
    if ((mode.length && !is_optional) || trimmed(value).length)
        return error_set(&analysis->error, where, "needs: only `optional` may follow the name");
    for (unsigned i = 0; i < STORE_MACRO_COUNT; i++) {
        if (!is_text(word, store_macro_names[i]))
            continue;
        analysis->needs[i] = is_optional ? NEED_OPTIONAL : NEED_REQUIRED;
        return true;
    }
    return error_set(&analysis->error, where, "needs: expected FUNCTION, LOOP, BLOCK or PROGRAM, not '%.*s'",
                     (int)word.length, word.at);
}

static bool read_parameter(struct analysis *analysis, struct piece value, const char *where)
{
    struct piece name = take_word(&value);
    value = trimmed(value);
    bool has_initial = value.length > 0;
    struct piece initial = take_word(&value), doc = trimmed(value);
    if (!is_name(name))
        return error_set(&analysis->error, where,
                         "parameter: expected a name of lower-case letters, digits and _");
    if (!has_initial || !doc.length)
        return error_set(&analysis->error, where, "parameter: expected NAME DEFAULT SENTENCE");
    struct analysis_parameter *parameter = array_add(&analysis->parameters);
    parameter->name = memory_copy_text(name.at, name.length);
    parameter->initial = memory_copy_text(initial.at, initial.length);
    parameter->doc = memory_copy_text(doc.at, doc.length);
    return true;
}

static bool read_isas(struct analysis *analysis, struct piece value, const char *where)
{
    for (struct piece word = take_word(&value); word.length; word = take_word(&value)) {
        unsigned isa = 1;
        while (isa < isa_COUNT && !is_text(word, isa_word(isa)))
            isa++;
        if (isa == isa_COUNT)
            return error_set(&analysis->error, where, "isa: unknown instruction set '%.*s'", (int)word.length,
                             word.at);
        analysis->isas |= 1u << isa;
    }
    return analysis->isas || error_set(&analysis->error, where, "isa is empty");
}

/* The fields of metrics and rules. */
static bool read_judging(struct analysis *analysis, struct piece name, struct piece value, const char *where)
{
    if (is_text(name, "where"))
        return set_text(&analysis->where, value, &analysis->error, where, name);
    if (is_text(name, "kind")) {
        analysis->kind = is_text(value, "metric") ? KIND_METRIC
                         : is_text(value, "rule") ? KIND_RULE
                                                  : KIND_ANALYSIS;
        return analysis->kind != KIND_ANALYSIS || is_text(value, "analysis") ||
               error_set(&analysis->error, where, "kind: expected metric, rule or analysis");
    }
    unsigned level = 0;
    while (level < advice_level_COUNT && !is_text(value, advice_level_word(level)))
        level++;
    analysis->level = (enum advice_level)level;
    return level < advice_level_COUNT ||
           error_set(&analysis->error, where, "level: expected gain, potential, hint or expert");
}

/* What the fields say together. */
static bool check_judging(struct analysis *analysis)
{
    if (analysis->kind == KIND_ANALYSIS)
        return !analysis->where ||
               error_set(&analysis->error, analysis->path, "where: is for metrics and rules (-- kind: rule)");
    if (!analysis->is_script)
        return error_set(&analysis->error, analysis->path, "metrics and rules are written in Lua");
    if (strspn(analysis->name, "abcdefghijklmnopqrstuvwxyz0123456789-_") != strlen(analysis->name))
        return error_set(&analysis->error, analysis->path,
                         "the name of a metric or rule has only lower-case letters, digits, - and _");
    analysis->is_script = false;
    if (!analysis->group)
        analysis->group = memory_format("%s", analysis->kind == KIND_RULE ? "rules" : "metrics");
    return true;
}

static bool read_field(struct analysis *analysis, struct piece name, struct piece value, const char *where)
{
    if (is_text(name, "title"))
        return set_text(&analysis->title, value, &analysis->error, where, name);
    if (is_text(name, "group"))
        return set_text(&analysis->group, value, &analysis->error, where, name);
    if (is_text(name, "does"))
        return set_text(&analysis->does, value, &analysis->error, where, name);
    if (is_text(name, "needs"))
        return read_need(analysis, value, where);
    if (is_text(name, "isa"))
        return read_isas(analysis, value, where);
    if (is_text(name, "parameter"))
        return read_parameter(analysis, value, where);
    if (is_text(name, "shows") && (is_text(value, "table") || is_text(value, "histogram"))) {
        analysis->shows = is_text(value, "histogram") ? SHOWS_HISTOGRAM : SHOWS_TABLE;
        return true;
    }
    if (is_text(name, "shows"))
        return error_set(&analysis->error, where, "shows: expected table or histogram");
    if (is_text(name, "from")) {
        analysis->from = is_text(value, "lines")         ? FROM_LINES
                         : is_text(value, "frequencies") ? FROM_FREQUENCIES
                         : is_text(value, "probes")      ? FROM_PROBES
                         : is_text(value, "samples")     ? FROM_SAMPLES
                                                         : FROM_CODE;
        return analysis->from != FROM_CODE ||
               error_set(&analysis->error, where, "from: expected lines, frequencies, probes or samples");
    }
    if (is_text(name, "language")) {
        analysis->is_script = is_text(value, "lua");
        return analysis->is_script || is_text(value, "sql") ||
               error_set(&analysis->error, where, "language: expected lua or sql");
    }
    if (is_text(name, "edits")) {
        analysis->edits = is_text(value, "delete") ? EDITS_DELETE : EDITS_ARE_PROPOSALS;
        return analysis->edits == EDITS_DELETE || is_text(value, "rows") ||
               error_set(&analysis->error, where, "edits: expected delete or rows");
    }
    if (is_text(name, "kind") || is_text(name, "level") || is_text(name, "where"))
        return read_judging(analysis, name, value, where);
    return error_set(
        &analysis->error, where,
        "unknown field '%.*s'; the fields are title, group, does, needs, parameter, shows, isa, from, "
        "language, kind, level, where, edits",
        (int)name.length, name.at);
}

static bool read_header(struct analysis *analysis, const char *text)
{
    for (unsigned line = 1; *text; line++) {
        size_t length = strcspn(text, "\n");
        struct piece content = trimmed((struct piece){text, length});
        text += length + (text[length] == '\n');
        if (!content.length)
            continue;
        if (content.length < 2 || memcmp(content.at, "--", 2))
            break;
        content = trimmed((struct piece){content.at + 2, content.length - 2});
        const char *colon = memchr(content.at, ':', content.length);
        struct piece name = {content.at, colon ? (size_t)(colon - content.at) : 0};
        if (!is_name(name))
            continue;
        struct piece value = trimmed((struct piece){colon + 1, content.length - name.length - 1});
        char *where = memory_format("%s:%u", analysis->path, line);
        bool good = read_field(analysis, name, value, where);
        free(where);
        if (!good)
            return false;
    }
    if (!analysis->title || !analysis->does)
        return error_set(&analysis->error, analysis->path, "the header lacks the line `-- %s: …`",
                         analysis->title ? "does" : "title");
    return check_judging(analysis);
}

/* The length of .sql or .lua behind a name; 0: it is no analysis. */
static size_t ending_of(const char *name)
{
    size_t length = strlen(name);
    bool has_ending =
        length > 4 && (!strcmp(name + length - 4, ".sql") || !strcmp(name + length - 4, ".lua"));
    return has_ending ? 4 : 0;
}

void analysis_parse(struct analysis *analysis, const char *path, const char *text)
{
    const char *base = path_name(path);
    size_t length = strlen(base) - ending_of(base);
    *analysis = (struct analysis){.name = memory_copy_text(base, length),
                                  .path = memory_copy_text(path, strlen(path)),
                                  .parameters = ARRAY_OF(struct analysis_parameter),
                                  .text = memory_copy_text(text, strlen(text)),
                                  .level = advice_level_HINT,
                                  .is_script = !strcmp(base + length, ".lua")};
    read_header(analysis, text);
}

void analysis_free(struct analysis *analysis)
{
    for (size_t i = 0; i < analysis->parameters.count; i++) {
        struct analysis_parameter *parameter = array_at(&analysis->parameters, i);
        free(parameter->name);
        free(parameter->initial);
        free(parameter->doc);
    }
    array_free(&analysis->parameters);
    free(analysis->name);
    free(analysis->path);
    free(analysis->title);
    free(analysis->group);
    free(analysis->does);
    free(analysis->where);
    free(analysis->text);
    *analysis = (struct analysis){0};
}

static void find_in_directory(struct array *list, const char *directory)
{
    DIR *stream = opendir(directory);
    if (!stream)
        return;
    for (struct dirent *entry; (entry = readdir(stream));) {
        size_t length = strlen(entry->d_name);
        if (entry->d_name[0] == '.' || !ending_of(entry->d_name))
            continue;
        char *name = memory_copy_text(entry->d_name, length - 4);
        bool is_known = analyses_named(list, name);
        free(name);
        if (is_known)
            continue;
        char *path = memory_format("%s/%s", directory, entry->d_name);
        struct error error = {0};
        char *text = regular_file_text(path, ANALYSIS_SIZE_MAX, "an analysis", &error);
        struct analysis *analysis = array_add(list);
        analysis_parse(analysis, path, text ? text : "");
        if (error.set)
            analysis->error = error;
        free(text);
        free(path);
    }
    closedir(stream);
}

static int compare_names(const void *left, const void *right)
{
    return strcmp(((const struct analysis *)left)->name, ((const struct analysis *)right)->name);
}

void analyses_find(struct array *list, const char *const *directories, size_t directory_count)
{
    *list = ARRAY_OF(struct analysis);
    for (size_t i = 0; i < directory_count; i++)
        if (directories[i])
            find_in_directory(list, directories[i]);
    if (list->count)
        qsort(list->data, list->count, list->width, compare_names);
}

void analyses_free(struct array *list)
{
    for (size_t i = 0; i < list->count; i++)
        analysis_free(array_at(list, i));
    array_free(list);
}

const struct analysis *analyses_named(const struct array *list, const char *name)
{
    for (size_t i = 0; i < list->count; i++)
        if (!strcmp(ARRAY_AT(const struct analysis, list, i)->name, name))
            return array_at(list, i);
    return NULL;
}

static const struct {
    const char *name, *title;
} groups[] = {
    {"advice", "What to do"},
    {"statistics", "Statistics"},
    {"histograms", "Histograms"},
    {"patterns", "Code patterns"},
    {"registers", "Registers, spills and fills"},
    {"memory", "Memory and prefetching"},
    {"compiler", "What the compiler did"},
    {"structure", "Functions, loops and calls"},
    {"runs", "Runs of the program"},
    {"metrics", "Metrics of loops, for assay report"},
    {"rules", "Rules of advice, for assay report"},
};
enum { GROUP_COUNT = sizeof groups / sizeof groups[0] };

static unsigned group_rank(const char *group)
{
    unsigned rank = 0;
    while (group && rank < GROUP_COUNT && strcmp(groups[rank].name, group))
        rank++;
    return group ? rank : GROUP_COUNT + 1;
}

const char *analyses_group_title(const char *group)
{
    unsigned rank = group_rank(group);
    return rank < GROUP_COUNT ? groups[rank].title : group ? group : "Others";
}

int analyses_compare_menus(const struct analysis *left, const struct analysis *right)
{
    unsigned first = group_rank(left->group), second = group_rank(right->group);
    if (first != second)
        return first < second ? -1 : 1;
    int order = left->group && right->group ? strcmp(left->group, right->group) : 0;
    return order ? order : strcmp(left->name, right->name);
}

/* Binds a number if the text is one, so that comparisons with numeric columns work. */
static int bind_text(sqlite3_stmt *statement, int place, const char *text)
{
    char *end;
    errno = 0;
    long long integer = strtoll(text, &end, 10);
    if (*text && !*end && !errno)
        return sqlite3_bind_int64(statement, place, integer);
    if (*text && strspn(text, "+-.0123456789eE") == strlen(text)) {
        double number = strtod(text, &end);
        if (!*end)
            return sqlite3_bind_double(statement, place, number);
    }
    return sqlite3_bind_text(statement, place, text, -1, SQLITE_TRANSIENT);
}

const char *analysis_value_of(const struct analysis_parameter *parameter, const struct analysis_value *values,
                              size_t value_count)
{
    const char *text = parameter->initial;
    for (size_t v = 0; v < value_count; v++)
        if (!strcmp(values[v].name, parameter->name))
            text = values[v].text;
    return text;
}

static bool bind_parameters(sqlite3_stmt *statement, const struct analysis *analysis,
                            const struct analysis_value *values, size_t value_count, struct error *error)
{
    for (size_t i = 0; i < analysis->parameters.count; i++) {
        const struct analysis_parameter *parameter = array_at(&analysis->parameters, i);
        const char *text = analysis_value_of(parameter, values, value_count);
        char *name = memory_format(":%s", parameter->name);
        int place = sqlite3_bind_parameter_index(statement, name);
        free(name);
        if (place && bind_text(statement, place, text))
            return error_set(error, analysis->path, "the value of %s cannot be used", parameter->name);
    }
    return true;
}

static bool has_no_parameter(const struct analysis *analysis, const char *name, struct error *error)
{
    char *list = NULL;
    for (size_t i = 0; i < analysis->parameters.count; i++) {
        const struct analysis_parameter *parameter = array_at(&analysis->parameters, i);
        char *longer = memory_format("%s%s%s", list ? list : "", list ? ", " : "", parameter->name);
        free(list);
        list = longer;
    }
    error_set(error, analysis->name, "has no parameter '%s'; its parameters: %s", name, list ? list : "none");
    free(list);
    return false;
}

bool analysis_takes(const struct analysis *analysis, const struct analysis_value *values, size_t value_count,
                    struct error *error)
{
    if (analysis->error.set)
        return error_set(error, NULL, "%s", analysis->error.text);
    for (size_t v = 0; v < value_count; v++) {
        bool is_known = false;
        for (size_t i = 0; i < analysis->parameters.count; i++) {
            const struct analysis_parameter *parameter = array_at(&analysis->parameters, i);
            is_known = is_known || !strcmp(values[v].name, parameter->name);
        }
        if (!is_known)
            return has_no_parameter(analysis, values[v].name, error);
    }
    return true;
}

static char *isa_list(unsigned isas)
{
    char *list = memory_format("%s", "");
    for (unsigned isa = 0; isa < isa_COUNT; isa++) {
        if (!(isas & 1u << isa))
            continue;
        char *longer = memory_format("%s%s%s", list, *list ? ", " : "", isa_word(isa));
        free(list);
        list = longer;
    }
    return list;
}

char *analysis_isas(const struct analysis *analysis)
{
    return isa_list(analysis->isas);
}

bool analysis_is_meant_for(const struct analysis *analysis, struct store *store, char **meant, char **found)
{
    sqlite3_stmt *rows = NULL;
    unsigned there = 0;
    *meant = *found = NULL;
    if (!analysis->isas ||
        sqlite3_prepare_v2(store_connection(store), query_named(store_queries, "instruction_sets"), -1, &rows,
                           NULL))
        return true;
    while (sqlite3_step(rows) == SQLITE_ROW) {
        const char *word = (const char *)sqlite3_column_text(rows, 0);
        for (unsigned isa = 0; word && isa < isa_COUNT; isa++)
            there |= strcmp(word, isa_word(isa)) ? 0 : 1u << isa;
    }
    sqlite3_finalize(rows);
    if (!there || there & analysis->isas)
        return true;
    *meant = isa_list(analysis->isas);
    *found = isa_list(there);
    return false;
}

const char *analysis_lacks(const struct analysis *analysis, struct store *store)
{
    static const struct {
        const char *query, *words;
    } sources[] = {
        [FROM_LINES] = {"has_lines", "the program has no source lines; compile with -g"},
        [FROM_FREQUENCIES] =
            {"has_frequencies",
             "the file has no block frequencies from a compiler; listings of icc for Itanium have them"},
        [FROM_PROBES] = {"has_probes",
                         "the file has no runs with probes; `assay probe … -o prog.db -- ./prog` makes a "
                         "database of one"},
        [FROM_SAMPLES] =
            {"has_runs",
             "the file has no sampled runs; `assay run -o run.db -- ./prog` makes a database of one"},
    };
    sqlite3_stmt *rows = NULL;
    if (analysis->from == FROM_CODE ||
        sqlite3_prepare_v2(store_connection(store), query_named(store_queries, sources[analysis->from].query),
                           -1, &rows, NULL))
        return NULL;
    bool is_there = sqlite3_step(rows) != SQLITE_DONE;
    sqlite3_finalize(rows);
    return is_there ? NULL : sources[analysis->from].words;
}

char *analysis_judged_rows(const struct analysis *analysis)
{
    /* With the name in it: analyses are handed on as SQL alone, like those of users. */
    if (analysis->kind == KIND_METRIC)
        return sqlite3_mprintf(
            "select p.name as function, p.file || ':' || p.line as place, g.loop as loop_id, g.path, "
            "g.value from added_metrics m join added_figures g on g.metric = m.id "
            "join loop_places p on p.loop = g.loop where m.name = %Q order by g.loop, g.path",
            analysis->name);
    return sqlite3_mprintf(
        "select p.name as function, p.file || ':' || p.line as place, a.loop as loop_id, a.path, a.level, "
        "round(a.gain, 2) as gain, a.text from rules r join advice a on a.rule = r.id "
        "join loop_places p on p.loop = a.loop where r.name = %Q and r.file is not null "
        "order by a.loop, a.path",
        analysis->name);
}

bool analysis_run(struct store *store, const struct analysis *analysis, const struct store_choice *choice,
                  const struct analysis_value *values, size_t value_count, store_print *print, void *context,
                  struct error *error)
{
    if (!analysis_takes(analysis, values, value_count, error))
        return false;
    struct store_choice chosen = choice ? *choice : (struct store_choice){0};
    for (unsigned i = 0; i < STORE_MACRO_COUNT; i++)
        if (analysis->needs[i] == NEED_OPTIONAL)
            chosen.may_be_null |= 1u << i;
    char *judged = analysis->kind == KIND_ANALYSIS ? NULL : analysis_judged_rows(analysis);
    const char *script = judged ? judged : analysis->text;
    struct error inner = {0};
    bool good = true;
    while (*script && good) {
        sqlite3_stmt *statement;
        good = store_prepare(store, script, &chosen, &statement, &script, &inner);
        if (statement)
            good = bind_parameters(statement, analysis, values, value_count, &inner) &&
                   print(context, statement, &inner);
        sqlite3_finalize(statement);
    }
    sqlite3_free(judged);
    return good || error_set(error, analysis->name, "%s", inner.text);
}
