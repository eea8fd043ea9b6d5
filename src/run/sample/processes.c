/* Reads /proc.  Everything there may have changed when we have read it: whoever opens events on a number gets
   to know that it has ended. */
#include "run/sample/processes.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct facts {
    uint32_t group, parent; /* process that a thread belongs to; of the process */
    char state;             /* a letter; 0: there is no such process */
};

static struct facts facts_of(uint32_t process)
{
    struct facts facts = {0};
    char *path = memory_format("/proc/%u/status", process), line[256];
    FILE *file = fopen(path, "re");
    while (file && fgets(line, sizeof line, file))
        if (!strncmp(line, "State:", 6))
            facts.state = line[6 + strspn(line + 6, " \t")];
        else if (!strncmp(line, "Tgid:", 5))
            facts.group = (uint32_t)strtoul(line + 5, NULL, 10);
        else if (!strncmp(line, "PPid:", 5))
            facts.parent = (uint32_t)strtoul(line + 5, NULL, 10);
    if (file)
        fclose(file);
    free(path);
    return facts;
}

bool processes_check(uint32_t process, struct error *error)
{
    struct facts facts = facts_of(process);
    if (!process || !facts.state)
        return error_set(error, NULL, "there is no process %u", process);
    if (facts.group != process)
        return error_set(error, NULL, "%u is a thread of process %u: give the number of the process", process,
                         facts.group);
    if (facts.state == 'Z' || facts.state == 'X')
        return error_set(error, NULL, "process %u has ended (its parent has not noticed yet)", process);
    return true;
}

bool processes_is_foreign(uint32_t process)
{
    struct stat facts;
    char *path = memory_format("/proc/%u", process);
    bool is_foreign = geteuid() && !stat(path, &facts) && facts.st_uid != geteuid();
    free(path);
    return is_foreign;
}

/* Adds the numbers that a folder has as names. */
static void list_numbers(const char *path, struct array *numbers)
{
    DIR *folder = opendir(path);
    for (struct dirent *entry; folder && (entry = readdir(folder));) {
        unsigned long number = strtoul(entry->d_name, NULL, 10);
        if (number && number <= UINT32_MAX)
            *(uint32_t *)array_push(numbers) = (uint32_t)number;
    }
    if (folder)
        closedir(folder);
}

static bool has(const struct array *numbers, uint32_t number)
{
    for (size_t i = 0; i < numbers->count; i++)
        if (*ARRAY_AT(uint32_t, numbers, i) == number)
            return true;
    return false;
}

/* Children have larger numbers than their parents until numbers start again: so it takes a few rounds. */
void processes_family(uint32_t process, struct array *family)
{
    struct array all = ARRAY_OF(uint32_t), parents = ARRAY_OF(uint32_t);
    list_numbers("/proc", &all);
    for (size_t i = 0; i < all.count; i++)
        *(uint32_t *)array_push(&parents) = facts_of(*ARRAY_AT(uint32_t, &all, i)).parent;
    *(uint32_t *)array_push(family) = process;
    for (size_t before = 0; before < family->count;) {
        before = family->count;
        for (size_t i = 0; i < all.count; i++) {
            uint32_t number = *ARRAY_AT(uint32_t, &all, i);
            if (number != (uint32_t)getpid() && has(family, *ARRAY_AT(uint32_t, &parents, i)) &&
                !has(family, number))
                *(uint32_t *)array_push(family) = number;
        }
    }
    array_free(&all);
    array_free(&parents);
}

void processes_threads(uint32_t process, struct array *threads)
{
    char *path = memory_format("/proc/%u/task", process);
    list_numbers(path, threads);
    free(path);
}
