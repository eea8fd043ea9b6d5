/* PNG files as an independent reader sees them: chunks, checksums and pixels. */
#include "show/report/common/png.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include <cmocka.h>

static uint32_t u32(const uint8_t *bytes)
{
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

/* The chunk at a place: its kind must be as said; *size: of its data. */
static const uint8_t *chunk(const struct array *bytes, size_t *at, const char *kind, uint32_t *size)
{
    const uint8_t *data = bytes->data;
    assert_true(*at + 12 <= bytes->count);
    *size = u32(data + *at);
    assert_true(*size <= bytes->count - *at - 12);
    assert_memory_equal(data + *at + 4, kind, 4);
    assert_int_equal(u32(data + *at + 8 + *size), crc32(0, data + *at + 4, *size + 4));
    const uint8_t *inside = data + *at + 8;
    *at += *size + 12;
    return inside;
}

static void expect_pixels(const uint8_t *packed, size_t size, const struct picture *picture)
{
    size_t row = 3 * (size_t)picture->width;
    uLongf length = (uLongf)((row + 1) * picture->height);
    uint8_t *lines = malloc(length), *before = calloc(1, row);
    assert_int_equal(uncompress(lines, &length, packed, (uLong)size), Z_OK);
    assert_int_equal(length, (row + 1) * picture->height);
    for (uint32_t y = 0; y < picture->height; y++) {
        uint8_t *line = lines + y * (row + 1);
        assert_true(line[0] == 0 || line[0] == 2);
        for (size_t i = 0; i < row; i++)
            before[i] = (uint8_t)(line[1 + i] + (line[0] == 2 ? before[i] : 0));
        assert_memory_equal(before, picture->pixels + y * row, row);
    }
    free(lines);
    free(before);
}

static struct picture painted(uint32_t width, uint32_t height, unsigned seed)
{
    struct picture picture = picture_new(width, height);
    for (size_t i = 0; i < 3 * (size_t)width * height; i++)
        picture.pixels[i] = (uint8_t)((seed = seed * 1103515245 + 12345) >> 16);
    return picture;
}

static size_t expect_head(const struct array *bytes, uint32_t width, uint32_t height)
{
    size_t at = 8;
    uint32_t size;
    assert_memory_equal(bytes->data, "\x89PNG\r\n\x1a\n", 8);
    const uint8_t *head = chunk(bytes, &at, "IHDR", &size);
    assert_int_equal(size, 13);
    assert_int_equal(u32(head), width);
    assert_int_equal(u32(head + 4), height);
    assert_memory_equal(head + 8, "\x08\x02\x00\x00\x00", 5);
    return at;
}

static void one_picture(void **state)
{
    (void)state;
    static const uint32_t sizes[][2] = {{1, 1}, {7, 3}, {300, 1}, {1, 300}, {256, 256}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct error error = {0};
        struct array bytes = ARRAY_OF(uint8_t);
        struct picture picture = painted(sizes[i][0], sizes[i][1], 5);
        uint32_t size;
        assert_true(png_encode(&picture, 1, 0, &bytes, &error));
        size_t at = expect_head(&bytes, sizes[i][0], sizes[i][1]);
        const uint8_t *data = chunk(&bytes, &at, "IDAT", &size);
        expect_pixels(data, size, &picture);
        chunk(&bytes, &at, "IEND", &size);
        assert_int_equal(size, 0);
        assert_int_equal(at, bytes.count);
        array_free(&bytes);
        picture_free(&picture);
    }
}

static void a_film(void **state)
{
    (void)state;
    enum { FRAMES = 3 };
    struct error error = {0};
    struct array bytes = ARRAY_OF(uint8_t);
    struct picture frames[FRAMES];
    uint32_t size, sequence = 0;
    for (unsigned i = 0; i < FRAMES; i++)
        frames[i] = painted(20, 10, i);
    assert_true(png_encode(frames, FRAMES, 250, &bytes, &error));
    size_t at = expect_head(&bytes, 20, 10);
    const uint8_t *data = chunk(&bytes, &at, "acTL", &size);
    assert_int_equal(size, 8);
    assert_int_equal(u32(data), FRAMES);
    assert_int_equal(u32(data + 4), 0);
    for (unsigned i = 0; i < FRAMES; i++) {
        data = chunk(&bytes, &at, "fcTL", &size);
        assert_int_equal(size, 26);
        assert_int_equal(u32(data), sequence++);
        assert_int_equal(u32(data + 4), 20);
        assert_int_equal(u32(data + 8), 10);
        assert_int_equal((data[20] << 8 | data[21]) * 1000 / (data[22] << 8 | data[23]), 250);
        data = chunk(&bytes, &at, i ? "fdAT" : "IDAT", &size);
        if (i)
            assert_int_equal(u32(data), sequence++);
        expect_pixels(i ? data + 4 : data, i ? size - 4 : size, &frames[i]);
        picture_free(&frames[i]);
    }
    chunk(&bytes, &at, "IEND", &size);
    assert_int_equal(at, bytes.count);
    array_free(&bytes);
}

static void what_cannot_be_is_refused(void **state)
{
    (void)state;
    struct error error = {0};
    struct array bytes = ARRAY_OF(uint8_t);
    struct picture frames[2] = {painted(4, 4, 1), painted(4, 5, 1)}, empty = {0};
    assert_false(png_encode(frames, 2, 100, &bytes, &error));
    assert_false(png_encode(&empty, 1, 100, &bytes, &error));
    assert_false(png_encode(frames, 0, 100, &bytes, &error));
    assert_false(png_encode(frames, 1, 70000, &bytes, &error));
    assert_int_equal(bytes.count, 0);
    assert_true(error.set);
    picture_free(&frames[0]);
    picture_free(&frames[1]);
    array_free(&bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_picture),
        cmocka_unit_test(a_film),
        cmocka_unit_test(what_cannot_be_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
