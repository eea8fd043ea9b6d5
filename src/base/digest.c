/* The standard's own description, word by word: sixteen words of a block are stretched to sixty-four, and
   each of these stirs eight numbers once. */
#include "base/digest.h"

#include "base/memory.h"
#include "base/regular_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const uint32_t constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t turned(uint32_t word, unsigned bits)
{
    return word >> bits | word << (32 - bits);
}

static void stir(uint32_t state[8], const uint8_t *block)
{
    uint32_t words[64], s[8];
    for (unsigned i = 0; i < 16; i++)
        words[i] = (uint32_t)block[4 * i] << 24 | (uint32_t)block[4 * i + 1] << 16 |
                   (uint32_t)block[4 * i + 2] << 8 | block[4 * i + 3];
    for (unsigned i = 16; i < 64; i++) {
        uint32_t early = words[i - 15], late = words[i - 2];
        words[i] = words[i - 16] + (turned(early, 7) ^ turned(early, 18) ^ early >> 3) + words[i - 7] +
                   (turned(late, 17) ^ turned(late, 19) ^ late >> 10);
    }
    memcpy(s, state, sizeof s);
    for (unsigned i = 0; i < 64; i++) {
        uint32_t choice = (s[4] & s[5]) ^ (~s[4] & s[6]);
        uint32_t majority = (s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]);
        uint32_t first =
            s[7] + (turned(s[4], 6) ^ turned(s[4], 11) ^ turned(s[4], 25)) + choice + constants[i] + words[i];
        uint32_t second = (turned(s[0], 2) ^ turned(s[0], 13) ^ turned(s[0], 22)) + majority;
        memmove(s + 1, s, 7 * sizeof *s);
        s[4] += first;
        s[0] = first + second;
    }
    for (unsigned i = 0; i < 8; i++)
        state[i] += s[i];
}

void digest_begin(struct digest *digest)
{
    *digest = (struct digest){.state = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f,
                                        0x9b05688c, 0x1f83d9ab, 0x5be0cd19}};
}

void digest_add(struct digest *digest, const void *bytes, size_t size)
{
    const uint8_t *at = bytes;
    size_t used = digest->size % sizeof digest->block;
    digest->size += size;
    while (size) {
        if (!used && size >= sizeof digest->block) {
            stir(digest->state, at);
            at += sizeof digest->block;
            size -= sizeof digest->block;
            continue;
        }
        size_t part = sizeof digest->block - used;
        part = part < size ? part : size;
        memcpy(digest->block + used, at, part);
        at += part;
        size -= part;
        used += part;
        if (used == sizeof digest->block) {
            stir(digest->state, digest->block);
            used = 0;
        }
    }
}

void digest_add_text(struct digest *digest, const char *text)
{
    digest_add(digest, text, strlen(text) + 1);
}

void digest_end(struct digest *digest, char text[DIGEST_TEXT])
{
    static const uint8_t padding[64] = {0x80};
    uint8_t length[8];
    for (unsigned i = 0; i < 8; i++)
        length[i] = (uint8_t)(digest->size * 8 >> (56 - 8 * i));
    size_t used = digest->size % 64;
    digest_add(digest, padding, used < 56 ? 56 - used : 120 - used);
    digest_add(digest, length, sizeof length);
    for (unsigned i = 0; i < 8; i++)
        snprintf(text + 8 * i, 9, "%08x", digest->state[i]);
}

bool digest_file(const char *path, char text[DIGEST_TEXT], uint64_t *size, struct error *error)
{
    enum { PART = 1 << 20 };
    int file = regular_file_open(path, size, error);
    if (file < 0)
        return false;
    struct digest digest;
    digest_begin(&digest);
    uint8_t *part = memory_get(PART);
    int64_t got;
    while ((got = regular_file_read(file, part, PART)) > 0)
        digest_add(&digest, part, (size_t)got);
    if (got < 0)
        error_set_errno(error, path, "cannot be read");
    if (size)
        *size = digest.size;
    digest_end(&digest, text);
    free(part);
    close(file);
    return got == 0;
}
