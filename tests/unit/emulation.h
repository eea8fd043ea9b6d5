/* Whether this process runs under qemu-user, where the kernel's view of processes is that of the emulator
   (see tests/emulation.py): the program that the kernel really runs was built for another machine. */
#ifndef TESTS_UNIT_EMULATION_H
#define TESTS_UNIT_EMULATION_H
#include <elf.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static inline bool is_emulated(void)
{
#ifdef __x86_64__
    enum { OWN = EM_X86_64 };
#else
    enum { OWN = EM_AARCH64 };
#endif
    Elf64_Ehdr header = {0};
    FILE *file = fopen("/proc/thread-self/exe", "r");
    bool is_read = file && fread(&header, sizeof header, 1, file) == 1;
    if (file)
        fclose(file);
    return is_read && !memcmp(header.e_ident, ELFMAG, SELFMAG) && header.e_machine != OWN;
}
#endif
