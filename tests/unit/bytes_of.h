/* "48 89 c8" as bytes, for tests of decoders; they include cmocka.h before. */
#ifndef TESTS_UNIT_BYTES_OF_H
#define TESTS_UNIT_BYTES_OF_H
#include <stdint.h>
#include <stdlib.h>

static size_t bytes_of(const char *text, uint8_t *bytes, size_t most)
{
    size_t count = 0;
    char *end;
    for (;; text = end) {
        unsigned long value = strtoul(text, &end, 16);
        if (end == text)
            return count;
        assert_true(count < most);
        bytes[count++] = (uint8_t)value;
    }
}

#endif
