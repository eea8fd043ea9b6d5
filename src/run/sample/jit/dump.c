/* Records of a jitdump file, one after the other.  Lines of a function come before it.  A function may move: its bytes
   are those that it was loaded with. */
#include "base/number_map.h"
#include "base/text.h"
#include "run/sample/jit/parts.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

enum {
    MAGIC = 0x4a695444,
    HEAD = 40,
    RECORD = 16,
    LOAD = 0,
    MOVE = 1,
    LINES = 2,
    LOAD_FACTS = 40,
    MOVE_FACTS = 48,
    LINE_FACTS = 16,
    LONGEST_LINES = 1 << 24, /* bytes of the lines of a function */
};

struct record {
    uint32_t kind, size; /* size: with its head */
    long start;
};

struct dump {
    struct jit_codes *codes;
    FILE *file;
    long size;
    struct number_map loads; /* by number of the function: 1 + place of its record */
    struct array starts;     /* of long: offsets of these */
    struct record lines;     /* of the next function; size 0: none */
};

static bool read_at(const struct dump *dump, long offset, void *data, size_t size)
{
    return offset >= 0 && offset <= dump->size && size <= (size_t)(dump->size - offset) &&
           !fseek(dump->file, offset, SEEK_SET) && fread(data, 1, size, dump->file) == size;
}

static uint64_t number_at(const uint8_t *bytes, unsigned offset)
{
    uint64_t number;
    memcpy(&number, bytes + offset, sizeof number);
    return number;
}

/* ---- lines ---- */

static uint32_t file_of(struct jit_codes *codes, const char *name, size_t length)
{
    struct array *files = &codes->files;
    char *copy = memory_copy_text(name, length < JIT_LONGEST_NAME ? length : JIT_LONGEST_NAME);
    for (size_t i = files->count, looks = 0; i-- > 0 && looks < 64; looks++)
        if (!strcmp(*ARRAY_AT(char *, files, i), copy)) {
            free(copy);
            return (uint32_t)i;
        }
    *(char **)array_push(files) = copy;
    return (uint32_t)files->count - 1;
}

/* Text without characters that no path has: compilers have written pieces of their memory. */
static bool is_text(const char *name, size_t length)
{
    uint32_t character;
    for (size_t i = 0; i < length;) {
        unsigned size = text_decode(name + i, length - i, &character);
        if (!size || text_is_harmful(character))
            return false;
        i += size;
    }
    return length > 0;
}

/* V8 names functions "JS:*sum /srv/app.js:1:13", or "… file:///srv/app.js:1:13": the file of one whose lines have none.
   UINT32_MAX: there is none in it. */
static uint32_t file_in_name(struct jit_codes *codes, const char *name)
{
    static const char scheme[] = "file://";
    const char *path = strrchr(name, ' '), *end = NULL;
    path = path ? path + 1 : "";
    path += strncmp(path, scheme, sizeof scheme - 1) ? 0 : sizeof scheme - 1;
    for (const char *colon = strchr(path, ':'); colon && !end; colon = strchr(colon + 1, ':')) {
        size_t line = strspn(colon + 1, "0123456789");
        bool is_place = line && colon[1 + line] == ':' && colon[2 + line] &&
                        !colon[2 + line + strspn(colon + 2 + line, "0123456789")];
        end = is_place ? colon : NULL;
    }
    return *path == '/' && end && is_text(path, (size_t)(end - path))
               ? file_of(codes, path, (size_t)(end - path))
               : UINT32_MAX;
}

/* Some compilers (V8, LLVM) count from where perf inject puts the code into its ELF file, behind a head of 64 bytes.
   Lines of a function begin where it does, so it shows. */
static void settle_lines(struct jit_codes *codes, struct jit_code *code, size_t first)
{
    enum { ELF_HEAD = 64 };
    uint64_t least = UINT64_MAX;
    size_t kept = first;
    for (size_t i = first; i < code->lines.count; i++) {
        const struct jit_line *line = ARRAY_AT(struct jit_line, &code->lines, i);
        least = line->address < least ? line->address : least;
    }
    uint64_t shift =
        least != UINT64_MAX && least >= code->address && least - code->address >= ELF_HEAD ? ELF_HEAD : 0;
    for (size_t i = first; i < code->lines.count; i++) {
        struct jit_line line = *ARRAY_AT(struct jit_line, &code->lines, i);
        line.address -= shift;
        if (line.address >= code->address && line.address - code->address < code->size)
            *ARRAY_AT(struct jit_line, &code->lines, kept++) = line;
    }
    codes->lines += kept - first;
    code->lines.count = kept;
}

