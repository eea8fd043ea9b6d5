#include "code/read/opcodes_text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void put(struct opcodes_text *text, const char *piece, size_t length)
{
    if (length > text->size - 1 - text->used)
        length = text->size - 1 - text->used;
    memcpy(text->text + text->used, piece, length);
    text->used += length;
}

/* Most pieces need no formatting. */
static void put_formatted(struct opcodes_text *text, const char *format, va_list values)
{
    if (text->in_comment)
        return;
    if (strcmp(format, "%s") == 0) {
        const char *piece = va_arg(values, const char *);
        put(text, piece, strlen(piece));
        return;
    }
    if (!strchr(format, '%')) {
        put(text, format, strlen(format));
        return;
    }
    char piece[256];
    int length = vsnprintf(piece, sizeof piece, format, values);
    if (length > 0)
        put(text, piece, (size_t)length < sizeof piece ? (size_t)length : sizeof piece - 1);
}

static int print_plain(void *text, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    put_formatted(text, format, values);
    va_end(values);
    return 0;
}

static int print_styled(void *stream, enum disassembler_style style, const char *format, ...)
{
    struct opcodes_text *text = stream;
    if (style == dis_style_comment_start)
        text->in_comment = true;
    va_list values;
    va_start(values, format);
    put_formatted(text, format, values);
    va_end(values);
    return 0;
}

void opcodes_print(struct opcodes_text *text, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    put_formatted(text, format, values);
    va_end(values);
}

/* binutils may have been built without an instruction set; who asked opcodes_know() does not come here. */
static int print_nothing(bfd_vma address, struct disassemble_info *info)
{
    (void)address;
    (void)info;
    return 0;
}

disassembler_ftype opcodes_prepare(struct disassemble_info *info, enum bfd_architecture architecture,
                                   unsigned long machine, uint8_t *buffer, unsigned buffer_size,
                                   void (*print_address)(bfd_vma, struct disassemble_info *))
{
    init_disassemble_info(info, NULL, print_plain, print_styled);
    info->arch = architecture;
    info->mach = machine;
    info->endian = info->endian_code = BFD_ENDIAN_LITTLE;
    info->print_address_func = print_address;
    info->buffer = buffer;
    info->buffer_length = buffer_size;
    disassemble_init_for_target(info);
    disassembler_ftype found = disassembler(architecture, false, machine, NULL);
    return found ? found : print_nothing;
}

void opcodes_end(struct opcodes_text *text)
{
    while (text->used > 0 && (text->text[text->used - 1] == ' ' || text->text[text->used - 1] == '\t'))
        text->used--;
    text->text[text->used] = '\0';
}
