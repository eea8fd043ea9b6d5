/* What the harnesses share.

   A harness is one file with LLVMFuzzerTestOneInput, the entry point that libFuzzer and AFL++ call.  Linked
   with replay.c instead, it runs the files it is given, which is how `make check` repeats the corpus.  It
   aborts on a wrong result; the sanitizers find the rest. */
#ifndef FUZZ_HARNESS_H
#define FUZZ_HARNESS_H
#include "model/model.h"
#include <stdio.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The input as a file that readers can open by name, the same one each time. */
const char *harness_file(const uint8_t *data, size_t size);
/* The same for a base, damaged as the input describes: four bytes for the size (modulo the whole), then
   changes, each of four bytes for the offset (modulo the size), one for the length, and the bytes. */
const char *harness_damaged(struct span base, const uint8_t *data, size_t size);
/* A stream to /dev/null. */
FILE *harness_nowhere(void);
/* The input as text, with a zero at its end; to be freed. */
char *harness_text(const uint8_t *data, size_t size);
/* Prints what is wrong and aborts. */
_Noreturn void harness_wrong(const char *what, const char *detail);
/* Reads an input and finds its structure, on one thread.  The model is valid even if this fails. */
bool harness_build(struct model *model, const uint8_t *data, size_t size);
#endif
