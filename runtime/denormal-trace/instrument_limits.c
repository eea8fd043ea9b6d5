/* Limits of a run: what the tracer does not see, or what Valgrind does differently from the processor.  They
   go into the recording, counted by instruction when translated, or when they happen. */
#include "instrument.h"
#include "libvex_emnote.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_machine.h"
#if defined(VGA_amd64)
#include "libvex_guest_amd64.h"
#elif defined(VGA_arm64)
#include "libvex_guest_arm64.h"
#endif

enum { FPCR_FLUSH = 1 << 24 };

/* The program loads the control register of floating-point arithmetic. */
static VG_REGPARM(1) void mode_is_set(ULong mode)
{
#if defined(VGA_amd64)
    Bool flushes = mode == EmWarn_X86_fz || mode == EmWarn_X86_daz;
#else
    Bool flushes = (mode & FPCR_FLUSH) != 0;
#endif
    if (flushes)
        limit_add(
            "times that flush-to-zero was turned on, which Valgrind ignores: on the processor such code has fewer denormals than counted, or none",
            1);
}

static void note_mode(struct work *work, const IRStmt *statement)
{
#if defined(VGA_amd64)
    Int offset = offsetof(VexGuestAMD64State, guest_EMNOTE);
#else
    Int offset = offsetof(VexGuestARM64State, guest_FPCR);
#endif
    IRExpr *data = statement->Ist.Put.data;
    if (statement->Ist.Put.offset != offset || data->tag != Iex_RdTmp ||
        typeOfIRExpr(work->block->tyenv, data) != Ity_I32)
        return;
    IRTemp wide = emit(work, Ity_I64, IRExpr_Unop(Iop_32Uto64, data));
    addStmtToIRSB(work->block,
                  IRStmt_Dirty(unsafeIRDirty_0_N(1, "mode_is_set", VG_(fnptr_to_fnentry)(mode_is_set),
                                                 mkIRExprVec_1(temporary(wide)))));
}

void limits_note(struct work *work, const IRStmt *statement)
{
    if (statement->tag == Ist_Put)
        note_mode(work, statement);
    if (statement->tag == Ist_Dirty && VG_(strstr)(statement->Ist.Dirty.details->cee->name, "F80"))
        limit_add(
            "instructions that load or store 80-bit x87 values, whose denormals are not counted there",
            1);
    if (statement->tag == Ist_PutI && statement->Ist.PutI.details->descr->elemTy == Ity_F64)
        limit_add("x87 instructions, which Valgrind computes in 64 bits instead of 80: their counts are "
                  "approximate",
                  1);
}

void limits_note_operation(const struct work *work, UInt op)
{
    struct operation operation;
    if (operation_of(op, &operation) == operation_UNSEEN)
        limit_add("instructions with arithmetic in half or quadruple precision, or in other forms that the tracer does not follow",
                  1);
#if defined(VGA_arm64)
    Bool adds = op == Iop_Add32Fx4 || op == Iop_Sub32Fx4 || op == Iop_Add64Fx2 || op == Iop_Sub64Fx2;
    if (adds && !work->fresh)
        limit_add(
            "vector multiply-adds, which Valgrind computes in two steps: results differ from the processor's",
            1);
#else
    (void)work;
#endif
}
