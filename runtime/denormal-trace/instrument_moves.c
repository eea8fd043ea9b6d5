/* Where values go: expressions that move 32-bit words about without changing them, and what the rest of a
   superblock does with each temporary. */
#include "instrument.h"
#include "pub_tool_libcbase.h"
#if defined(VGA_amd64)
#include "libvex_guest_amd64.h"
#elif defined(VGA_arm64)
#include "libvex_guest_arm64.h"
#endif

UInt register_word(Int offset)
{
#if defined(VGA_amd64)
    Int start = offsetof(VexGuestAMD64State, guest_YMM0);
    Int end = offsetof(VexGuestAMD64State, guest_YMM16) + 32;
#elif defined(VGA_arm64)
    Int start = offsetof(VexGuestARM64State, guest_Q0);
    Int end = offsetof(VexGuestARM64State, guest_Q31) + 16;
#endif
    return offset >= start && offset < end && (offset - start) % 4 == 0 ? (offset - start) / 4
                                                                        : NOT_A_REGISTER;
}

UInt any_register_word(Int offset)
{
#if defined(VGA_amd64)
    Int start = offsetof(VexGuestAMD64State, guest_RAX), end = offsetof(VexGuestAMD64State, guest_R15) + 8;
#elif defined(VGA_arm64)
    Int start = offsetof(VexGuestARM64State, guest_X0), end = offsetof(VexGuestARM64State, guest_X30) + 8;
#endif
    return offset >= start && offset < end && (offset - start) % 4 == 0
               ? (UInt)(VECTOR_REGISTER_WORDS + (offset - start) / 4)
               : register_word(offset);
}

UInt type_words(IRType type)
{
    switch (type) {
    case Ity_I32:
    case Ity_F32:
        return 1;
    case Ity_I64:
    case Ity_F64:
        return 2;
    case Ity_V128:
        return 4;
    case Ity_V256:
        return 8;
    default:
        return 0;
    }
}

UInt expression_arguments(const IRExpr *expression)
{
    switch (expression->tag) {
    case Iex_Unop:
        return 1;
    case Iex_Binop:
        return 2;
    case Iex_Triop:
        return 3;
    case Iex_Qop:
        return 4;
    default:
        return 0;
    }
}

IRExpr *expression_argument(const IRExpr *expression, UInt index)
{
    switch (expression->tag) {
    case Iex_Unop:
        return expression->Iex.Unop.arg;
    case Iex_Binop:
        return index == 0 ? expression->Iex.Binop.arg1 : expression->Iex.Binop.arg2;
    case Iex_Triop: {
        IRTriop *triop = expression->Iex.Triop.details;
        return index == 0 ? triop->arg1 : index == 1 ? triop->arg2 : triop->arg3;
    }
    default: {
        IRQop *qop = expression->Iex.Qop.details;
        return index == 0 ? qop->arg1 : index == 1 ? qop->arg2 : index == 2 ? qop->arg3 : qop->arg4;
    }
    }
}

IROp expression_operation(const IRExpr *expression)
{
    switch (expression->tag) {
    case Iex_Unop:
        return expression->Iex.Unop.op;
    case Iex_Binop:
        return expression->Iex.Binop.op;
    case Iex_Triop:
        return expression->Iex.Triop.details->op;
    case Iex_Qop:
        return expression->Iex.Qop.details->op;
    default:
        return Iop_INVALID;
    }
}

static void add(struct move *move, UInt argument, UInt word)
{
    move->argument[move->words] = argument;
    move->word[move->words++] = word;
}

static void add_words(struct move *move, UInt argument, UInt first, UInt count)
{
    for (UInt i = 0; i < count; i++)
        add(move, argument, first + i);
}

static void add_zeros(struct move *move, UInt count)
{
    add_words(move, MOVE_ZERO, 0, count);
}

