/* The readers against objdump, on programs and libraries of this machine.  Differences that are meant:
   objdump draws fwait to the x87 instruction after it; it names pushfq and popfq without their width, string
   instructions without theirs, comparisons after their predicate, mov with a 64-bit constant movabs, and the
   two-byte nop xchg. */
#ifndef TESTS_UNIT_X86_OBJDUMP_H
#define TESTS_UNIT_X86_OBJDUMP_H
#include "able.h"

static const char *const prefix_words[] = {
    "lock", "rep", "repz", "repnz", "bnd", "notrack", "data16",   "addr32",
    "cs",   "ds",  "es",   "fs",    "gs",  "ss",      "xacquire", "xrelease",
};

static bool is_prefix_word(const char *word)
{
    if (!strncmp(word, "rex", 3))
        return true;
    for (size_t i = 0; i < sizeof prefix_words / sizeof *prefix_words; i++)
        if (!strcmp(word, prefix_words[i]))
            return true;
    return false;
}

static bool ends_with(const char *text, const char *end)
{
    size_t length = strlen(text), end_length = strlen(end);
    return length >= end_length && !strcmp(text + length - end_length, end);
}

static bool is_same_name(const char *ours, const char *theirs)
{
    static const char *const strings[] = {"movs", "stos", "lods", "scas", "cmps", "ins", "outs"};
    static const char *const predicates[] = {"cmp", "vcmp", "vpcmpu", "vpcmp"};
    static const char *const pairs[][2] = {
        {"mov", "movabs"},   {"nop", "xchg"},   {"pushfq", "pushf"}, {"popfq", "popf"},
        {"pushfd", "pushf"}, {"popfd", "popf"}, {"iretd", "iret"},   {"pushad", "pusha"},
        {"popad", "popa"},   {"ud1", "ud1q"},   {"int1", "icebp"},
    };
    if (!strcmp(ours, theirs))
        return true;
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        if (!strcmp(ours, pairs[i][0]) && !strcmp(theirs, pairs[i][1]))
            return true;
    for (size_t i = 0; i < sizeof strings / sizeof *strings; i++)
        if (!strcmp(theirs, strings[i]))
            return !strncmp(ours, theirs, strlen(theirs)) && strlen(ours) == strlen(theirs) + 1;
    for (size_t i = 0; i < sizeof predicates / sizeof *predicates; i++) {
        size_t length = strlen(predicates[i]);
        if (!strncmp(ours, predicates[i], length) &&
            !strncmp(theirs, predicates[i], strcspn(predicates[i], "u")) && ends_with(theirs, ours + length))
            return true;
    }
    return ends_with(ours, "clmulqdq") && ends_with(theirs, "qdq") && strstr(theirs, "clmul");
}

struct objdump_line {
    uint8_t bytes[KEY_BYTES];
    size_t size;
    char name[32];
};

/* "  401000:\tf3 0f 1e fa          \tendbr64" */
static bool parse_line(const char *line, struct objdump_line *into)
{
    const char *at = strchr(line, '\t');
    if (!at || at == line || at[-1] != ':')
        return false;
    into->size = 0;
    for (at++; *at != '\t' && *at != '\n' && *at; at++) {
        char *end;
        unsigned long value = strtoul(at, &end, 16);
        if (end == at || *end != ' ' || into->size == KEY_BYTES)
            return false;
        into->bytes[into->size++] = (uint8_t)value;
        at = end + strspn(end, " ") - 1;
    }
    for (; *at == '\t' || *at == ' ';) {
        at += strspn(at, "\t ");
        size_t length = strcspn(at, " \n");
        if (!length || length >= sizeof into->name)
            return false;
        memcpy(into->name, at, length);
        into->name[length] = 0;
        if (!is_prefix_word(into->name))
            return into->name[0] != '(' && !strstr(at, "(bad)");
        at += length;
    }
    return false; /* nothing but prefixes: data */
}

/* Whether the readers see the same instruction. */
static bool agrees(const struct isa_reader *reader, const struct objdump_line *line,
                   struct description *description)
{
    const uint8_t *bytes = line->bytes;
    size_t size = line->size;
    struct step step;
    if (bytes[0] == 0x9b && size > 1) { /* fwait first */
        if (!reader->step(bytes, size, 0, &step) || step.key.size != 1)
            return false;
        bytes++;
        size--;
    }
    if (!reader->step(bytes, size, 0, &step) || step.key.size != size)
        return false;
    reader->describe(reader, &step.key, description);
    if (bytes != line->bytes && line->name[0] == 'f' && description->name[1] == 'n')
        return !strcmp(line->name + 1, description->name + 2);
    return is_same_name(description->name, line->name);
}

static unsigned long compare_with_objdump(const char *path, unsigned long *differences)
{
    char command[256];
    snprintf(command, sizeof command, "objdump -d -w -M intel %s 2>/dev/null", path);
    FILE *pipe = popen(command, "r");
    if (!pipe)
        return 0;
    const struct isa_reader *reader = NULL;
    char line[1024];
    unsigned long compared = 0;
    while (fgets(line, sizeof line, pipe)) {
        struct objdump_line parsed;
        struct description description = {0};
        if (strstr(line, "file format"))
            reader = strstr(line, "elf64-x86-64") ? &x86_64_reader
                     : strstr(line, "elf32-i386") ? &i386_reader
                                                  : NULL;
        if (!reader || !parse_line(line, &parsed))
            continue;
        compared++;
        if (agrees(reader, &parsed, &description))
            continue;
        if (++*differences <= 10)
            print_error("%s: %s  here: %s\n", path, line, description.text);
    }
    pclose(pipe);
    return compared;
}

static void boundaries_as_objdump_has_them(void **state)
{
    (void)state;
    static const char *const files[] = {"/bin/bash", "/lib/x86_64-linux-gnu/libm.so.6",
                                        "/usr/x86_64-linux-gnu/lib/libm.so.6", "/usr/bin/mawk",
                                        "/usr/lib32/libm.so.6"};
    unsigned long compared = 0, differences = 0;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        if (!access(files[i], R_OK))
            compared += compare_with_objdump(files[i], &differences);
    if (!compared)
        lacking("there are no objdump and libraries of x86-64");
    assert_int_equal(differences, 0);
}
#endif
