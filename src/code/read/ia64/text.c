/* The disassembler of libopcodes, for one slot on its own.

   It takes bundles, so the word is put into a bundle whose template has the unit, at address 0.  It keeps
   static state while it works, so only one thread at a time may enter. */
#include "code/read/ia64/text.h"

#include "code/read/opcodes_text.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;
static struct disassemble_info info;
static disassembler_ftype disassemble;
static uint8_t bundle_bytes[16];

static void print_address(bfd_vma address, struct disassemble_info *of)
{
    if (address)
        opcodes_print(of->stream, ".%+lld", (long long)address);
    else
        opcodes_print(of->stream, "@");
}

enum { TEMPLATE_MII = 0x00, TEMPLATE_MLX = 0x04, TEMPLATE_MFI = 0x0c, TEMPLATE_BBB = 0x16 };

/* Returns the slot. */
static unsigned fill_bundle(char unit, uint64_t word, uint64_t extension)
{
    uint64_t template = unit == 'X'   ? TEMPLATE_MLX
                        : unit == 'F' ? TEMPLATE_MFI
                        : unit == 'B' ? TEMPLATE_BBB
                                      : TEMPLATE_MII;
    unsigned slot = unit == 'M' ? 0 : 1;
    uint64_t slots[3] = {0};
    slots[slot] = word;
    if (unit == 'X') {
        slots[1] = extension;
        slots[2] = word;
    }
    uint64_t low = template | slots[0] << 5 | slots[1] << 46, high = slots[1] >> 18 | slots[2] << 23;
    for (unsigned i = 0; i < 8; i++) {
        bundle_bytes[i] = (uint8_t)(low >> 8 * i);
        bundle_bytes[8 + i] = (uint8_t)(high >> 8 * i);
    }
    return slot;
}

/* "[MII] (p06) add r1=r2,r3" without the template, and with p6. */
static const char *tidy(char *text)
{
    if (text[0] == '[')
        text += strcspn(text, "]") + 1;
    text += strspn(text, " ");
    if (strncmp(text, "(p0", 3) == 0) {
        memmove(text + 2, text + 3, strlen(text + 3) + 1);
    }
    return text;
}

bool ia64_write_text(char unit, uint64_t word, uint64_t extension, char *text, size_t size)
{
    char printed[256];
    struct opcodes_text gathered = {.text = printed, .size = sizeof printed};
    pthread_mutex_lock(&one_at_a_time);
    if (!disassemble)
        disassemble = opcodes_prepare(&info, bfd_arch_ia64, bfd_mach_ia64_elf64, bundle_bytes,
                                      sizeof bundle_bytes, print_address);
    info.stream = &gathered;
    disassemble(6 * fill_bundle(unit, word, extension), &info);
    pthread_mutex_unlock(&one_at_a_time);
    opcodes_end(&gathered);
    const char *start = tidy(printed);
    snprintf(text, size, "%s", start);
    return start[0] && strncmp(start, "data8 ", 6) != 0;
}