static Bool unary_move(IROp op, struct move *move)
{
    switch (op) {
    case Iop_32UtoV128:
    case Iop_ZeroHI96ofV128:
        add(move, 0, 0);
        add_zeros(move, 3);
        return True;
    case Iop_64UtoV128:
    case Iop_ZeroHI64ofV128:
        add_words(move, 0, 0, 2);
        add_zeros(move, 2);
        return True;
    case Iop_32Uto64:
        add(move, 0, 0);
        add_zeros(move, 1);
        return True;
    case Iop_V128to32:
    case Iop_64to32:
    case Iop_ReinterpF32asI32:
    case Iop_ReinterpI32asF32:
        add(move, 0, 0);
        return True;
    case Iop_64HIto32:
        add(move, 0, 1);
        return True;
    case Iop_V128to64:
    case Iop_V256to64_0:
    case Iop_ReinterpF64asI64:
    case Iop_ReinterpI64asF64:
        add_words(move, 0, 0, 2);
        return True;
    case Iop_V128HIto64:
    case Iop_V256to64_1:
        add_words(move, 0, 2, 2);
        return True;
    case Iop_V256to64_2:
        add_words(move, 0, 4, 2);
        return True;
    case Iop_V256to64_3:
        add_words(move, 0, 6, 2);
        return True;
    case Iop_V256toV128_0:
        add_words(move, 0, 0, 4);
        return True;
    case Iop_V256toV128_1:
        add_words(move, 0, 4, 4);
        return True;
    case Iop_Dup32x4:
        for (UInt i = 0; i < 4; i++)
            add(move, 0, 0);
        return True;
    case Iop_Reverse32sIn64_x2:
        add(move, 0, 1);
        add(move, 0, 0);
        add(move, 0, 3);
        add(move, 0, 2);
        return True;
    default:
        return False;
    }
}

/* Words of the right and the left argument in turns, as r, l, r, l. */
static Bool interleaved(struct move *move, UInt right_and_left, UInt other)
{
    add(move, 1, right_and_left);
    add(move, 0, right_and_left);
    add(move, 1, other);
    add(move, 0, other);
    return True;
}

static Bool concatenated(struct move *move, UInt first, UInt second)
{
    add(move, 1, first);
    add(move, 1, second);
    add(move, 0, first);
    add(move, 0, second);
    return True;
}

static Bool shifted(struct move *move, Int words) /* towards the top by this many */
{
    for (Int i = 0; i < 4; i++)
        if (i - words >= 0 && i - words < 4)
            add(move, 0, i - words);
        else
            add_zeros(move, 1);
    return True;
}

static Bool binary_move(IROp op, const IRExpr *second, struct move *move)
{
    Int constant =
        second->tag == Iex_Const && second->Iex.Const.con->tag == Ico_U8 ? second->Iex.Const.con->Ico.U8 : -1;
    switch (op) {
    case Iop_32HLto64:
        add(move, 1, 0);
        add(move, 0, 0);
        return True;
    case Iop_64HLtoV128:
        add_words(move, 1, 0, 2);
        add_words(move, 0, 0, 2);
        return True;
    case Iop_V128HLtoV256:
        add_words(move, 1, 0, 4);
        add_words(move, 0, 0, 4);
        return True;
    case Iop_SetV128lo32:
        add(move, 1, 0);
        add_words(move, 0, 1, 3);
        return True;
    case Iop_SetV128lo64:
        add_words(move, 1, 0, 2);
        add_words(move, 0, 2, 2);
        return True;
    case Iop_InterleaveLO32x4:
        return interleaved(move, 0, 1);
    case Iop_InterleaveHI32x4:
        return interleaved(move, 2, 3);
    case Iop_InterleaveEvenLanes32x4:
        return interleaved(move, 0, 2);
    case Iop_InterleaveOddLanes32x4:
        return interleaved(move, 1, 3);
    case Iop_CatEvenLanes32x4:
        return concatenated(move, 0, 2);
    case Iop_CatOddLanes32x4:
        return concatenated(move, 1, 3);
    case Iop_InterleaveLO64x2:
        return concatenated(move, 0, 1);
    case Iop_InterleaveHI64x2:
        return concatenated(move, 2, 3);
    case Iop_GetElem32x4:
        if (constant < 0 || constant > 3)
            return False;
        add(move, 0, constant);
        return True;
    case Iop_GetElem64x2:
        if (constant < 0 || constant > 1)
            return False;
        add_words(move, 0, 2 * constant, 2);
        return True;
    case Iop_ShlV128:
        return constant >= 0 && constant % 32 == 0 && shifted(move, constant / 32);
    case Iop_ShrV128:
        return constant >= 0 && constant % 32 == 0 && shifted(move, -(constant / 32));
    default:
        return False;
    }
}

