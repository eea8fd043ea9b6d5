/* A record of GCC's: [facts about the compiler, its passes, remarks].

   A remark has a kind (success, failure, note, scope), a message in pieces, the place and the function that is
   compiled; a scope has further remarks inside, which stand in front of its own message. Those of the
   vectoriser follow each other loop by loop:

       note     "Analyzing loop at solve.c:5"
       scope    the analysis, once for each size of vectors that the target has
         failure  "function is not vectorizable."             what is wrong, exactly, if GCC names it
         failure  (nothing)                                   the statement it is wrong with: a place alone
         failure  "bad operation or unsupported loop bound."  what that means for the loop
         note     "***** Analysis failed with vector mode V2DF"
         failure  "bad data references."                      the next size fails for another reason …
       failure  "not vectorized: no vectype for stmt: …"      … which is the one that -fopt-info shows
       failure  "couldn't vectorize loop"                     the verdict, at the place of the loop

   The reason that helps is the one of the first size: the later, smaller ones fail because the type does not
   fit them. GCC's last word is taken where all sizes fail alike. */
#include "code/remarks/json.h"

#include <stdio.h>
#include <stdlib.h>

enum value_of {
    of_NOTHING,
    of_KIND,
    of_FUNCTION,
    of_MESSAGE,
    of_LOCATION,
    of_FILE,
    of_LINE,
    of_COLUMN,
    of_GENERATOR,
    of_GENERATOR_VERSION,
    of_CHILDREN,
    of_RECORDS,
};

/* A remark whose end was not seen yet. */
struct scope {
    unsigned depth; /* of its object among all values */
    bool is_failure, is_success, is_note;
    uint32_t line, column;
    struct short_text function, file, text;
};

/* What was said about a loop before the verdict. */
struct analysis {
    bool has_failed;                  /* with the first size of vectors */
    struct short_text function;       /* that is compiled */
    struct short_text detail, first;  /* of the first size: what is wrong, what that means */
    struct short_text last, final;    /* what it means for the last size; GCC's last word */
    uint32_t blamed_line, final_line; /* of the statement */
};

struct gcc_reading {
    struct remarks *remarks;
    struct json json;
    struct short_text version;
    enum value_of of[MOST_NESTED + 1]; /* what each open value is */
    struct scope *scopes;              /* of MOST_SCOPES */
    unsigned scope_count;
    struct analysis loop;
};

static void forget(struct gcc_reading *reading)
{
    struct analysis *loop = &reading->loop;
    loop->has_failed = false;
    loop->blamed_line = loop->final_line = 0;
    short_text_clear(&loop->function);
    short_text_clear(&loop->detail);
    short_text_clear(&loop->first);
    short_text_clear(&loop->last);
    short_text_clear(&loop->final);
}

/* The words that say why, and the line of the statement that they are about. */
static const char *choose(const struct analysis *loop, uint32_t *line)
{
    bool is_final = loop->final.size && (!loop->first.size || !strcmp(loop->first.bytes, loop->last.bytes));
    *line = is_final ? loop->final_line : loop->blamed_line;
    return is_final ? loop->final.bytes : loop->detail.size ? loop->detail.bytes : loop->first.bytes;
}

static bool conclude(struct gcc_reading *reading, const struct scope *scope, enum remark_verdict verdict)
{
    char compiler[64];
    struct remark_words words = {.verdict = verdict,
                                 .compiler = compiler,
                                 .function = scope->function.bytes,
                                 .file = scope->file.bytes,
                                 .text = scope->text.bytes,
                                 .line = scope->line,
                                 .column = scope->column};
    snprintf(compiler, sizeof compiler, "GCC%s%.40s", reading->version.size ? " " : "",
             reading->version.bytes);
    if (verdict == remark_verdict_MISSED) {
        words.text = choose(&reading->loop, &words.reason_line);
        words.hint = reading->loop.first.bytes;
    }
    bool done = remarks_add(reading->remarks, &words, reading->json.stream);
    if (verdict != remark_verdict_STATEMENTS)
        forget(reading);
    return done;
}

