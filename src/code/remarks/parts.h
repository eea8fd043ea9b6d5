/* What the files of this room share. */
#ifndef CODE_REMARKS_PARTS_H
#define CODE_REMARKS_PARTS_H
#include "code/remarks/remarks.h"
#include "code/remarks/stream.h"

/* Most of what a record may hold; what is longer is an error or, for texts, cut. */
enum {
    MOST_TEXT = 4096,       /* bytes of a text, a name or a line */
    MOST_NESTED = 256,      /* values of JSON in each other */
    MOST_SCOPES = 64,       /* remarks of GCC in each other */
    MOST_REMARKS = 1 << 20, /* of all records together */
    MOST_WORDS = 256 << 20, /* bytes of their texts */
    MOST_RECORDS = 10000,   /* files in a folder */
    MOST_FOLDERS = 20000,   /* below a folder */
    MOST_FOLDERS_NESTED = 32,
};

/* A text that grows up to its limit. */
struct short_text {
    char bytes[MOST_TEXT];
    size_t size;
};
static inline void short_text_put(struct short_text *text, const char *bytes, size_t size)
{
    size_t left = sizeof text->bytes - 1 - text->size;
    size = size < left ? size : left;
    memcpy(text->bytes + text->size, bytes, size);
    text->bytes[text->size += size] = 0;
}
static inline void short_text_clear(struct short_text *text)
{
    text->bytes[text->size = 0] = 0;
}

/* A remark as its reader found it; texts may be empty. */
struct remark_words {
    enum remark_verdict verdict;
    const char *compiler, *function, *file;
    const char *text; /* why not, or what was done */
    const char *hint; /* words that tell the kind of reason where `text` does not; may be NULL */
    const char *name; /* LLVM's; may be NULL */
    uint32_t line, column, reason_line;
};

/* gcc.c, llvm.c: a record of this compiler's, from its first byte on; the stream has the error. */
bool gcc_read(struct remarks *remarks, struct stream *stream);
bool llvm_read(struct remarks *remarks, struct stream *stream);

/* reasons.c: what kind of reason a compiler's words are; OTHER for words that are not known. */
enum remark_reason reason_of(const char *text);
/* Whether GCC says them about every loop, vectorised or not: no reason. */
bool reason_is_noise(const char *text);
/* The words without "not vectorized:" in front, without what is on further lines and without a full stop;
   0: nothing is left. */
string_id reason_text(struct strings *strings, const char *text);

/* remarks.c: why something is left out. */
void remarks_refuse(struct remarks *remarks, const char *text);
/* remarks.c: a file that is a record. */
bool remarks_read_file(struct remarks *remarks, const char *path, struct error *error);
/* remarks.c: keeps one that has a function and a place, unless there are too many. */
bool remarks_add(struct remarks *remarks, const struct remark_words *words, struct stream *stream);
#endif