Bool move_of(const IRExpr *expression, struct move *move)
{
    move->words = 0;
    if (expression->tag == Iex_Unop)
        return unary_move(expression->Iex.Unop.op, move);
    if (expression->tag == Iex_Binop)
        return binary_move(expression->Iex.Binop.op, expression->Iex.Binop.arg2, move);
    if (expression->tag == Iex_Triop && expression->Iex.Triop.details->op == Iop_SliceV128) {
        const IRExpr *third = expression->Iex.Triop.details->arg3;
        if (third->tag != Iex_Const || third->Iex.Const.con->tag != Ico_U8 ||
            third->Iex.Const.con->Ico.U8 % 4 != 0 || third->Iex.Const.con->Ico.U8 > 16)
            return False;
        for (UInt i = 0, from = third->Iex.Const.con->Ico.U8 / 4; i < 4; i++, from++)
            add(move, from < 4 ? 1 : 0, from % 4);
        return True;
    }
    if (expression->tag == Iex_Qop && expression->Iex.Qop.details->op == Iop_64x4toV256) {
        for (Int argument = 3; argument >= 0; argument--)
            add_words(move, argument, 0, 2);
        return True;
    }
    return False;
}

Bool passes_demand(IROp op)
{
    switch (op) {
    case Iop_AndV128:
    case Iop_OrV128:
    case Iop_XorV128:
    case Iop_AndV256:
    case Iop_OrV256:
    case Iop_XorV256:
    case Iop_And32:
    case Iop_Or32:
    case Iop_Xor32:
    case Iop_And64:
    case Iop_Or64:
    case Iop_Xor64:
    case Iop_NegF32:
    case Iop_NegF64:
    case Iop_AbsF32:
    case Iop_AbsF64:
    case Iop_Neg32Fx4:
    case Iop_Neg64Fx2:
    case Iop_Abs32Fx4:
    case Iop_Abs64Fx2:
    case Iop_Perm32x4:
    case Iop_Perm8x16:
    case Iop_PermOrZero8x16:
    case Iop_Perm32x8:
        return True;
    default:
        return False;
    }
}

static void demand(struct use *uses, const IRExpr *argument, UInt widths, Bool vector)
{
    if (argument->tag != Iex_RdTmp)
        return;
    struct use *use = &uses[argument->Iex.RdTmp.tmp];
    use->demand |= widths;
    use->vector |= vector;
    use->ever = use->elsewhere = True;
}

/* Conversion to an integer, for which x86 signals no denormal operand. */
static Bool is_to_integer(const struct operation *operation)
{
    return operation->result_bytes == 0 && !operation->traps;
}