static void take_failure(struct gcc_reading *reading, const struct scope *scope)
{
    struct analysis *loop = &reading->loop;
    if (reading->scope_count == 1) { /* outside the analysis of a size */
        if (scope->text.size) {
            loop->final = scope->text;
            loop->final_line = scope->line;
        }
    } else if (!scope->text.size) {
        if (!loop->has_failed)
            loop->blamed_line = scope->line;
    } else if (loop->has_failed) {
        loop->last = scope->text;
    } else {
        short_text_clear(&loop->detail);
        if (loop->first.size && !reason_is_noise(loop->first.bytes))
            loop->detail = loop->first;
        loop->first = loop->last = scope->text;
    }
}

/* A remark that is complete: all remarks inside it came before. */
static bool take_remark(struct gcc_reading *reading, const struct scope *scope)
{
    const char *text = scope->text.bytes;
    bool done = true;
    if (strcmp(scope->function.bytes, reading->loop.function.bytes) != 0)
        forget(reading);
    reading->loop.function = scope->function;
    if (scope->is_success && strstr(text, "loop vectorized"))
        done = conclude(reading, scope, remark_verdict_VECTORISED);
    else if (scope->is_success && strstr(text, "part vectorized"))
        done = conclude(reading, scope, remark_verdict_STATEMENTS);
    else if (scope->is_failure && strstr(text, "couldn't vectorize loop"))
        done = conclude(reading, scope, remark_verdict_MISSED);
    else if (scope->is_failure)
        take_failure(reading, scope);
    else if (scope->is_note && !strncmp(text, "***** Analysis", 14) && strstr(text, "failed"))
        reading->loop.has_failed = true;
    if (strstr(text, "Analyzing loop at"))
        forget(reading);
    return done;
}

static struct scope *innermost(struct gcc_reading *reading)
{
    return reading->scope_count ? &reading->scopes[reading->scope_count - 1] : NULL;
}

static enum value_of member(const struct gcc_reading *reading, const char *name)
{
    static const struct {
        enum value_of of;
        const char *name;
        enum value_of value;
    } members[] = {{of_RECORDS, "kind", of_KIND},           {of_RECORDS, "function", of_FUNCTION},
                   {of_RECORDS, "message", of_MESSAGE},     {of_RECORDS, "location", of_LOCATION},
                   {of_RECORDS, "children", of_CHILDREN},   {of_LOCATION, "file", of_FILE},
                   {of_LOCATION, "line", of_LINE},          {of_LOCATION, "column", of_COLUMN},
                   {of_MESSAGE, "expr", of_MESSAGE},        {of_MESSAGE, "stmt", of_MESSAGE},
                   {of_MESSAGE, "symtab_node", of_MESSAGE}, {of_GENERATOR, "version", of_GENERATOR_VERSION}};
    enum value_of of = reading->of[reading->json.depth];
    for (size_t i = 0; i < sizeof members / sizeof *members; i++)
        if (members[i].of == of && !strcmp(members[i].name, name))
            return members[i].value;
    /* [{"generator": …}, passes, remarks] */
    return reading->json.depth == 2 && !strcmp(name, "generator") ? of_GENERATOR : of_NOTHING;
}

static uint32_t number(const struct json *json)
{
    unsigned long long value = strtoull(json->text.bytes, NULL, 10);
    return value < UINT32_MAX ? (uint32_t)value : 0;
}

static void put(struct short_text *to, const struct short_text *text)
{
    short_text_put(to, text->bytes, text->size);
}

