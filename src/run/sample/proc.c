#include "run/sample/proc.h"

#include "base/path.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

enum { MOST_BYTES = 16 << 20, MOST_COMMAND = 4096 };

/* /proc/PID/WHAT, with a 0 after it; to be freed; NULL: none.  Of a long file the first part. */
static char *proc_read(uint32_t process, const char *what, size_t *size)
{
    char path[100];
    snprintf(path, sizeof path, "/proc/%" PRIu32 "/%s", process, what);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    *size = 0;
    if (file < 0)
        return NULL;
    struct array text = ARRAY_OF(char);
    for (ssize_t got = 1; got > 0 && text.count < MOST_BYTES;) {
        array_reserve(&text, text.count + 4097);
        got = read(file, (char *)text.data + text.count, text.capacity - text.count - 1);
        text.count += got > 0 ? (size_t)got : 0;
    }
    close(file);
    ((char *)text.data)[text.count] = 0;
    *size = text.count;
    return text.data;
}

char *proc_command(uint32_t process)
{
    size_t size;
    char *text = proc_read(process, "cmdline", &size);
    size = size < MOST_COMMAND ? size : MOST_COMMAND;
    while (size && !text[size - 1])
        size--;
    if (!size) {
        free(text);
        return NULL;
    }
    for (size_t i = 0; i < size; i++)
        if (!text[i])
            text[i] = ' ';
    text[size] = 0;
    return text;
}

static bool is_launcher(const char *command)
{
    static const char *const names[] = {"mpirun", "mpiexec", "orterun",       "prterun",
                                        "prun",   "srun",    "mpiexec.hydra", "hydra_pmi_proxy",
                                        "aprun",  "orted",   "prted",         "flux"};
    char *word = memory_copy_text(command, strcspn(command, " "));
    bool is_one = false;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        is_one |= !strcmp(path_name(word), names[i]);
    free(word);
    return is_one;
}

int32_t proc_rank(uint32_t process, const char *command)
{
    size_t size;
    if (command && is_launcher(command))
        return NO_NUMBER;
    char *text = proc_read(process, "environ", &size);
    int32_t rank = text ? sample_rank(text, size) : NO_NUMBER;
    free(text);
    return rank;
}

uint32_t proc_parent(uint32_t process)
{
    size_t size;
    uint32_t parent = 0;
    char *text = proc_read(process, "stat", &size);
    const char *behind = text ? strrchr(text, ')') : NULL; /* names may have blanks and parentheses */
    if (!behind || sscanf(behind, ") %*c %" SCNu32, &parent) != 1)
        parent = 0;
    free(text);
    return parent;
}

char *proc_thread_name(uint32_t process, uint32_t thread)
{
    char what[50];
    size_t size;
    snprintf(what, sizeof what, "task/%" PRIu32 "/comm", thread);
    char *text = proc_read(process, what, &size);
    if (size && text[size - 1] == '\n')
        text[--size] = 0;
    if (!size) {
        free(text);
        return NULL;
    }
    return text;
}

void proc_map_lines(char *text, void (*visit)(void *context, const struct collector_map *map), void *context)
{
    char *end;
    for (char *line = text; line && *line; line = end) {
        uint64_t start, stop, offset, inode;
        unsigned major, minor;
        char rights[5];
        int path = 0;
        end = line + strcspn(line, "\n");
        if (*end)
            *end++ = 0;
        if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %x:%x %" SCNu64 " %n", &start, &stop,
                   rights, &offset, &major, &minor, &inode, &path) != 7 ||
            rights[2] != 'x' || stop <= start)
            continue;
        struct collector_map map = {.start = start,
                                    .size = stop - start,
                                    .offset = offset,
                                    .device = makedev(major, minor),
                                    .inode = inode,
                                    .path = path && line[path] ? line + path : "//anon"};
        visit(context, &map);
    }
}

void proc_maps(uint32_t process, void (*visit)(void *context, const struct collector_map *map), void *context)
{
    size_t size;
    char *text = proc_read(process, "maps", &size);
    proc_map_lines(text, visit, context);
    free(text);
}

void proc_threads(uint32_t process, struct array *threads)
{
    char path[50];
    snprintf(path, sizeof path, "/proc/%" PRIu32 "/task", process);
    DIR *folder = opendir(path);
    for (const struct dirent *entry; folder && (entry = readdir(folder));)
        if (entry->d_name[0] >= '1' && entry->d_name[0] <= '9')
            *(uint32_t *)array_push(threads) = (uint32_t)strtoul(entry->d_name, NULL, 10);
    if (folder)
        closedir(folder);
}
