/* What a compiler at run time wrote about its code is read: as a jitdump file where the first byte is odd, else as a map.
   Functions that are kept have samples and do not overlap, and their ELF file has as many sections of code. */
#include "fuzz/harness.h"

#include "run/sample/jit/parts.h"

#include <string.h>

static void check(const struct jit_codes *codes)
{
    for (size_t i = 0; i < codes->codes.count; i++) {
        const struct jit_code *code = ARRAY_AT(struct jit_code, &codes->codes, i);
        if (!jit_is_wanted(codes, code->address, code->size))
            harness_wrong("a function without samples", "jit_codes_settle");
        if (i && code->address - code[-1].address < code[-1].size)
            harness_wrong("a function over another one", "jit_codes_settle");
        for (size_t k = 0; k < code->lines.count; k++) {
            const struct jit_line *line = ARRAY_AT(struct jit_line, &code->lines, k);
            if (line->file >= codes->files.count || line->address - code->address >= code->size)
                harness_wrong("a line of nothing", "jit_dump_read");
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const uint64_t wanted[] = {0x10004, 0x20001, 0x2000a, 0x3001f};
    if (size < 2)
        return 0;
    struct jit_codes codes;
    FILE *file = fmemopen((void *)(uintptr_t)(data + 1), size - 1, "r");
    jit_codes_begin(&codes, wanted, sizeof wanted / sizeof *wanted);
    if (file && *data & 1)
        jit_dump_read(&codes, file);
    else if (file)
        jit_map_read(&codes, file);
    if (file)
        fclose(file);
    jit_codes_settle(&codes);
    check(&codes);
    struct array image = jit_image_make(&codes);
    array_free(&image);
    jit_codes_free(&codes);
    return 0;
}