static void take_text(struct gcc_reading *reading, enum value_of of, struct scope *scope)
{
    const struct short_text *text = &reading->json.text;
    if (of == of_KIND) {
        scope->is_failure = !strcmp(text->bytes, "failure");
        scope->is_success = !strcmp(text->bytes, "success");
        scope->is_note = !strcmp(text->bytes, "note");
    }
    if (of == of_FUNCTION)
        put(&scope->function, text);
    if (of == of_FILE)
        put(&scope->file, text);
    if (of == of_MESSAGE)
        put(&scope->text, text);
}

static void take_value(struct gcc_reading *reading, enum value_of of, bool is_text)
{
    struct scope *scope = innermost(reading);
    if (of == of_GENERATOR_VERSION && is_text)
        put(&reading->version, &reading->json.text);
    if (scope && is_text)
        take_text(reading, of, scope);
    if (scope && of == of_LINE && !is_text)
        scope->line = number(&reading->json);
    if (scope && of == of_COLUMN && !is_text)
        scope->column = number(&reading->json);
}

/* What the value that begins is: that of the last name, or an item of the list around it. */
static enum value_of value_begins(struct gcc_reading *reading, enum value_of named, unsigned depth,
                                  unsigned position)
{
    enum value_of around = reading->of[depth];
    if (named != of_NOTHING || !depth)
        return named;
    if (reading->json.is_object[depth - 1])
        return of_NOTHING;
    if (depth == 1)
        return position == 2 ? of_CHILDREN : of_NOTHING;
    if (around == of_CHILDREN)
        return of_RECORDS;
    return around == of_MESSAGE ? of_MESSAGE : of_NOTHING;
}

static bool open_scope(struct gcc_reading *reading)
{
    if (reading->scope_count == MOST_SCOPES)
        return stream_wrong(reading->json.stream, "remarks are nested deeper than in any record of GCC");
    struct scope *scope = &reading->scopes[reading->scope_count++];
    scope->depth = reading->json.depth;
    scope->is_failure = scope->is_success = scope->is_note = false;
    scope->line = scope->column = 0;
    short_text_clear(&scope->function);
    short_text_clear(&scope->file);
    short_text_clear(&scope->text);
    return true;
}

static bool close_scope(struct gcc_reading *reading)
{
    struct scope *scope = innermost(reading);
    if (!scope || scope->depth != reading->json.depth + 1)
        return true;
    bool done = take_remark(reading, scope);
    reading->scope_count--;
    return done;
}

static bool read_all(struct gcc_reading *reading)
{
    struct json *json = &reading->json;
    enum value_of named = of_NOTHING;
    unsigned position = 0; /* in the outermost list */
    for (;;) {
        unsigned depth = json->depth;
        enum json_token token = json_next(json);
        enum value_of of = value_begins(reading, named, depth, position);
        if (token == json_WRONG || token == json_END)
            return token == json_END;
        if (token == json_NAME) {
            named = member(reading, json->text.bytes);
            continue;
        }
        named = of_NOTHING;
        if (depth == 1 && token != json_OBJECT_END && token != json_ARRAY_END)
            position++;
        if (!depth && token != json_ARRAY)
            return stream_wrong(json->stream, "this is JSON, but not a record of GCC's optimisations");
        if (token == json_OBJECT || token == json_ARRAY) {
            reading->of[json->depth] = of;
            if (of == of_RECORDS && token == json_OBJECT && !open_scope(reading))
                return false;
        } else if (token == json_OBJECT_END) {
            if (!close_scope(reading))
                return false;
        } else if (token != json_ARRAY_END) {
            take_value(reading, of, token == json_TEXT);
        }
    }
}

bool gcc_read(struct remarks *remarks, struct stream *stream)
{
    struct gcc_reading *reading = memory_get(sizeof *reading);
    reading->remarks = remarks;
    reading->scopes = memory_get(MOST_SCOPES * sizeof *reading->scopes);
    json_begin(&reading->json, stream);
    bool done = read_all(reading) && !stream->failed;
    free(reading->scopes);
    free(reading);
    return done;
}
