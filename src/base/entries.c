#include "base/entries.h"

#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* As the system call returns them. */
struct entry {
    uint64_t inode;
    int64_t next;
    uint16_t length;
    uint8_t type;
    char name[];
};

const char *entries_next(struct entries *entries)
{
    for (;;) {
        if (entries->at >= entries->size) {
            entries->at = 0;
            entries->size = syscall(SYS_getdents64, entries->folder, entries->bytes, sizeof entries->bytes);
            if (entries->size <= 0)
                return NULL;
        }
        const struct entry *entry = (const struct entry *)(entries->bytes + entries->at);
        entries->at += entry->length;
        if (strcmp(entry->name, ".") && strcmp(entry->name, ".."))
            return entry->name;
    }
}
