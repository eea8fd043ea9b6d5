/* The disassembler of libopcodes, for one word on its own.

   It keeps state of its own between words: after a movprfx or the first of a memory-copy sequence it checks
   that the next word fits, and says so in a comment.  Comments are dropped here (everything from the first
   piece in comment style on), so the state never shows; but it is still state, so only one thread at a time
   may enter.  Words are disassembled at address 0.

   Up to binutils 2.40 a list of two registers, and one that goes on at register 0, is written with commas;
   later versions write every list of neighbours as a range.  Here it is always the older way: forms of
   machine files and the rest of Assay know that one. */
#include "code/read/aarch64/text.h"

#include "code/read/opcodes_text.h"

#include <pthread.h>
#include <stdio.h>
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

/* The number in a register's name such as z17.b, and the length of the name; -1: none. */
static int read_number(const char *name, size_t *length)
{
    int number = 0;
    size_t at = 1;
    if (!strchr("vzp", name[0]) || !name[0])
        return -1;
    for (; name[at] >= '0' && name[at] <= '9' && at < 4; at++)
        number = number * 10 + name[at] - '0';
    bool is_register = at > 1;
    *length = at + strcspn(name + at, "-,} ");
    return is_register ? number : -1;
}

/* The list that begins at a brace. */
static void write_short_list(char *open, size_t size)
{
    enum { MOST_IN_LIST = 4 };
    int registers = open[1] == 'p' ? 16 : 32;
    size_t first_length, last_length;
    int first = read_number(open + 1, &first_length);
    if (first < 0 || open[1 + first_length] != '-')
        return;
    const char *last_name = open + 2 + first_length;
    int last = read_number(last_name, &last_length);
    int count = (last - first + registers) % registers + 1;
    if (last < 0 || last_name[last_length] != '}' || count > MOST_IN_LIST || (count > 2 && last > first))
        return;
    char list[64], rest[160];
    size_t used = 0;
    const char *arrangement = open + 1 + strcspn(open + 1, ".-");
    int arrangement_length = (int)(open + 1 + first_length - arrangement);
    for (int i = 0; i < count && used < sizeof list; i++)
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%c%d%.*s", i ? ", " : "", open[1],
                                 (first + i) % registers, arrangement_length, arrangement);
    snprintf(rest, sizeof rest, "%s", last_name + last_length);
    snprintf(open + 1, size - 1, "%s%s", list, rest);
}

void aarch64_write_short_lists_with_commas(char *text, size_t size)
{
    for (char *open = text; (open = strchr(open, '{')); open++)
        write_short_list(open, size - (size_t)(open - text));
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
    aarch64_write_short_lists_with_commas(text, size);
    return printed.used > 0 && text[0] != '.';
}
