/* Opens ELF files for reading. */
#include "denormal/elf_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

struct elf_file elf_file_open(const char *path, int64_t most)
{
    struct stat facts;
    struct elf_file file = {.descriptor = path ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1};
    elf_version(EV_CURRENT);
    if (file.descriptor >= 0 && !fstat(file.descriptor, &facts) && S_ISREG(facts.st_mode) &&
        facts.st_size <= most)
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
