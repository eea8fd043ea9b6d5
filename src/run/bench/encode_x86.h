/* Zydis' encoder, for the files that make x86-64 instructions. */
#ifndef RUN_BENCH_ENCODE_X86_H
#define RUN_BENCH_ENCODE_X86_H
#include "run/bench/instruction.h"

#include <Zydis/Zydis.h>

bool bench_encode_x86(const ZydisEncoderRequest *request, uint8_t *bytes, uint8_t *size);
#endif
