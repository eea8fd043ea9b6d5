/* Untrusted text, made safe to show.

   Names come from untrusted files. Before one reaches a terminal or a message, control
   characters and bytes that are not UTF-8 become visible escapes (\x1b), so that a name cannot move the
   cursor. */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Length of the UTF-8 sequence at text (1 … 4) and its code point, or 0 if the bytes are not valid UTF-8.
 */
unsigned text_decode(const char *text, size_t left, uint32_t *code_point);
/* Control characters, and those that reorder the text around them. */
bool text_is_harmful(uint32_t code_point);
/* Writes the visible escape of a byte and returns its length. */
enum { LONGEST_ESCAPE = 4 };
unsigned text_escape(unsigned char byte, char escape[LONGEST_ESCAPE]);
/* A copy that is safe to show; to be freed. */
char *text_safe(const char *text, size_t length);
/* Writes the same to a stream, without allocating memory. */
void text_print_safe(const char *text, size_t length, FILE *out);
#endif
