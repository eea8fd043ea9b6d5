/* The disassembler of libopcodes, for one word on its own.

   It keeps state of its own between words: after a movprfx or the first of a memory-copy sequence it checks
   that the next word fits, and says so in a comment.  Comments are dropped here (everything from the first
   piece in comment style on), so the state never shows; but it is still state, so only one thread at a time
   may enter.  Words are disassembled at address 0. */
#include "read/aarch64/text.h"

#include "read/opcodes_text.h"

#include <pthread.h>
#include <string.h>

static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;
static struct disassemble_info info;
static disassembler_ftype disassemble;
static uint8_t word_bytes[4];

static void print_address(bfd_vma address, struct disassemble_info *of)
{
    (void)address;
    opcodes_print(of->stream, "@");
}

bool aarch64_write_text(uint32_t word, char *text, size_t size)
{
    struct opcodes_text printed = {.text = text, .size = size};
    pthread_mutex_lock(&one_at_a_time);
    if (!disassemble)
        disassemble = opcodes_prepare(&info, bfd_arch_aarch64, bfd_mach_aarch64, word_bytes,
                                      sizeof word_bytes, print_address);
    for (int i = 0; i < 4; i++)
        word_bytes[i] = (uint8_t)(word >> (8 * i));
    info.stream = &printed;
    disassemble(0, &info);
    pthread_mutex_unlock(&one_at_a_time);
    opcodes_end(&printed);
    char *tab = strchr(text, '\t');
    if (tab)
        *tab = ' ';
    return printed.used > 0 && text[0] != '.';
}
