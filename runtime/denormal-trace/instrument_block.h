/* The instrumenter, as Valgrind calls it. */
#ifndef RUNTIME_DENORMAL_TRACE_INSTRUMENT_BLOCK_H
#define RUNTIME_DENORMAL_TRACE_INSTRUMENT_BLOCK_H
#include "libvex_basictypes.h"
#include "libvex_ir.h"
#include "libvex.h"
#include "pub_tool_tooliface.h"
IRSB *instrument_block(VgCallbackClosure *closure, IRSB *block, const VexGuestLayout *layout,
                       const VexGuestExtents *extents, const VexArchInfo *host, IRType guest_word,
                       IRType host_word);
#endif
