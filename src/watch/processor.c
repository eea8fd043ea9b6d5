/* The processor of this machine, as the system names it. */
#include "watch/processor.h"

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

char *watch_processor_name(void)
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
    if (!name && *part) /* Arm's kernels give numbers */
        name = memory_format("implementer %s, part %s", implementer, part);
    return name;
}

string_id watch_processor(struct model *model)
{
    char *name = watch_processor_name();
    string_id text = name ? model_string(model, name) : 0;
    free(name);
    return text;
}
