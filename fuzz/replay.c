/* Runs a harness on files, and on all files of folders: bugs that the fuzzers found must stay fixed. An input
 * that takes longer than a minute counts as a hang. Prints one line that tests/run counts; without arguments
 * it reads standard input, as AFL++ needs. */
#include "fuzz/harness.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SECONDS = 60 };

static unsigned input_count;
static const char *current = "standard input";

static void run_stream(FILE *stream)
{
    uint8_t *data = NULL;
    size_t size = 0, capacity = 0, got;
    do {
        if (capacity - size < 65536)
            data = realloc(data, capacity += 65536 + capacity / 2);
        got = fread(data + size, 1, capacity - size, stream);
        size += got;
    } while (got);
    /* Exactly its size, so that reads beyond the end are detected. */
    data = realloc(data, size ? size : 1);
    alarm(SECONDS);
    LLVMFuzzerTestOneInput(data, size);
    alarm(0);
    free(data);
    input_count++;
}

static int is_visible(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

static void run_file(const char *path)
{
    FILE *stream = fopen(path, "rb");
    if (!stream)
        harness_wrong("cannot open", path);
    fprintf(stderr, "%s\n", current = path);
    run_stream(stream);
    fclose(stream);
}

static void run_folder(const char *path)
{
    struct dirent **entries;
    int count = scandir(path, &entries, is_visible, alphasort);
    if (count < 0)
        harness_wrong("cannot list", path);
    for (int i = 0; i < count; i++) {
        char *name = memory_format("%s/%s", path, entries[i]->d_name);
        run_file(name);
        free(name);
        free(entries[i]);
    }
    free(entries);
}

int main(int count, char **words)
{
    for (int i = 1; i < count; i++) {
        struct stat facts;
        if (!stat(words[i], &facts) && S_ISDIR(facts.st_mode))
            run_folder(words[i]);
        else
            run_file(words[i]);
    }
    if (count < 2)
        run_stream(stdin);
    const char *name = strrchr(words[0], '/');
    if (!input_count) {
        printf("fail: %s: no input\n", name ? name + 1 : words[0]);
        return 1;
    }
    printf("pass: %s on %u inputs\n", name ? name + 1 : words[0], input_count);
    return 0;
}
