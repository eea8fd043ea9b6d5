/* The names of compilers: texts in .comment, and whole command lines in .GCC.command.line if the compiler
   recorded them (-frecord-gcc-switches, -frecord-command-line).

   The linker merges the texts of all object files, including the C library's start-up code, so a text cannot
   be assigned to a function.  Old versions of GCC recorded option by option; options without a compiler's
   name before them are left out. */
#include "code/read/elf/elf.h"

#include <string.h>

enum { MOST_COMPILERS = 32, LONGEST_COMPILER = 4096 };

struct texts {
    struct span of[MOST_COMPILERS];
    unsigned count;
    size_t size; /* bytes of all texts, with separators */
};

static void add_text(struct texts *texts, struct span text)
{
    if (texts->count == MOST_COMPILERS || text.data[0] == '-')
        return;
    if (text.size > LONGEST_COMPILER)
        text.size = LONGEST_COMPILER;
    for (unsigned i = 0; i < texts->count; i++)
        if (texts->of[i].size == text.size && !memcmp(texts->of[i].data, text.data, text.size))
            return;
    texts->of[texts->count++] = text;
    texts->size += text.size + 2;
}

static void take_section(const struct elf *elf, const char *name, struct texts *texts)
{
    const struct elf_section *section = elf_section_named(elf, name);
    struct span left = section ? section->contents : (struct span){0};
    while (left.size) {
        size_t length = strnlen((const char *)left.data, left.size);
        if (length)
            add_text(texts, (struct span){left.data, length});
        size_t used = length < left.size ? length + 1 : length;
        left = (struct span){left.data + used, left.size - used};
    }
}

void elf_read_compilers(struct elf *elf)
{
    struct texts texts = {0};
    take_section(elf, ".comment", &texts);
    take_section(elf, ".GCC.command.line", &texts);
    if (!texts.count)
        return;
    struct arena arena = {0};
    char *joined = arena_get(&arena, texts.size + 1), *at = joined;
    for (unsigned i = 0; i < texts.count; i++) {
        if (i) {
            memcpy(at, "; ", 2);
            at += 2;
        }
        memcpy(at, texts.of[i].data, texts.of[i].size);
        at += texts.of[i].size;
    }
    model_program(elf->model, elf->program)->compiler = elf_name(elf, joined);
    arena_free(&arena);
}
