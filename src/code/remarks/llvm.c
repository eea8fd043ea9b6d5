/* A record of LLVM's: documents of YAML, one for each remark.

       --- !Missed
       Pass:            loop-vectorize
       Name:            MissedDetails
       DebugLoc:        { File: a.c, Line: 11, Column: 5 }
       Function:        sum
       Args:
         - String:          loop not vectorized
       ...

   Only this form is read, line by line: keys at the left, places in braces that may go on on further lines,
   arguments whose values make the text, as plain or quoted scalars or as a block after `|`. The reason of a
   verdict is the first remark about its loop before it (Analysis…), whose place is a statement or the loop. */
#include "code/remarks/parts.h"

#include <ctype.h>
#include <stdlib.h>

enum part { part_NONE, part_PLACE, part_ARGUMENTS, part_BLOCK };

struct document {
    bool is_open;
    struct short_text kind, pass, name, function, file, text;
    uint32_t line, column;
};

struct llvm_reading {
    struct remarks *remarks;
    struct stream *stream;
    struct short_text here; /* the line */
    struct document document;
    struct document reason;  /* is_open: said since the last verdict */
    struct short_text place; /* braces whose end was not seen yet */
    enum part part;
    size_t block; /* where the `-` of the argument with a block stands */
};

/* The next line, cut where it is too long; false at the end. */
static bool next_line(struct llvm_reading *reading)
{
    int byte = stream_next(reading->stream);
    short_text_clear(&reading->here);
    if (byte == STREAM_END)
        return false;
    for (; byte != STREAM_END && byte != '\n'; byte = stream_next(reading->stream)) {
        char character = byte && byte != '\r' ? (char)byte : ' ';
        short_text_put(&reading->here, &character, 1);
    }
    while (reading->here.size && reading->here.bytes[reading->here.size - 1] == ' ')
        reading->here.bytes[--reading->here.size] = 0;
    return true;
}

static bool is_verdict_pass(const struct document *document)
{
    return !strcmp(document->pass.bytes, "loop-vectorize") || !strcmp(document->pass.bytes, "slp-vectorizer");
}

static unsigned hex(const char *digits)
{
    unsigned value = 0;
    for (int i = 0; i < 2 && isxdigit((unsigned char)digits[i]); i++)
        value = value * 16 +
                (unsigned)(isdigit((unsigned char)digits[i]) ? digits[i] - '0' : (digits[i] | 32) - 'a' + 10);
    return value;
}

/* A scalar from *at on, which ends at one of these characters unless it is quoted; *at goes past it. */
static void scalar(const char **at, const char *ends, struct short_text *to)
{
    const char *from = *at;
    char quote = *from == '\'' || *from == '"' ? *from++ : 0;
    for (; *from && (quote || !strchr(ends, *from)); from++) {
        char character = *from;
        if (character == quote && quote == '\'' && from[1] == quote) {
            from++;
        } else if (character == quote && quote) {
            from++;
            break;
        } else if (character == '\\' && quote == '"' && from[1]) {
            character = *++from == 'n' ? '\n' : *from == 't' ? ' ' : *from;
            if (*from == 'x') {
                character = (char)hex(from + 1);
                from += isxdigit((unsigned char)from[1]) ? 1 + (isxdigit((unsigned char)from[2]) != 0) : 0;
            }
            character = character ? character : ' ';
        }
        short_text_put(to, &character, 1);
    }
    *at = from;
}

static uint32_t number(const char *text)
{
    unsigned long long value = strtoull(text, NULL, 10);
    return value < UINT32_MAX ? (uint32_t)value : 0;
}

/* "{ File: a.c, Line: 11, Column: 5 }" */
static void take_place(struct llvm_reading *reading)
{
    struct document *document = &reading->document;
    const char *at = reading->place.bytes;
    while (*at) {
        struct short_text key = {.size = 0}, value = {.size = 0};
        at += strspn(at, "{, ");
        if (*at == '}')
            break;
        scalar(&at, ":,}", &key);
        at += strspn(at, ": ");
        scalar(&at, ",}", &value);
        if (!strcmp(key.bytes, "File"))
            document->file = value;
        else if (!strcmp(key.bytes, "Line"))
            document->line = number(value.bytes);
        else if (!strcmp(key.bytes, "Column"))
            document->column = number(value.bytes);
        at += strcspn(at, ",}");
    }
}

static void more_place(struct llvm_reading *reading, const char *text)
{
    short_text_put(&reading->place, text, strlen(text));
    short_text_put(&reading->place, " ", 1);
    reading->part = strchr(text, '}') ? part_NONE : part_PLACE;
    if (reading->part == part_NONE)
        take_place(reading);
}

static bool take_key(struct llvm_reading *reading)
{
    struct document *document = &reading->document;
    const char *line = reading->here.bytes, *colon = strchr(line, ':');
    if (!colon)
        return stream_wrong(reading->stream, "this is not a remark of LLVM's: a key with a colon is missing");
    const char *value = colon + 1 + strspn(colon + 1, " ");
    size_t length = (size_t)(colon - line);
    static const char *const keys[] = {"Pass", "Name", "Function"};
    struct short_text *const to[] = {&document->pass, &document->name, &document->function};
    reading->part = part_NONE;
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (length == strlen(keys[i]) && !strncmp(line, keys[i], length)) {
            short_text_clear(to[i]);
            scalar(&value, "", to[i]);
        }
    if (length == strlen("DebugLoc") && !strncmp(line, "DebugLoc", length)) {
        short_text_clear(&reading->place);
        more_place(reading, value);
    } else if (length == strlen("Args") && !strncmp(line, "Args", length)) {
        reading->part = part_ARGUMENTS;
    }
    return true;
}

