/* A damaged codelet is refused, or everything in it can be used.

   A codelet is mostly pages, and its damage small, so the input describes damage to one that is made here
   (harness_damaged). What is accepted must keep its promises: tables in order, contents within the file,
   names that end. */
#include "fuzz/harness.h"

#include "change/optimise/replay/codelet.h"
#include "tests/unit/codelet_example.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static struct span example(void)
{
    struct draft draft;
    struct stat facts;
    make(&draft);
    example_is(!fstat(draft.file, &facts));
    uint8_t *bytes = malloc((size_t)facts.st_size);
    example_is(bytes && pread(draft.file, bytes, (size_t)facts.st_size, 0) == facts.st_size);
    draft_free(&draft);
    return (struct span){bytes, (size_t)facts.st_size};
}

/* A text ends within the file: the sanitizer sees the last byte. */
static void use_text(const struct codelet *codelet, uint32_t name)
{
    static volatile size_t length;
    length = length + strlen(codelet_text(codelet, name));
}

static void check_regions(const struct codelet *codelet)
{
    for (uint64_t i = 0; i < codelet->header->regions.count; i++) {
        const struct codelet_region *region = &codelet->regions[i];
        if (region->start >= region->end || (i && region->start < codelet->regions[i - 1].end))
            harness_wrong("regions that are empty or overlap", "codelet");
        if (region->kind >= codelet_REGION_KINDS)
            harness_wrong("a region of no kind", "codelet");
        use_text(codelet, region->name);
    }
}

/* Whatever says that it has contents can be read to its last byte. */
static uint64_t read_contents(const struct codelet *codelet)
{
    uint64_t sum = 0;
    for (uint64_t i = 0; i < codelet->header->stretches.count; i++) {
        const struct codelet_stretch *stretch = &codelet->stretches[i];
        uint64_t bytes = 0;
        const uint8_t *contents = codelet_memory(codelet, stretch->address, &bytes);
        if (!contents != !stretch->offset)
            harness_wrong("contents that are not there", "codelet");
        if (contents)
            sum += contents[0] + contents[bytes - 1] + bytes;
    }
    return sum;
}

static void read_names(const struct codelet *codelet)
{
    bool is_doubtful;
    for (uint64_t i = 0; i < codelet->header->symbols.count; i++) {
        const struct codelet_symbol *symbol = &codelet->symbols[i];
        const char *name = codelet_text(codelet, symbol->name);
        if (i && strcmp(codelet_text(codelet, symbol[-1].name), name) > 0)
            harness_wrong("symbols out of order", name);
        codelet_find(codelet, name, codelet_text(codelet, symbol->source), &is_doubtful);
        codelet_symbol_at(codelet, symbol->address + symbol->size / 2);
    }
    for (uint64_t i = 0; i < codelet->header->objects.count; i++)
        use_text(codelet, codelet->objects[i].name);
    for (uint64_t i = 0; i < codelet->header->modules.count; i++)
        use_text(codelet, codelet->modules[i].name);
    codelet_find_static(codelet, "count" CODELET_STATIC "step", NULL, &is_doubtful);
    use_text(codelet, codelet->header->function);
    use_text(codelet, codelet->header->command);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct span base;
    struct error error = {0};
    struct codelet codelet;
    if (!base.size)
        base = example();
    if (!codelet_open(harness_damaged(base, data, size), &codelet, &error)) {
        if (!error.set)
            harness_wrong("a failure without a reason", "codelet_open");
        return 0;
    }
    check_regions(&codelet);
    volatile uint64_t sum = read_contents(&codelet) + codelet_contents(&codelet);
    (void)sum;
    read_names(&codelet);
    codelet_close(&codelet);
    return 0;
}
