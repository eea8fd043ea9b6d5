/* What the readers of jitdump files and maps, and the writer of the ELF file share. */
#ifndef RUN_SAMPLE_JIT_PARTS_H
#define RUN_SAMPLE_JIT_PARTS_H
#include "base/memory.h"

#include <stdbool.h>
#include <stdio.h>

enum {
    JIT_MOST_CODES = 20000,     /* functions that are kept */
    JIT_LARGEST_CODE = 1 << 24, /* bytes of one */
    JIT_MOST_BYTES = 1 << 28,   /* of all */
    JIT_LONGEST_NAME = 4096,    /* characters of a name or path; longer ones are cut */
    JIT_MOST_LINES = 1 << 20    /* of all functions */
};

struct jit_line {
    uint64_t address;
    uint32_t line;
    uint32_t file; /* place in files */
};
struct jit_code {
    uint64_t address, size;
    char *name;
    uint8_t *bytes;     /* NULL: not known */
    struct array lines; /* of struct jit_line */
    bool is_reused;     /* other code with samples was here, too */
};
struct jit_codes {
    const uint64_t *wanted; /* addresses with samples, sorted */
    size_t wanted_count;
    uint16_t machine;   /* of ELF */
    struct array codes; /* of struct jit_code */
    struct array files; /* of char *: sources */
    uint64_t bytes, lines;
    bool was_cut; /* the file makes no sense from some point on, or has too much */
};
void jit_codes_begin(struct jit_codes *codes, const uint64_t *wanted, size_t count);
void jit_codes_free(struct jit_codes *codes);
/* Whether samples stand in these addresses. */
bool jit_is_wanted(const struct jit_codes *codes, uint64_t address, uint64_t size);
/* In the order of files; text need not end with 0. */
struct jit_code *jit_codes_add(struct jit_codes *codes, uint64_t address, uint64_t size, const char *name,
                               size_t length);
/* By address, none over another: of two at one place the later one is kept. */
void jit_codes_settle(struct jit_codes *codes);
/* NULL: none. */
const struct jit_code *jit_codes_at(const struct jit_codes *codes, uint64_t address);

/* dump.c: false: it is no jitdump of this byte order. */
bool jit_dump_read(struct jit_codes *codes, FILE *file);
/* map.c */
void jit_map_read(struct jit_codes *codes, FILE *file);
/* image.c: an ELF file, of the codes with bytes; its lines as DWARF (lines.c). */
struct array jit_image_make(const struct jit_codes *codes);
void jit_lines_make(const struct jit_codes *codes, struct array *abbreviations, struct array *info,
                    struct array *lines);
/* Of arrays of uint8_t. */
void jit_put(struct array *bytes, const void *data, size_t size);
void jit_put_number(struct array *bytes, uint64_t number, unsigned size);
#endif
