/* The bytes of a file, one after the other, unpacked if it is packed by gzip. */
#ifndef CODE_REMARKS_STREAM_H
#define CODE_REMARKS_STREAM_H
#include "base/error.h"
#include "model/model.h"

#include <string.h>
#include <zlib.h>

enum { STREAM_PIECE = 1 << 16, STREAM_END = -1 };

struct stream {
    const char *path;
    int file;           /* -1: all of it is in memory */
    struct span memory; /* what is left of it */
    z_stream packed;
    bool is_packed, has_member, is_over;
    uint64_t unpacked, most; /* bytes so far, and at most */
    uint64_t line;
    size_t at, end;
    struct error *error;
    bool failed; /* the error is set; there is nothing more */
    uint8_t raw[STREAM_PIECE], text[STREAM_PIECE];
};

/* A regular file with no more bytes than `most` (0: 4 GB), unpacked; memory for messages and for the stream are the
   caller's. */
bool stream_open(struct stream *stream, const char *path, uint64_t most, struct error *error);
void stream_open_bytes(struct stream *stream, const char *path, struct span bytes, struct error *error);
void stream_close(struct stream *stream);
/* Makes the next piece; false at the end or after an error. */
bool stream_fill(struct stream *stream);
/* The next byte without taking it; STREAM_END at the end. */
static inline int stream_peek(struct stream *stream)
{
    return stream->at < stream->end || stream_fill(stream) ? stream->text[stream->at] : STREAM_END;
}
static inline int stream_next(struct stream *stream)
{
    int byte = stream_peek(stream);
    if (byte != STREAM_END) {
        stream->at++;
        stream->line += byte == '\n';
    }
    return byte;
}
/* Sets the error with the line; returns false. */
bool stream_wrong(struct stream *stream, const char *what);
#endif
