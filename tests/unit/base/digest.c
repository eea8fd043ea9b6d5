/* Digests: the vectors that NIST publishes with the standard, in one piece and in many. */
#include "base/digest.h"
#include "base/memory.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "own_folder.h"

static const struct {
    const char *text, *digest;
} vectors[] = {
    {"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
    {"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
    {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
     "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
    {"abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqr"
     "stnopqrstu",
     "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"}};

static void published_vectors(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
        for (size_t step = 1; step < 130; step += 7) {
            struct digest digest;
            char text[DIGEST_TEXT];
            size_t size = strlen(vectors[i].text);
            digest_begin(&digest);
            for (size_t at = 0; at < size; at += step)
                digest_add(&digest, vectors[i].text + at, size - at < step ? size - at : step);
            digest_end(&digest, text);
            assert_string_equal(text, vectors[i].digest);
        }
}

static void a_million_letters(void **unused)
{
    (void)unused;
    char *letters = memory_get(1000001), text[DIGEST_TEXT];
    memset(letters, 'a', 1000000);
    write_file("letters", letters);
    free(letters);
    struct error error = {0};
    uint64_t size;
    assert_true(digest_file(place("letters"), text, &size, &error));
    assert_int_equal(size, 1000000);
    assert_string_equal(text, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
    assert_false(digest_file(folder, text, &size, &error));
    assert_true(error.set);
}

static void texts_do_not_run_together(void **unused)
{
    (void)unused;
    struct digest left, right;
    char texts[2][DIGEST_TEXT];
    digest_begin(&left);
    digest_begin(&right);
    digest_add_text(&left, "ab");
    digest_add_text(&left, "c");
    digest_add_text(&right, "a");
    digest_add_text(&right, "bc");
    digest_end(&left, texts[0]);
    digest_end(&right, texts[1]);
    assert_string_not_equal(texts[0], texts[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(published_vectors),
        cmocka_unit_test(a_million_letters),
        cmocka_unit_test(texts_do_not_run_together),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
