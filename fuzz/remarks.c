/* Bytes as a record of GCC's or LLVM's, plain or packed: refused with a reason that names the file, or remarks
   that each have a function, a file, a line and a reason if the loop was not vectorised, and that can be placed
   in a program without loops. */
#include "fuzz/harness.h"

#include "code/remarks/remarks.h"

#include <string.h>

static void check_entry(const struct remarks *remarks, const struct remark_entry *entry)
{
    const struct strings *strings = &remarks->strings;
    if (!entry->line || !entry->function || !entry->file || !entry->compiler || !entry->record)
        harness_wrong("a remark without its place", "");
    if ((entry->verdict == remark_verdict_MISSED) != (entry->reason != remark_reason_NONE))
        harness_wrong("a reason for what was done, or none for what was not", "");
    if (entry->reason_line == entry->line)
        harness_wrong("a reason about the whole loop that names its line",
                      strings_text(strings, entry->file));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct error error = {0};
    struct remarks remarks;
    struct model model;
    struct array loops = ARRAY_OF(uint32_t);
    remarks_begin(&remarks);
    model_init(&model);
    if (!remarks_read_bytes(&remarks, "record", (struct span){data, size}, &error)) {
        if (!error.set || strncmp(error.text, "record:", 7))
            harness_wrong("an error without its file", error.text);
        if (remarks.entries.count)
            harness_wrong("half of a record", error.text);
    }
    for (size_t i = 0; i < remarks.entries.count; i++)
        check_entry(&remarks, ARRAY_AT(struct remark_entry, &remarks.entries, i));
    remarks_place(&remarks, &model, &loops);
    if (model.remarks.count != remarks.entries.count + 1)
        harness_wrong("a remark that is not in the table", "");
    remarks_free(&remarks);
    model_free(&model);
    return 0;
}
