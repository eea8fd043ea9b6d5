/* Finds the lanes of a vector that an instruction really uses.

   Valgrind makes of an instruction on half a register, or on one lane of it, an operation on the whole
   register, and drops what is too much: fadd v0.2s becomes four additions, then the upper half is zero;
   addsubps becomes four additions and four subtractions, then half of each is taken.  The dropped lanes do
   not hold numbers of the program.

   So for every temporary we find which of its words the instruction that makes it uses later.  A temporary
   that other instructions also use, or that goes into a register, counts as a whole: a processor computes all
   lanes of such a result, whatever becomes of them. */
#include "instrument.h"

enum { ALL_WORDS = 0xff };

struct lives {
    struct use *uses;
    UInt instruction; /* from 1, counted from the end of the superblock */
};

static void use_words(struct lives *lives, const IRExpr *argument, UInt words)
{
    if (argument->tag != Iex_RdTmp)
        return;
    struct use *use = &lives->uses[argument->Iex.RdTmp.tmp];
    if (use->instruction && use->instruction != lives->instruction)
        words = ALL_WORDS;
    use->instruction = lives->instruction;
    use->words |= words;
}

UInt operation_lanes_meant(const struct operation *operation, UInt words)
{
    UInt width = (operation->result_bytes ? operation->result_bytes : operation->bytes) / 4, lanes = 0;
    if (operation->lanes == 1)
        return 1;
    for (UInt lane = 0; lane < operation->lanes; lane++)
        if (words >> lane * width & ((1u << width) - 1))
            lanes |= 1u << lane;
    return lanes;
}

/* Words of an operand that make these words of the result. */
static UInt words_of_lanes(const struct operation *operation, UInt words)
{
    UInt lanes = operation_lanes_meant(operation, words), found = 0, width = operation->bytes / 4;
    for (UInt lane = 0; lane < operation->lanes; lane++)
        if (lanes >> lane & 1)
            found |= ((1u << width) - 1) << lane * width;
    return found;
}

static Bool is_word_by_word(IROp op)
{
    switch (op) {
    case Iop_AndV128:
    case Iop_OrV128:
    case Iop_XorV128:
    case Iop_NotV128:
    case Iop_Neg32Fx4:
    case Iop_Abs32Fx4:
    case Iop_Neg64Fx2:
    case Iop_Abs64Fx2:
    case Iop_AndV256:
    case Iop_OrV256:
    case Iop_XorV256:
    case Iop_NotV256:
        return True;
    default:
        return False;
    }
}

static void live_expression(struct lives *lives, const IRExpr *expression, UInt words)
{
    struct operation operation;
    struct move move;
    IROp op = expression_operation(expression);
    UInt count = expression_arguments(expression);
    if (op != Iop_INVALID && move_of(expression, &move)) {
        for (UInt i = 0; i < move.words; i++)
            if (move.argument[i] != MOVE_ZERO)
                use_words(lives, expression_argument(expression, move.argument[i]),
                          words >> i & 1 ? 1u << move.word[i] : 0);
        return;
    }
    if (op != Iop_INVALID && operation_of(op, &operation) == operation_KNOWN && operation.lanes > 1 &&
        !operation.scalar)
        words = words_of_lanes(&operation, words);
    else if (!is_word_by_word(op))
        words = ALL_WORDS;
    for (UInt i = 0; i < count; i++)
        use_words(lives, expression_argument(expression, i), words);
}

static void live_temporary(struct lives *lives, IRTemp number, const IRExpr *expression)
{
    struct use *result = &lives->uses[number];
    if (result->instruction != lives->instruction)
        result->words = ALL_WORDS;
    switch (expression->tag) {
    case Iex_RdTmp:
        use_words(lives, expression, result->words);
        break;
    case Iex_ITE:
        use_words(lives, expression->Iex.ITE.cond, ALL_WORDS);
        use_words(lives, expression->Iex.ITE.iftrue, result->words);
        use_words(lives, expression->Iex.ITE.iffalse, result->words);
        break;
    case Iex_CCall:
        for (UInt i = 0; expression->Iex.CCall.args[i]; i++)
            use_words(lives, expression->Iex.CCall.args[i], ALL_WORDS);
        break;
    default:
        live_expression(lives, expression, result->words);
    }
}

static void live_statement(struct lives *lives, const IRStmt *statement)
{
    switch (statement->tag) {
    case Ist_WrTmp:
        live_temporary(lives, statement->Ist.WrTmp.tmp, statement->Ist.WrTmp.data);
        break;
    case Ist_Put:
        use_words(lives, statement->Ist.Put.data, ALL_WORDS);
        break;
    case Ist_PutI:
        use_words(lives, statement->Ist.PutI.details->data, ALL_WORDS);
        break;
    case Ist_Store:
        use_words(lives, statement->Ist.Store.data, ALL_WORDS);
        break;
    case Ist_StoreG:
        use_words(lives, statement->Ist.StoreG.details->data, ALL_WORDS);
        break;
    case Ist_LLSC:
        if (statement->Ist.LLSC.storedata)
            use_words(lives, statement->Ist.LLSC.storedata, ALL_WORDS);
        break;
    case Ist_CAS:
        use_words(lives, statement->Ist.CAS.details->dataLo, ALL_WORDS);
        if (statement->Ist.CAS.details->dataHi)
            use_words(lives, statement->Ist.CAS.details->dataHi, ALL_WORDS);
        break;
    case Ist_Dirty:
        for (UInt i = 0; statement->Ist.Dirty.details->args[i]; i++)
            use_words(lives, statement->Ist.Dirty.details->args[i], ALL_WORDS);
        break;
    case Ist_IMark:
        lives->instruction++;
        break;
    default:
        break;
    }
}

void lanes_find(const IRSB *block, struct use *uses)
{
    struct lives lives = {uses, 1};
    for (Int i = block->stmts_used - 1; i >= 0; i--)
        live_statement(&lives, block->stmts[i]);
}
