/* The processor of this machine, as the system names it. Arm's kernels give numbers, which parts.def names. */
#include "run/launch/processor.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The text after the colon of "model name	: …", or NULL. */
static char *value_of(char *line, const char *name)
{
    size_t length = strlen(name);
    if (strncmp(line, name, length) || !strchr(" \t:", line[length]))
        return NULL;
    char *value = strchr(line, ':');
    if (!value)
        return NULL;
    value += 1 + strspn(value + 1, " \t");
    value[strcspn(value, "\n")] = 0;
    return *value ? value : NULL;
}

static const struct {
    unsigned implementer, part;
    const char *name;
} parts[] = {
#define PART(implementer, part, name) {implementer, part, name},
#include "run/launch/parts.def"
#undef PART
};

static char *name_of_part(const char *implementer, const char *part)
{
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (strtoul(implementer, NULL, 16) == parts[i].implementer &&
            strtoul(part, NULL, 16) == parts[i].part)
            return memory_copy_text(parts[i].name, strlen(parts[i].name));
    return memory_format("implementer %s, part %s", implementer, part);
}

char *launch_processor_name(void)
{
    char line[512], implementer[32] = "", part[32] = "";
    FILE *file = fopen("/proc/cpuinfo", "re");
    char *name = NULL;
    while (file && !name && fgets(line, sizeof line, file)) {
        char *value;
        if ((value = value_of(line, "model name")) || (value = value_of(line, "Hardware")))
            name = memory_copy_text(value, strlen(value));
        else if ((value = value_of(line, "CPU implementer")))
            snprintf(implementer, sizeof implementer, "%s", value);
        else if ((value = value_of(line, "CPU part")))
            snprintf(part, sizeof part, "%s", value);
    }
    if (file)
        fclose(file);
    if (!name && *part)
        name = name_of_part(implementer, part);
    return name;
}

string_id launch_processor(struct model *model)
{
    char *name = launch_processor_name();
    string_id text = name ? model_string(model, name) : 0;
    free(name);
    return text;
}
