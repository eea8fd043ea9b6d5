/* Opens ELF files for reading. */
#include "run/launch/elf_file.h"

#include "base/regular_file.h"

#include <unistd.h>

struct elf_file elf_file_open(const char *path, int64_t most)
{
    uint64_t size = 0;
    struct elf_file file = {.descriptor = path ? regular_file_open(path, &size, NULL) : -1};
    elf_version(EV_CURRENT);
    if (file.descriptor >= 0 && size <= (uint64_t)most)
        file.elf = elf_begin(file.descriptor, ELF_C_READ_MMAP, NULL);
    return file;
}

void elf_file_close(struct elf_file *file)
{
    if (file->elf)
        elf_end(file->elf);
    if (file->descriptor >= 0)
        close(file->descriptor);
    *file = (struct elf_file){.descriptor = -1};
}