/* "  - String:  'text'": the values, one after the other, are the text. */
static void take_argument(struct llvm_reading *reading, size_t indent)
{
    const char *line = reading->here.bytes + indent;
    const char *colon = *line == '-' ? strchr(line, ':') : NULL;
    if (!colon)
        return; /* the place of an argument */
    const char *value = colon + 1 + strspn(colon + 1, " ");
    if (*value == '|' || *value == '>') {
        reading->part = part_BLOCK;
        reading->block = indent;
        return;
    }
    scalar(&value, "", &reading->document.text);
}

static bool take_line(struct llvm_reading *reading)
{
    size_t indent = strspn(reading->here.bytes, " ");
    if (reading->part == part_PLACE) {
        more_place(reading, reading->here.bytes + indent);
        return true;
    }
    if (reading->part == part_BLOCK && (!reading->here.size || indent > reading->block + 2)) {
        short_text_put(&reading->document.text, reading->here.bytes + indent, reading->here.size - indent);
        short_text_put(&reading->document.text, "\n", 1);
        return true;
    }
    if (reading->part == part_BLOCK)
        reading->part = part_ARGUMENTS;
    if (!reading->here.size || reading->here.bytes[indent] == '#')
        return true;
    if (!indent && *reading->here.bytes != '-')
        return take_key(reading);
    if (reading->part == part_ARGUMENTS)
        take_argument(reading, indent);
    return true;
}

static bool add(struct llvm_reading *reading, enum remark_verdict verdict, const struct document *why)
{
    const struct document *document = &reading->document;
    struct remark_words words = {.verdict = verdict,
                                 .compiler = "LLVM",
                                 .function = document->function.bytes,
                                 .file = document->file.bytes,
                                 .text = why->text.bytes,
                                 .name = why->name.bytes,
                                 .line = document->line,
                                 .column = document->column};
    if (!strcmp(why->file.bytes, document->file.bytes))
        words.reason_line = why->line;
    reading->reason.is_open = false;
    return remarks_add(reading->remarks, &words, reading->stream);
}

static bool starts(const struct short_text *text, const char *start)
{
    return !strncmp(text->bytes, start, strlen(start));
}

static bool take_document(struct llvm_reading *reading)
{
    struct document *document = &reading->document;
    bool is_loop = !strcmp(document->pass.bytes, "loop-vectorize");
    if (!is_verdict_pass(document) || !document->file.size || starts(&document->name, "Interleaving"))
        return true;
    if (reading->reason.is_open && strcmp(reading->reason.function.bytes, document->function.bytes) != 0)
        reading->reason.is_open = false;
    if (!is_loop)
        return !starts(&document->kind, "Passed") || add(reading, remark_verdict_STATEMENTS, document);
    const struct document *why = reading->reason.is_open ? &reading->reason : document;
    if (starts(&document->kind, "Passed"))
        return strcmp(document->name.bytes, "Vectorized") != 0
                   ? add(reading, remark_verdict_MISSED, why)
                   : add(reading, remark_verdict_VECTORISED, document);
    if (starts(&document->kind, "Missed") || starts(&document->kind, "Failure"))
        return add(reading, remark_verdict_MISSED, starts(&document->name, "MissedDetails") ? why : document);
    if (starts(&document->kind, "Analysis") && !reading->reason.is_open) {
        reading->reason = *document;
        reading->reason.is_open = true;
    }
    return true;
}

static void begin(struct llvm_reading *reading)
{
    struct document *document = &reading->document;
    struct short_text *const texts[] = {&document->kind,     &document->pass, &document->name,
                                        &document->function, &document->file, &document->text};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        short_text_clear(texts[i]);
    document->line = document->column = 0;
    document->is_open = true;
    reading->part = part_NONE;
    const char *tag = strchr(reading->here.bytes, '!');
    if (tag)
        short_text_put(&document->kind, tag + 1, strlen(tag + 1));
}

static bool read_all(struct llvm_reading *reading)
{
    struct document *document = &reading->document;
    while (next_line(reading)) {
        bool begins = starts(&reading->here, "---"), ends = !strcmp(reading->here.bytes, "...");
        if ((begins || ends) && document->is_open) {
            document->is_open = false;
            if (!take_document(reading))
                return false;
        }
        if (begins)
            begin(reading);
        else if (document->is_open && !take_line(reading))
            return false;
        else if (!document->is_open && !ends && reading->here.size)
            return stream_wrong(reading->stream, "this is not a remark of LLVM's: it must begin with ---");
    }
    if (document->is_open)
        return stream_wrong(reading->stream, "the record ends inside a remark: it is cut off");
    return !reading->stream->failed;
}

bool llvm_read(struct remarks *remarks, struct stream *stream)
{
    struct llvm_reading *reading = memory_get(sizeof *reading);
    reading->remarks = remarks;
    reading->stream = stream;
    bool done = read_all(reading);
    free(reading);
    return done;
}
