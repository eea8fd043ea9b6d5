/* Which machines there are, without reading them all: the head of a file tells, and forms are counted by
   their lines. */
#include "machine/find.h"

#include "model/tables.h"

#include <stdlib.h>
#include <string.h>

/* The rest of the first line that starts with a word; NULL where there is none.  To be freed. */
static char *value_of(const char *text, const char *word)
{
    size_t length = strlen(word);
    for (const char *line = text; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncmp(line, word, length) || (line[length] != ' ' && line[length] != '\t'))
            continue;
        line += length + strspn(line + length, " \t");
        size_t size = strcspn(line, "#\r\n");
        while (size && (line[size - 1] == ' ' || line[size - 1] == '\t'))
            size--;
        return memory_copy_text(line, size);
    }
    return NULL;
}

static size_t count_forms(const char *text)
{
    size_t count = 0;
    for (const char *line = text; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        count += !strncmp(line, "form ", 5);
    }
    return count;
}

static enum isa isa_called(const char *word)
{
    for (unsigned isa = 1; word && isa < isa_COUNT; isa++)
        if (!strcmp(enumeration_word("isa", isa), word))
            return (enum isa)isa;
    return isa_NONE;
}

struct array machine_list(const char *const *directories, size_t directory_count)
{
    struct array list = ARRAY_OF(struct machine_entry);
    struct machine_names names = machine_names_find(directories, directory_count);
    for (size_t i = 0; i < names.count; i++) {
        struct machine_entry *entry = array_add(&list);
        strcpy(entry->name, names.names[i]);
        size_t size;
        struct error ignored = {0};
        char *text =
            machine_text(names.names[i], directories, directory_count, &entry->path, &size, &ignored);
        if (!text)
            continue;
        entry->title = value_of(text, "title");
        entry->figures = value_of(text, "figures");
        entry->also = value_of(text, "also");
        entry->like = value_of(text, "like");
        char *isa = value_of(text, "isa");
        entry->isa = isa_called(isa);
        entry->form_count = count_forms(text);
        free(isa);
        free(text);
    }
    free(names.names);
    return list;
}

void machine_list_free(struct array *list)
{
    for (size_t i = 0; i < list->count; i++) {
        struct machine_entry *entry = ARRAY_AT(struct machine_entry, list, i);
        free(entry->path);
        free(entry->title);
        free(entry->figures);
        free(entry->also);
        free(entry->like);
    }
    array_free(list);
}
