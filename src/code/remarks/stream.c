/* Packed and plain files look alike from here on. A packed one that ends early is an error and not the end:
   a compiler that was killed leaves one, and half of its remarks would pass for all of them. A packed file of
   a few kilobytes can hold anything, so there is a limit to what comes out of it. */
#include "code/remarks/stream.h"

#include "base/output.h"
#include "base/regular_file.h"

#include <unistd.h>

static const uint64_t most_unpacked = (uint64_t)4 << 30;

/* More bytes of the file; how many, 0 at its end. */
static size_t take(struct stream *stream, uint8_t *to, size_t size)
{
    if (stream->file < 0) {
        size = size < stream->memory.size ? size : stream->memory.size;
        if (size)
            memcpy(to, stream->memory.data, size);
        stream->memory.data += size;
        stream->memory.size -= size;
        return size;
    }
    int64_t count = regular_file_read(stream->file, to, size);
    if (count < 0) {
        error_set_errno(stream->error, stream->path, "cannot read it");
        stream->failed = true;
    }
    return count > 0 ? (size_t)count : 0;
}

static bool fail(struct stream *stream, const char *what)
{
    stream->failed = true;
    return error_set(stream->error, stream->path, "%s", what);
}

/* One step of zlib; false at the end and where the data is damaged. */
static bool unpack(struct stream *stream)
{
    z_stream *packed = &stream->packed;
    packed->next_out = stream->text;
    packed->avail_out = sizeof stream->text;
    while (packed->avail_out == sizeof stream->text) {
        if (!packed->avail_in) {
            packed->avail_in = (uInt)take(stream, stream->raw, sizeof stream->raw);
            packed->next_in = stream->raw;
        }
        if (!packed->avail_in) {
            if (!stream->failed && stream->has_member)
                fail(stream, "the packed record is cut off; compile the file again");
            return false;
        }
        stream->has_member = true;
        int code = inflate(packed, Z_NO_FLUSH);
        if (code == Z_STREAM_END) { /* gzip files may stand one after the other */
            stream->has_member = false;
            inflateReset(packed);
        } else if (code != Z_OK) {
            return fail(stream, "the packed record is damaged; compile the file again");
        }
    }
    stream->end = sizeof stream->text - packed->avail_out;
    return true;
}

bool stream_fill(struct stream *stream)
{
    if (stream->failed || stream->is_over)
        return false;
    stream->at = stream->end = 0;
    if (stream->is_packed)
        stream->is_over = !unpack(stream);
    else
        stream->is_over = !(stream->end = take(stream, stream->text, sizeof stream->text));
    stream->unpacked += stream->end;
    if (stream->unpacked > stream->most)
        return fail(stream, stream->most == most_unpacked
                                ? "the record has more than 4 GB of text"
                                : "the record has more text than Assay reads without being asked (--remarks "
                                  "reads it)");
    return !stream->is_over && !stream->failed;
}

/* Looks at the first bytes. */
static void begin(struct stream *stream)
{
    stream->line = 1;
    if (!stream_fill(stream) || stream->end < 2 || stream->text[0] != 0x1f || stream->text[1] != 0x8b)
        return;
    enum { ANY_WINDOW = 15, GZIP_ALONE = 16 };
    memcpy(stream->raw, stream->text, stream->end);
    stream->packed.next_in = stream->raw;
    stream->packed.avail_in = (uInt)stream->end;
    if (inflateInit2(&stream->packed, ANY_WINDOW + GZIP_ALONE) != Z_OK) {
        fail(stream, "zlib cannot begin");
        return;
    }
    stream->is_packed = true;
    stream->unpacked = stream->at = stream->end = 0;
}

bool stream_open(struct stream *stream, const char *path, uint64_t most, struct error *error)
{
    *stream = (struct stream){.path = path, .error = error, .most = most ? most : most_unpacked};
    stream->file = regular_file_open(path, NULL, error);
    if (stream->file < 0)
        return false;
    output_spare_file(stream->file);
    begin(stream);
    return !stream->failed;
}

void stream_open_bytes(struct stream *stream, const char *path, struct span bytes, struct error *error)
{
    *stream =
        (struct stream){.path = path, .error = error, .most = most_unpacked, .file = -1, .memory = bytes};
    begin(stream);
}

void stream_close(struct stream *stream)
{
    if (stream->is_packed)
        inflateEnd(&stream->packed);
    if (stream->file >= 0)
        close(stream->file);
}

bool stream_wrong(struct stream *stream, const char *what)
{
    if (!stream->failed)
        error_set(stream->error, stream->path, "line %llu: %s", (unsigned long long)stream->line, what);
    stream->failed = true;
    return false;
}
