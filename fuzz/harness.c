#include "fuzz/harness.h"

#include "code/read/read.h"
#include "code/structure/structure.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Two harnesses at work must not share a file, and SQLite looks for others beside it: a folder for each
   process, in memory where there is such a place. */
static char folder[64];
static char path[128];

static void remove_file(void)
{
    unlink(path);
    rmdir(folder);
}

static void make_folder(void)
{
    snprintf(folder, sizeof folder, "%s/assay-fuzz-XXXXXX", access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm");
    if (!mkdtemp(folder))
        harness_wrong("cannot make a folder", folder);
    snprintf(path, sizeof path, "%s/input", folder);
    atexit(remove_file);
}

const char *harness_file(const uint8_t *data, size_t size)
{
    if (!*folder)
        make_folder();
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(data, 1, size, file) != size || fclose(file))
        harness_wrong("cannot write", path);
    return path;
}

FILE *harness_nowhere(void)
{
    static FILE *nowhere;
    if (!nowhere && !(nowhere = fopen("/dev/null", "w")))
        harness_wrong("cannot open", "/dev/null");
    return nowhere;
}

char *harness_text(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    if (size)
        memcpy(text, data, size);
    text[size] = '\0';
    return text;
}

void harness_wrong(const char *what, const char *detail)
{
    fprintf(stderr, "harness: %s: %s\n", what, detail);
    abort();
}

bool harness_build(struct model *model, const uint8_t *data, size_t size)
{
    struct read_options reading = {0};
    struct structure_options structuring = {.threads = 1, .path_limit = 4};
    struct error error = {0};
    model_init(model);
    bool done = read_file(model, harness_file(data, size), &reading, &error) &&
                structure_build(model, &structuring, &error);
    if (!done && !error.set)
        harness_wrong("a failure without a reason", "read_file or structure_build");
    if (done && model->programs.count < 2)
        harness_wrong("no program and no error", "read_file");
    return done;
}

static uint32_t take_number(const uint8_t **data, size_t *size)
{
    uint32_t number = 0;
    for (unsigned i = 0; i < 4 && *size; i++, ++*data, --*size)
        number |= (uint32_t) * *data << 8 * i;
    return number;
}

const char *harness_damaged(struct span base, const uint8_t *data, size_t size)
{
    uint8_t *bytes = malloc(base.size);
    memcpy(bytes, base.data, base.size);
    size_t whole = take_number(&data, &size) % base.size;
    whole = whole ? whole : base.size;
    while (size > 5) {
        size_t offset = take_number(&data, &size) % whole, length = *data++;
        size--;
        length = length < size ? length : size;
        length = length < whole - offset ? length : whole - offset;
        memcpy(bytes + offset, data, length);
        data += length;
        size -= length;
    }
    harness_file(bytes, whole);
    free(bytes);
    return path;
}
