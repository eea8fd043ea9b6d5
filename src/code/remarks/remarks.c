/* What is kept of all records; and a record, of whichever compiler. */
#include "code/remarks/parts.h"

#include <stdlib.h>

void remarks_begin(struct remarks *remarks)
{
    *remarks = (struct remarks){
        .entries = ARRAY_OF(struct remark_entry), .records = ARRAY_OF(char *), .refused = ARRAY_OF(char *)};
}

void remarks_free(struct remarks *remarks)
{
    strings_free(&remarks->strings);
    array_free(&remarks->entries);
    array_free_texts(&remarks->records);
    array_free_texts(&remarks->refused);
    remarks_begin(remarks);
}

void remarks_refuse(struct remarks *remarks, const char *text)
{
    *(char **)array_push(&remarks->refused) = memory_copy_text(text, strlen(text));
}

static size_t length_of(const char *text)
{
    return text ? strlen(text) : 0;
}

bool remarks_add(struct remarks *remarks, const struct remark_words *words, struct stream *stream)
{
    struct strings *strings = &remarks->strings;
    if (!*words->function || !*words->file || !words->line)
        return true;
    remarks->words += length_of(words->function) + length_of(words->file) + length_of(words->text);
    if (remarks->entries.count == MOST_REMARKS || remarks->words > MOST_WORDS)
        return stream_wrong(stream,
                            "there are more remarks about loops than Assay keeps; name fewer records");
    struct remark_entry *entry = array_add(&remarks->entries);
    *entry =
        (struct remark_entry){.verdict = (uint8_t)words->verdict,
                              .compiler = strings_add(strings, words->compiler),
                              .text = reason_text(strings, words->text),
                              .name = words->name && *words->name ? strings_add(strings, words->name) : 0,
                              .function = strings_add(strings, words->function),
                              .file = strings_add(strings, words->file),
                              .record = strings_add(strings, stream->path),
                              .line = words->line,
                              .column = words->column};
    if (words->verdict != remark_verdict_MISSED)
        return true;
    entry->reason = (uint8_t)reason_of(words->text);
    if (entry->reason == remark_reason_OTHER && words->hint)
        entry->reason = (uint8_t)reason_of(words->hint);
    entry->reason_line = words->reason_line != words->line ? words->reason_line : 0;
    return true;
}

static bool read_stream(struct remarks *remarks, struct stream *stream)
{
    int first;
    while ((first = stream_peek(stream)) == ' ' || first == '\n' || first == '\r' || first == '\t')
        stream_next(stream);
    if (stream->failed)
        return false;
    if (first == '[')
        return gcc_read(remarks, stream);
    if (first == '-')
        return llvm_read(remarks, stream);
    return stream_wrong(stream,
                        first == STREAM_END
                            ? "the record is empty"
                            : "this is no record of optimisations: GCC's begins with [, LLVM's with --- "
                              "(Assay does not read LLVM's bitstream; leave out =bitstream)");
}

/* What a record that turns out to be damaged has said is forgotten: half of it is no answer. */
static bool take(struct remarks *remarks, struct stream *stream)
{
    size_t count = remarks->entries.count;
    bool done = read_stream(remarks, stream);
    if (!done)
        remarks->entries.count = count;
    else
        *(char **)array_push(&remarks->records) = memory_copy_text(stream->path, strlen(stream->path));
    return done;
}

bool remarks_read_bytes(struct remarks *remarks, const char *path, struct span bytes, struct error *error)
{
    struct stream *stream = memory_get(sizeof *stream);
    stream_open_bytes(stream, path, bytes, error);
    bool done = !stream->failed && take(remarks, stream);
    stream_close(stream);
    free(stream);
    return done;
}

bool remarks_read_file(struct remarks *remarks, const char *path, struct error *error)
{
    struct stream *stream = memory_get(sizeof *stream);
    uint64_t left = remarks->most > remarks->read ? remarks->most - remarks->read : 1;
    bool done = stream_open(stream, path, remarks->most ? left : 0, error) && take(remarks, stream);
    remarks->read += stream->unpacked;
    stream_close(stream);
    free(stream);
    return done;
}