/* Two bytes for a name, 0xff and 0, say that it is the one before. */
static void take_lines(struct jit_codes *codes, struct jit_code *code, const uint8_t *bytes, size_t size)
{
    uint64_t count = number_at(bytes, RECORD + 8);
    const uint8_t *at = bytes + RECORD + LINE_FACTS, *end = bytes + size;
    uint32_t file = UINT32_MAX;
    for (; count && (size_t)(end - at) > 16 && codes->lines + code->lines.count < JIT_MOST_LINES; count--) {
        uint64_t address = number_at(at, 0);
        int32_t line;
        memcpy(&line, at + 8, sizeof line);
        at += 16;
        const char *name = (const char *)at;
        const uint8_t *name_end = memchr(at, 0, (size_t)(end - at));
        if (!name_end)
            break;
        size_t length = (size_t)(name_end - at);
        bool is_same = length == 1 && *at == 0xff;
        if (!is_same)
            file = is_text(name, length) ? file_of(codes, name, length) : file_in_name(codes, code->name);
        at = name_end + 1;
        if (line > 0 && file != UINT32_MAX)
            *(struct jit_line *)array_push(&code->lines) = (struct jit_line){address, (uint32_t)line, file};
    }
    settle_lines(codes, code, 0);
}

static void read_lines(struct dump *dump, struct jit_code *code)
{
    size_t size = dump->lines.size;
    if (size < RECORD + LINE_FACTS || size > LONGEST_LINES)
        return;
    autofree uint8_t *bytes = memory_get(size + 1);
    if (read_at(dump, dump->lines.start, bytes, size) && number_at(bytes, RECORD) == code->address)
        take_lines(dump->codes, code, bytes, size);
}

/* ---- functions ---- */

/* A function as it was loaded, at its place or at the one that it moved to (address NULL: its own). */
static bool take_load(struct dump *dump, const struct record *record, const uint64_t *moved)
{
    uint8_t facts[LOAD_FACTS];
    if (record->size < RECORD + LOAD_FACTS || !read_at(dump, record->start + RECORD, facts, sizeof facts))
        return false;
    uint64_t address = moved ? *moved : number_at(facts, 16), size = number_at(facts, 24);
    uint64_t rest = record->size - RECORD - LOAD_FACTS;
    if (size > rest || size > UINT64_MAX - address)
        return false;
    if (!moved) {
        *(long *)array_push(&dump->starts) = record->start;
        *number_map_at(&dump->loads, number_at(facts, 32)) = (uint32_t)dump->starts.count;
    }
    if (!jit_is_wanted(dump->codes, address, size))
        return true;
    if (size > JIT_LARGEST_CODE || dump->codes->bytes + size > JIT_MOST_BYTES) {
        dump->codes->was_cut = true;
        return true;
    }
    char name[JIT_LONGEST_NAME + 1] = "";
    size_t length = rest - size < JIT_LONGEST_NAME ? (size_t)(rest - size) : JIT_LONGEST_NAME;
    struct jit_code *code = read_at(dump, record->start + RECORD + LOAD_FACTS, name, length)
                                ? jit_codes_add(dump->codes, address, size, name, length)
                                : NULL;
    if (!code)
        return true;
    code->bytes = memory_get((size_t)size);
    if (!read_at(dump, record->start + (long)(record->size - size), code->bytes, (size_t)size))
        return false;
    dump->codes->bytes += size;
    if (!moved)
        read_lines(dump, code);
    return true;
}

static bool record_at(const struct dump *dump, long start, struct record *record)
{
    uint8_t head[RECORD];
    if (!read_at(dump, start, head, sizeof head))
        return false;
    memcpy(&record->kind, head, 4);
    memcpy(&record->size, head + 4, 4);
    record->start = start;
    return record->size >= RECORD && record->size <= dump->size - start;
}

static bool take_move(struct dump *dump, const struct record *record)
{
    uint8_t facts[MOVE_FACTS];
    struct record load;
    if (record->size < RECORD + MOVE_FACTS || !read_at(dump, record->start + RECORD, facts, sizeof facts))
        return false;
    uint64_t address = number_at(facts, 24);
    uint32_t place = *number_map_at(&dump->loads, number_at(facts, 40));
    return !place || !record_at(dump, *ARRAY_AT(long, &dump->starts, place - 1), &load) ||
           load.kind != LOAD || take_load(dump, &load, &address);
}

static bool take(struct dump *dump, const struct record *record)
{
    if (record->kind == LINES) {
        dump->lines = *record;
        return true;
    }
    bool is_good = record->kind == LOAD   ? take_load(dump, record, NULL)
                   : record->kind == MOVE ? take_move(dump, record)
                                          : true;
    if (record->kind == LOAD)
        dump->lines.size = 0;
    return is_good;
}

bool jit_dump_read(struct jit_codes *codes, FILE *file)
{
    uint8_t head[HEAD];
    uint32_t magic, head_size, machine;
    struct dump dump = {.codes = codes, .file = file, .starts = ARRAY_OF(long)};
    dump.size = fseek(file, 0, SEEK_END) ? -1 : ftell(file);
    if (dump.size < 0 || !read_at(&dump, 0, head, sizeof head))
        return false;
    memcpy(&magic, head, 4);
    memcpy(&head_size, head + 8, 4);
    memcpy(&machine, head + 12, 4);
    if (magic != MAGIC || head_size < HEAD || head_size > dump.size)
        return false;
    codes->machine = machine == EM_X86_64 || machine == EM_AARCH64 ? (uint16_t)machine : EM_NONE;
    struct record record;
    long at = head_size;
    for (; at < dump.size; at += record.size)
        if (!record_at(&dump, at, &record) || !take(&dump, &record)) {
            codes->was_cut = true;
            break;
        }
    number_map_free(&dump.loads);
    array_free(&dump.starts);
    return true;
}
