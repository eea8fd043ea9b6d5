/* An ELF file of a run, opened for reading.  Paths come from recordings: what is not a regular file (a pipe,
   a device) is not touched, and nothing here waits for one. */
#ifndef DENORMAL_ELF_FILE_H
#define DENORMAL_ELF_FILE_H
#include <libelf.h>
#include <stdint.h>

struct elf_file {
    int descriptor; /* -1: not open */
    Elf *elf;       /* NULL: it cannot be read */
};
/* NULL is no path; a file of more bytes than most is not read. */
struct elf_file elf_file_open(const char *path, int64_t most);
void elf_file_close(struct elf_file *file);
#endif
