/* SHA-256 (FIPS 180-4): whether two files have the same contents, for as long as a ledger lives. */
#ifndef BASE_DIGEST_H
#define BASE_DIGEST_H
#include "base/error.h"

#include <stddef.h>
#include <stdint.h>

struct digest {
    uint32_t state[8];
    uint64_t size; /* bytes until now */
    uint8_t block[64];
};
enum { DIGEST_TEXT = 65 }; /* in hexadecimal, with the zero after it */

void digest_begin(struct digest *digest);
void digest_add(struct digest *digest, const void *bytes, size_t size);
/* A text with the zero after it, so that two texts in a row cannot be mistaken for two others. */
void digest_add_text(struct digest *digest, const char *text);
void digest_end(struct digest *digest, char text[DIGEST_TEXT]);
/* Of the contents of a regular file; size may be NULL. */
bool digest_file(const char *path, char text[DIGEST_TEXT], uint64_t *size, struct error *error);
#endif
