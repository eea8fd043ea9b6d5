/* The disassembler of libopcodes, made to answer for a word alone.

   It keeps state of its own between words: after a movprfx or the first of a memory-copy sequence it checks
   that the next word fits, and says so in a comment.  Comments are dropped here (everything from the first
   piece in comment style on), so that the state never shows; because it is state all the same, one thread at
   a time is let in.  Words are disassembled at address 0. */
#define PACKAGE "assay"
#define PACKAGE_VERSION "0"
#include "read/aarch64_text.h"
#include <dis-asm.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct sink {
    char *text;
    size_t used, size;
    bool in_comment;
};

static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;
static struct disassemble_info info;
static disassembler_ftype disassemble;
static uint8_t word_bytes[4];

static void put(struct sink *sink, const char *piece, size_t length)
{
    if (length > sink->size - 1 - sink->used)
        length = sink->size - 1 - sink->used;
    memcpy(sink->text + sink->used, piece, length);
    sink->used += length;
}

static void put_formatted(struct sink *sink, const char *format, va_list values)
{
    if (sink->in_comment)
        return;
    if (strcmp(format, "%s") == 0) {
        const char *piece = va_arg(values, const char *);
        put(sink, piece, strlen(piece));
        return;
    }
    if (!strchr(format, '%')) {
        put(sink, format, strlen(format));
        return;
    }
    char piece[256];
    int length = vsnprintf(piece, sizeof piece, format, values);
    if (length > 0)
        put(sink, piece, (size_t)length < sizeof piece ? (size_t)length : sizeof piece - 1);
}

static int print_plain(void *sink, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    put_formatted(sink, format, values);
    va_end(values);
    return 0;
}

static int print_styled(void *stream, enum disassembler_style style, const char *format, ...)
{
    struct sink *sink = stream;
    if (style == dis_style_comment_start)
        sink->in_comment = true;
    va_list values;
    va_start(values, format);
    put_formatted(sink, format, values);
    va_end(values);
    return 0;
}

static void print_address(bfd_vma address, struct disassemble_info *of)
{
    (void)address;
    struct sink *sink = of->stream;
    if (!sink->in_comment)
        put(sink, "@", 1);
}

static void prepare(void)
{
    init_disassemble_info(&info, NULL, print_plain, print_styled);
    info.arch = bfd_arch_aarch64;
    info.mach = bfd_mach_aarch64;
    info.endian = info.endian_code = BFD_ENDIAN_LITTLE;
    info.print_address_func = print_address;
    info.buffer = word_bytes;
    info.buffer_length = sizeof word_bytes;
    disassemble_init_for_target(&info);
    disassemble = disassembler(bfd_arch_aarch64, false, bfd_mach_aarch64, NULL);
}

bool aarch64_write_text(uint32_t word, char *text, size_t size)
{
    struct sink sink = {.text = text, .size = size};
    pthread_mutex_lock(&one_at_a_time);
    if (!disassemble)
        prepare();
    for (int i = 0; i < 4; i++)
        word_bytes[i] = (uint8_t)(word >> (8 * i));
    info.stream = &sink;
    disassemble(0, &info);
    pthread_mutex_unlock(&one_at_a_time);
    while (sink.used > 0 && (text[sink.used - 1] == ' ' || text[sink.used - 1] == '\t'))
        sink.used--;
    text[sink.used] = '\0';
    char *tab = strchr(text, '\t');
    if (tab)
        *tab = ' ';
    return sink.used > 0 && text[0] != '.';
}
