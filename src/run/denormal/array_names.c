/* Whether a program has an array of a name that the user gave, by the list that the tracer gets.  A wrong name is
   told before the run, with the names that there are: after it, it would look as if nothing had happened. */
#include "run/denormal/parts.h"

#include "runtime/denormal-trace/array_list_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_TOLD = 8, LONGEST_TOLD = 300 };

/* The name at the end of a line of data, or of a part of some; or NULL. */
static const char *name_of(char *line)
{
    char *tab = strncmp(line, "data ", 5) && strncmp(line, "part ", 5) ? NULL : strrchr(line, '\t');
    if (tab)
        tab[strcspn(tab, "\n")] = 0;
    return tab ? tab + 1 : NULL;
}

/* Adds a name that is not told yet. */
static void tell(char *told, unsigned *count, const char *name)
{
    size_t length = strlen(told);
    char *known = memory_format(", %s, ", name), *all = memory_format(", %s, ", told);
    bool is_new = !strstr(all, known);
    free(known);
    free(all);
    if (!is_new || *count > MOST_TOLD)
        return;
    if (++*count > MOST_TOLD || length + strlen(name) + 8 > LONGEST_TOLD)
        snprintf(told + length, LONGEST_TOLD - length, ", …");
    else
        snprintf(told + length, LONGEST_TOLD - length, "%s%s", length ? ", " : "", name);
}

bool denormal_has_array(const char *list, const char *name, const char *program, struct error *error)
{
    char told[LONGEST_TOLD + 8] = "", *line = NULL;
    size_t room = 0;
    unsigned count = 0;
    bool has_it = false;
    FILE *file = fopen(list, "r");
    while (file && !has_it && getline(&line, &room, file) > 0) {
        const char *here = name_of(line);
        has_it = here && !strcmp(here, name);
        if (here)
            tell(told, &count, here);
    }
    free(line);
    if (file)
        fclose(file);
    if (has_it)
        return true;
    return error_set(error, program, "has no array of floating-point numbers named %s%s%s", name,
                     *told ? "; it has " : "", told);
}
