/* An ELF file of a run, opened for reading. Paths come from recordings: only regular files are opened, never
   pipes or devices, so nothing here blocks. */
#ifndef RUN_LAUNCH_ELF_FILE_H
#define RUN_LAUNCH_ELF_FILE_H
#include <libelf.h>
#include <stdint.h>

struct elf_file {
    int descriptor; /* -1: not open */
    Elf *elf;       /* NULL: it cannot be read */
};
/* The path may be NULL; files of more than most bytes are not read. */
struct elf_file elf_file_open(const char *path, int64_t most);
void elf_file_close(struct elf_file *file);
#endif