static void use_expression(const IRSB *block, struct use *uses, UChar *registers, IRTemp result,
                           const IRExpr *expression)
{
    struct use wanted = uses[result];
    IRType type = typeOfIRTemp(block->tyenv, result);
    Bool vector = wanted.vector || type == Ity_F32 || type == Ity_F64 || type == Ity_V128 || type == Ity_V256;
    struct operation operation;
    struct move move;
    if (expression->tag == Iex_RdTmp) {
        demand(uses, expression, wanted.demand, wanted.vector);
    } else if (expression->tag == Iex_Get) {
        UInt first = register_word(expression->Iex.Get.offset);
        UInt end = first == NOT_A_REGISTER ? 0 : first + type_words(type);
        for (UInt word = first; word < end && word < VECTOR_REGISTER_WORDS; word++)
            registers[word] |= wanted.demand;
    } else if (expression->tag == Iex_ITE) {
        demand(uses, expression->Iex.ITE.cond, 0, False);
        demand(uses, expression->Iex.ITE.iftrue, wanted.demand, wanted.vector);
        demand(uses, expression->Iex.ITE.iffalse, wanted.demand, wanted.vector);
    } else if (expression->tag == Iex_Load) {
        demand(uses, expression->Iex.Load.addr, 0, False);
    } else if (expression->tag == Iex_CCall) {
        for (UInt i = 0; expression->Iex.CCall.args[i]; i++)
            demand(uses, expression->Iex.CCall.args[i], 0, False);
    }
    UInt count = expression_arguments(expression);
    if (count == 0)
        return;
    IROp op = expression_operation(expression);
    Bool arithmetic = operation_of(op, &operation) == operation_KNOWN;
    Bool moves = !arithmetic && (move_of(expression, &move) || passes_demand(op));
    for (UInt i = 0; i < count; i++) {
        const IRExpr *argument = expression_argument(expression, i);
        if (arithmetic && is_to_integer(&operation) && argument->tag == Iex_RdTmp) {
            struct use *use = &uses[argument->Iex.RdTmp.tmp];
            Bool elsewhere = use->elsewhere;
            demand(uses, argument, operation.bytes == 4 ? demand_FLOAT : demand_DOUBLE, True);
            use->elsewhere = elsewhere;
            use->to_integer = True;
        } else if (arithmetic)
            demand(uses, argument,
                   i + operation.operands < count ? 0
                   : operation.bytes == 4         ? demand_FLOAT
                                                  : demand_DOUBLE,
                   i + operation.operands >= count);
        else if (moves)
            demand(uses, argument, wanted.demand, vector);
        else
            demand(uses, argument, 0, False);
    }
}

void uses_find(const IRSB *block, struct use *uses)
{
    UChar registers[VECTOR_REGISTER_WORDS] = {0};
    VG_(memset)(uses, 0, block->tyenv->types_used * sizeof *uses);
    for (Int i = block->stmts_used - 1; i >= 0; i--) {
        const IRStmt *statement = block->stmts[i];
        if (statement->tag == Ist_WrTmp) {
            use_expression(block, uses, registers, statement->Ist.WrTmp.tmp, statement->Ist.WrTmp.data);
        } else if (statement->tag == Ist_Put) {
            const IRExpr *data = statement->Ist.Put.data;
            UInt first = register_word(statement->Ist.Put.offset), wanted = 0;
            UInt count = type_words(typeOfIRExpr(block->tyenv, data));
            for (UInt k = 0; first != NOT_A_REGISTER && k < count && first + k < VECTOR_REGISTER_WORDS; k++) {
                wanted |= registers[first + k];
                registers[first + k] = 0;
            }
            demand(uses, data, wanted, first != NOT_A_REGISTER);
        } else if (statement->tag == Ist_PutI) {
            demand(uses, statement->Ist.PutI.details->data, 0, False);
        } else if (statement->tag == Ist_Store) {
            demand(uses, statement->Ist.Store.addr, 0, False);
            demand(uses, statement->Ist.Store.data, 0, False);
        } else if (statement->tag == Ist_StoreG) {
            demand(uses, statement->Ist.StoreG.details->addr, 0, False);
            demand(uses, statement->Ist.StoreG.details->data, 0, False);
        } else if (statement->tag == Ist_Exit) {
            demand(uses, statement->Ist.Exit.guard, 0, False);
        } else if (statement->tag == Ist_Dirty) {
            for (UInt k = 0; statement->Ist.Dirty.details->args[k]; k++)
                demand(uses, statement->Ist.Dirty.details->args[k], 0, False);
        }
    }
}
