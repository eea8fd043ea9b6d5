/* Zydis' encoder, for the files that make x86-64 instructions. */
#ifndef GAUGE_ENCODE_X86_H
#define GAUGE_ENCODE_X86_H
#include "gauge/instruction.h"

#include <Zydis/Zydis.h>

bool gauge_encode_x86(const ZydisEncoderRequest *request, uint8_t *bytes, uint8_t *size);
#endif
