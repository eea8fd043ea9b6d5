/* Instruments a superblock: walks its statements in order, copies them, puts floating-point values aside, and
   collects what happens to them as steps of a stretch (stretch.h).

   For each temporary and each vector register it is known at this time, word by word, which word that was put
   aside it is a copy of, so shuffles and moves cost nothing when the code runs.  A value of unknown origin
   (an integer operation, a register from an earlier superblock) is put aside when an operation or a store
   needs it.

   If the area is full, the stretch ends early and everything known about words is dropped: later code puts
   values aside again. */
#include "instrument.h"
#include "instrument_block.h"
#include "trace_file.h"
#include "pub_tool_libcassert.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_machine.h"
#include "pub_tool_mallocfree.h"

UInt area_offset;
static struct work the_work;

enum { ROOM_FOR_A_STATEMENT = 64 }; /* words and steps: three operands, a result and an address at most */
#if defined(VGA_arm64)
enum { ROOM_FOR_AN_INSTRUCTION = 2 * ROOM_FOR_A_STATEMENT }; /* see fuse */
#else
enum { ROOM_FOR_AN_INSTRUCTION = ROOM_FOR_A_STATEMENT };
#endif

/* --- stretches --- */

static void stretch_begin(struct work *work)
{
    work->step_count = work->computing_count = work->vectors_tested = 0;
    work->has_opaque = work->has_integer_store = False;
    work->page_verdict = IRTemp_INVALID;
    work->vector_verdict[0] = work->vector_verdict[1] = work->integer_verdict = IRTemp_INVALID;
    for (UInt i = 0; i < work->cell_count; i++)
        for (UInt width = 0; width < 2; width++) {
            work->cells[i].counted[width] = False;
            /* A value that lives across a call has to be saved and restored, which is not cheaper than a
               test. */
            work->cells[i].test[width] = IRTemp_INVALID;
        }
    for (UInt i = 0; i < sizeof work->constants / sizeof *work->constants; i++)
        work->constants[i] = IRTemp_INVALID;
    VG_(memset)(work->written, 0, sizeof work->written);
    VG_(memset)(work->overwritten, 0, sizeof work->overwritten);
}

static void forget_words(struct work *work)
{
    for (Int i = 0; i < work->temporaries; i++)
        for (UInt word = 0; word < MOST_WORDS; word++)
            work->words[i][word] = REF_UNKNOWN;
    for (UInt i = 0; i < MOST_REGISTER_WORDS; i++)
        work->registers[i] = REF_UNKNOWN;
    for (UInt i = 0; i < VECTOR_REGISTER_WORDS; i++)
        work->unfollowed[i] = IRTemp_INVALID;
    work->next_word = FIRST_WORD;
    work->cell_count = 0;
}

static UInt updates_find(const struct work *work, struct register_update *updates)
{
    UInt count = 0;
    for (UInt i = 0; i < MOST_REGISTER_WORDS; i++) {
        Ref from = work->registers[i];
        if (!work->written[i] || from == REF_UNKNOWN || from == REF_ZERO)
            continue;
        struct register_update *last = &updates[count - 1];
        if (from == REF_REGISTER + i)
            continue;
        if (count > 0 && last->reg + last->words == i && last->from + last->words == from)
            last->words++;
        else
            updates[count++] = (struct register_update){i, 1, from};
    }
    return count;
}

static struct stretch *stretch_make(struct work *work)
{
    struct register_update updates[MOST_REGISTER_WORDS];
    struct stretch *stretch = VG_(calloc)("trace.stretch", 1, sizeof *stretch);
    stretch->superblock = work->superblock;
    stretch->translation = work->translation;
    stretch->words = work->next_word;
    stretch->step_count = work->step_count;
    stretch->keeps_recent = work->has_opaque;
    stretch->has_integers = work->page_verdict != IRTemp_INVALID;
    stretch->steps = VG_(malloc)("trace.steps", (work->step_count + 1) * sizeof *stretch->steps);
    VG_(memcpy)(stretch->steps, work->steps, work->step_count * sizeof *stretch->steps);
    stretch->update_count = updates_find(work, updates);
    stretch->updates = VG_(malloc)("trace.updates", (stretch->update_count + 1) * sizeof *updates);
    VG_(memcpy)(stretch->updates, updates, stretch->update_count * sizeof *updates);
    stretch->site_count = work->computing_count;
    stretch->sites = VG_(malloc)("trace.sites", (work->computing_count + 1) * sizeof *stretch->sites);
    VG_(memcpy)(stretch->sites, work->computing, work->computing_count * sizeof *stretch->sites);
    stretch_keep(stretch);
    work->has_stretch = True;
    return stretch;
}

/* --- putting aside --- */

static UInt words_take(struct work *work, UInt count)
{
    UInt alignment = count >= 4 ? 4 : count;
    UInt first = (work->next_word + alignment - 1) / alignment * alignment;
    work->next_word = first + count;
    tl_assert(work->next_word <= AREA_WORDS);
    return first;
}

static void put_word(struct work *work, UInt word, IRExpr *value)
{
    addStmtToIRSB(work->block, IRStmt_Put(area_offset + 4 * word, value));
}

static UInt cell_make(struct work *work, IRTemp number, UInt width)
{
    IRType type = typeOfIRTemp(work->block->tyenv, number);
    UInt count = type_words(type), first = words_take(work, count);
    put_word(work, first, temporary(number));
    work->cells[work->cell_count] = (struct cell){
        .temporary = number, .type = type, .width = width, .test = {IRTemp_INVALID, IRTemp_INVALID}};
    for (UInt i = 0; i < count; i++) {
        work->cell_of[first + i] = work->cell_count;
        work->words[number][i] = first + i;
    }
    work->cell_count++;
    return first;
}

static struct step *step_add(struct work *work, enum step_kind kind)
{
    if (!work->site)
        work->site = site_at(work->instruction);
    struct step *step = &work->steps[work->step_count++];
    VG_(memset)(step, 0, sizeof *step);
    step->kind = kind;
    step->site = work->site;
    return step;
}

static void put_aside(struct work *work, IRTemp number)
{
    struct step *step = step_add(work, step_COPY);
    VG_(memcpy)(step->from[0], work->words[number], sizeof step->from[0]);
    step->words = type_words(typeOfIRTemp(work->block->tyenv, number));
    for (UInt i = 0; i < step->words; i++)
        step->opaque |= step->from[0][i] == REF_UNKNOWN;
    step->from_numbers = work->from_numbers[number];
    if (step->opaque)
        work->has_opaque = True;
    step->value = cell_make(work, number, 0);
}

/* What lies in a vector register when a stretch ends, made of numbers in a way that is not followed (a table
   look-up, a change of sign), is put aside then at the latest: its tags are found while the values that it
   was made of still have theirs. */
static void registers_settle(struct work *work)
{
    for (UInt first = 0; first < VECTOR_REGISTER_WORDS; first++) {
        IRTemp number = work->unfollowed[first];
        if (number == IRTemp_INVALID)
            continue;
        UInt count = type_words(typeOfIRTemp(work->block->tyenv, number));
        work->unfollowed[first] = IRTemp_INVALID;
        if (work->words[number][0] == REF_UNKNOWN) {
            if (work->next_word + 2 * count > AREA_WORDS || work->step_count == AREA_WORDS)
                continue;
            put_aside(work, number);
            for (UInt width = 4; width <= 4 * count && width <= 8; width += 4)
                verdict_add_cell(work, work->cell_count - 1, width);
        }
        for (UInt i = 0; i < count; i++)
            work->registers[first + i] = work->words[number][i];
    }
}

/* --- the end of a stretch --- */

static IRExpr *number64(ULong value)
{
    return IRExpr_Const(IRConst_U64(value));
}

static IRDirty *call_make(struct stretch *stretch)
{
    IRExpr *argument = number64((ULong)(Addr)stretch);
#if defined(VGA_arm64) /* its back end has no pointer to the guest state for calls that are guarded */
    return unsafeIRDirty_0_N(1, "events_of_stretch_here", VG_(fnptr_to_fnentry)(events_of_stretch_here),
                             mkIRExprVec_1(argument));
#else
    IRDirty *call = unsafeIRDirty_0_N(2, "events_of_stretch", VG_(fnptr_to_fnentry)(events_of_stretch),
                                      mkIRExprVec_2(argument, IRExpr_GSPTR()));
    call->nFxState = 1;
    VG_(memset)(&call->fxState, 0, sizeof call->fxState);
    call->fxState[0].fx = Ifx_Read;
    call->fxState[0].offset = area_offset;
    call->fxState[0].size = AREA_WORDS * 4;
    return call;
#endif
}

static void stretch_end(struct work *work)
{
    registers_settle(work);
    if (work->step_count == 0)
        return;
    struct stretch *stretch = stretch_make(work);
    IRExpr *guard = verdict(work);
    if (work->computing_count > 0) {
        IRExpr *place = number64((ULong)(Addr)&stretch->executions);
        IRTemp before = emit(work, Ity_I64, IRExpr_Load(Iend_LE, Ity_I64, place));
        IRTemp after = emit(work, Ity_I64, IRExpr_Binop(Iop_Add64, temporary(before), number64(1)));
        addStmtToIRSB(work->block, IRStmt_Store(Iend_LE, place, temporary(after)));
    }
    if (guard) {
        if (settings.origins) /* call stacks are taken from here */
            addStmtToIRSB(work->block, IRStmt_Put(work->layout->offset_IP, number64(work->instruction)));
        IRDirty *call = call_make(stretch);
        call->guard = guard;
        addStmtToIRSB(work->block, IRStmt_Dirty(call));
    }
    stretch_begin(work);
}

static void make_room(struct work *work, UInt room)
{
    if (work->next_word + room <= AREA_WORDS && work->step_count + 8 <= AREA_WORDS)
        return;
    stretch_end(work);
    forget_words(work);
}

static Bool is_resolved(const Ref *words, const UShort *cell_of, UInt count, UInt bytes)
{
    for (UInt i = 0; i < count; i++)
        if (words[i] >= REF_REGISTER)
            return False;
    for (UInt i = 0; bytes == 8 && i + 1 < count; i += 2) {
        if (words[i] == REF_ZERO && words[i + 1] == REF_ZERO)
            continue;
        if (words[i] == REF_ZERO || words[i + 1] != words[i] + 1 || words[i] % 2 != 0 ||
            cell_of[words[i]] != cell_of[words[i + 1]])
            return False;
    }
    return True;
}

/* Words of an operand or of a value to store; those beyond count do not matter. */
static void resolve(struct work *work, const IRExpr *argument, UInt count, UInt bytes, Ref *words)
{
    for (UInt i = 0; i < MOST_WORDS; i++)
        words[i] = REF_ZERO;
    if (argument->tag != Iex_RdTmp)
        return;
    IRTemp number = argument->Iex.RdTmp.tmp;
    if (!is_resolved(work->words[number], work->cell_of, count, bytes))
        put_aside(work, number);
    for (UInt i = 0; i < count; i++)
        words[i] = work->words[number][i];
}

/* --- statements --- */

/* AArch64's multiply-add of vectors, which Valgrind makes two operations of, is one with three operands: the
   product is nothing that the processor has.  The step of the multiplication goes, and what it read becomes
   the addition's. */
static void fuse(struct work *work, struct step *addition)
{
#if defined(VGA_arm64)
    UInt last = work->step_count - 1, at = last;
    if (addition->first || addition->lanes < 2 || addition->operands != 2 || addition->result_bytes == 0)
        return;
    for (UInt i = 0; i < 2; i++)
        for (at = last; at-- > 0 && work->steps[at].site == addition->site;) {
            struct step *product = &work->steps[at];
            if (product->kind != step_OPERATION || product->operands != 2 ||
                product->lanes != addition->lanes || product->value != addition->from[i][0])
                continue;
            VG_(memcpy)(addition->from[2], addition->from[1 - i], sizeof addition->from[2]);
            VG_(memcpy)(addition->from[0], product->from[0], sizeof addition->from[0]);
            VG_(memcpy)(addition->from[1], product->from[1], sizeof addition->from[1]);
            addition->operands = 3;
            addition->action = TRACE_MULTIPLY_ADD;
            addition->first = product->first;
            for (; at < last; at++)
                work->steps[at] = work->steps[at + 1];
            work->step_count--;
            return;
        }
#else
    (void)work, (void)addition;
#endif
}

static Bool is_sum(IROp op)
{
    return op == Iop_Add32Fx4 || op == Iop_Sub32Fx4 || op == Iop_Add64Fx2 || op == Iop_Sub64Fx2;
}

static void do_operation(struct work *work, IRStmt *statement, const struct operation *operation)
{
    const IRExpr *expression = statement->Ist.WrTmp.data;
    IRTemp result = statement->Ist.WrTmp.tmp;
    UInt arguments = expression_arguments(expression), count = operation->lanes * operation->bytes / 4;
    Ref from[MOST_OPERANDS][MOST_WORDS];
    const IRExpr *first = expression_argument(expression, arguments - operation->operands);
    for (UInt i = 0; i < operation->operands; i++)
        resolve(work, expression_argument(expression, arguments - operation->operands + i), count,
                operation->bytes, from[i]);
    addStmtToIRSB(work->block, statement);
    struct step *step = step_add(work, step_OPERATION);
    step->bytes = operation->bytes;
    step->result_bytes = operation->result_bytes;
    step->lanes = operation->lanes;
    step->operands = operation->operands;
    step->action = action_of(expression_operation(expression), operation);
    step->meant = operation_lanes_meant(operation, work->uses[result].words);
    /* One of x86's conversions to an integer is two operations here. */
    step->traps = operation->traps && !(work->uses[result].to_integer && !work->uses[result].elsewhere);
    step->first = work->fresh;
    if (work->fresh)
        work->computing[work->computing_count++] = work->site;
    work->fresh = False;
    VG_(memcpy)(step->from, from, sizeof from);
    for (UInt i = 0; i < operation->operands; i++)
        for (UInt word = 0; word < count; word += operation->bytes / 4)
            if (from[i][word] != REF_ZERO)
                verdict_add_cell(work, work->cell_of[from[i][word]], operation->bytes);
    if (operation->result_bytes == 0)
        return;
    step->value = cell_make(work, result, operation->result_bytes);
    verdict_add_cell(work, work->cell_count - 1, operation->result_bytes);
    if (operation->scalar && first->tag == Iex_RdTmp)
        for (UInt i = operation->bytes / 4; i < 4; i++)
            if (work->words[first->Iex.RdTmp.tmp][i] != REF_UNKNOWN)
                work->words[result][i] = work->words[first->Iex.RdTmp.tmp][i];
    if (is_sum(expression_operation(expression)))
        fuse(work, step);
}

static void put_address(struct work *work, struct step *step, IRExpr *address)
{
    step->address = words_take(work, 2);
    put_word(work, step->address, address);
}

static void do_load(struct work *work, IRStmt *statement)
{
    IRTemp number = statement->Ist.WrTmp.tmp;
    IRExpr *address = statement->Ist.WrTmp.data->Iex.Load.addr;
    IRType type = typeOfIRTemp(work->block->tyenv, number);
    const struct use *use = &work->uses[number];
    addStmtToIRSB(work->block, statement);
    if (type_words(type) == 0 || !use->ever)
        return;
    Bool integer = (type == Ity_I32 || type == Ity_I64) && !use->vector;
    struct step *step = step_add(work, integer ? step_INTEGER_LOAD : step_LOAD);
    step->words = type_words(type);
    step->bytes = type == Ity_I32 || type == Ity_F32 || use->demand == demand_FLOAT ? 4
                  : use->demand == demand_DOUBLE                                    ? 8
                                                                                    : 0;
    step->sure = use->demand != 0;
    step->value = cell_make(work, number, !integer && step->sure ? step->bytes : 0);
    put_address(work, step, address);
    UInt cell = work->cell_count - 1;
    if (integer)
        verdict_add_page(work, address);
    else if (step->bytes == 0 && step->words >= 4)
        verdict_add_cell_on_page(work, cell, address);
    else {
        if (step->bytes != 8)
            verdict_add_cell(work, cell, 4);
        if (step->bytes != 4)
            verdict_add_cell(work, cell, 8);
    }
}

/* Tests the cells that a stored value lies in.  The width that operations give all of them; 0: none. */
static UInt stored_width(struct work *work, const Ref *words, UInt count)
{
    UInt width = 0;
    Bool agree = True;
    for (UInt i = 0; i < count; i++) {
        if (words[i] == REF_ZERO)
            continue;
        UInt number = work->cell_of[words[i]], here = work->cells[number].width;
        if (here != 8)
            verdict_add_cell(work, number, 4);
        if (here != 4 && count > 1)
            verdict_add_cell(work, number, 8);
        agree = agree && here != 0 && (width == 0 || width == here);
        width = here;
    }
    return agree ? width : 0;
}

static void do_store(struct work *work, IRStmt *statement)
{
    IRExpr *address = statement->Ist.Store.addr, *data = statement->Ist.Store.data;
    IRType type = typeOfIRExpr(work->block->tyenv, data);
    UInt count = type_words(type);
    if (data->tag != Iex_RdTmp || count == 0) {
        addStmtToIRSB(work->block, statement);
        return;
    }
    Bool integer = (type == Ity_I32 || type == Ity_I64) && !work->from_vector[data->Iex.RdTmp.tmp];
    Ref words[MOST_WORDS];
    resolve(work, data, count, integer ? count * 4 : 4, words);
    addStmtToIRSB(work->block, statement);
    struct step *step = step_add(work, integer ? step_INTEGER_STORE : step_STORE);
    step->words = count;
    step->from_numbers = work->from_numbers[data->Iex.RdTmp.tmp];
    VG_(memcpy)(step->from[0], words, sizeof words);
    put_address(work, step, address);
    if (integer) {
        verdict_add_page(work, address);
        work->has_integer_store = True;
    } else
        step->bytes = stored_width(work, words, count);
}

static void words_copy(struct work *work, IRTemp to, const IRExpr *from, UInt first, UInt word)
{
    if (from->tag == Iex_RdTmp)
        work->words[to][word] = work->words[from->Iex.RdTmp.tmp][first];
    else if (from->tag == Iex_Const && isIRAtom(from))
        work->words[to][word] = REF_UNKNOWN;
}

static Bool argument_from_vector(const struct work *work, const IRExpr *argument)
{
    return argument->tag == Iex_RdTmp && work->from_vector[argument->Iex.RdTmp.tmp];
}

/* What is known of a temporary that no operation, load or store made. */
static void do_other(struct work *work, IRStmt *statement)
{
    IRTemp number = statement->Ist.WrTmp.tmp;
    const IRExpr *expression = statement->Ist.WrTmp.data;
    IRType type = typeOfIRTemp(work->block->tyenv, number);
    struct move move;
    work->definitions[number] = expression;
    if (expression->tag == Iex_RdTmp) {
        for (UInt i = 0; i < MOST_WORDS; i++)
            words_copy(work, number, expression, i, i);
        work->from_vector[number] = argument_from_vector(work, expression);
        work->from_numbers[number] = work->from_numbers[expression->Iex.RdTmp.tmp];
    } else if (expression->tag == Iex_Get) {
        UInt first = any_register_word(expression->Iex.Get.offset);
        work->from_vector[number] = first < VECTOR_REGISTER_WORDS;
        for (UInt i = 0; first != NOT_A_REGISTER && i < type_words(type) && first + i < MOST_REGISTER_WORDS;
             i++)
            work->words[number][i] = work->registers[first + i] != REF_UNKNOWN ? work->registers[first + i]
                                     : work->overwritten[first + i]            ? REF_UNKNOWN
                                                                               : REF_REGISTER + first + i;
        work->from_numbers[number] = first < VECTOR_REGISTER_WORDS ? made_IN_REGISTER : made_UNKNOWN;
    } else if (move_of(expression, &move)) {
        for (UInt i = 0; i < move.words; i++)
            if (move.argument[i] == MOVE_ZERO)
                work->words[number][i] = REF_ZERO;
            else
                words_copy(work, number, expression_argument(expression, move.argument[i]), move.word[i], i);
    }
    Bool moves = move_of(expression, &move), passes = passes_demand(expression_operation(expression));
    for (UInt i = 0; i < expression_arguments(expression); i++) {
        const IRExpr *argument = expression_argument(expression, i);
        if ((moves || passes) && argument_from_vector(work, argument))
            work->from_vector[number] = True;
        if (moves && argument->tag == Iex_RdTmp &&
            work->from_numbers[argument->Iex.RdTmp.tmp] > work->from_numbers[number])
            work->from_numbers[number] = work->from_numbers[argument->Iex.RdTmp.tmp];
        if (!moves && passes && argument_from_vector(work, argument))
            work->from_numbers[number] = made_OF_NUMBERS;
    }
    if (expression->tag == Iex_ITE) {
        work->from_vector[number] = argument_from_vector(work, expression->Iex.ITE.iftrue) ||
                                    argument_from_vector(work, expression->Iex.ITE.iffalse);
        if (work->from_vector[number])
            work->from_numbers[number] = made_OF_NUMBERS;
    }
    if (type == Ity_F32 || type == Ity_F64 || type == Ity_V128 || type == Ity_V256)
        work->from_vector[number] = True;
    addStmtToIRSB(work->block, statement);
}

static void do_temporary(struct work *work, IRStmt *statement)
{
    struct operation operation;
    const IRExpr *expression = statement->Ist.WrTmp.data;
    if (expression->tag == Iex_Load) {
        IRType type = expression->Iex.Load.ty;
        work->from_vector[statement->Ist.WrTmp.tmp] =
            work->uses[statement->Ist.WrTmp.tmp].vector || (type != Ity_I32 && type != Ity_I64);
        do_load(work, statement);
        return;
    }
    IROp op = expression_operation(expression);
    enum operation_kind kind = op == Iop_INVALID ? operation_NONE : operation_of(op, &operation);
    limits_note_operation(work, op);
    if (kind == operation_KNOWN) {
        work->from_vector[statement->Ist.WrTmp.tmp] = operation.result_bytes != 0;
        do_operation(work, statement, &operation);
    } else {
        do_other(work, statement);
    }
}

/* A register of which a word was written holds no longer what lay in it. */
static void unfollowed_drop(struct work *work, UInt word)
{
    for (UInt i = 0; i < MOST_WORDS && i <= word; i++)
        if (word - i < VECTOR_REGISTER_WORDS && work->unfollowed[word - i] != IRTemp_INVALID &&
            i < type_words(typeOfIRTemp(work->block->tyenv, work->unfollowed[word - i])))
            work->unfollowed[word - i] = IRTemp_INVALID;
}

/* Guest state that was written by other means than a whole word of a temporary. */
static void registers_forget(struct work *work, Int offset, Int size)
{
    for (Int i = offset & ~3; i < offset + size; i += 4) {
        UInt word = any_register_word(i);
        if (word != NOT_A_REGISTER) {
            work->registers[word] = REF_UNKNOWN;
            work->overwritten[word] = True;
            unfollowed_drop(work, word);
        }
    }
}

static void do_put(struct work *work, IRStmt *statement)
{
    const IRExpr *data = statement->Ist.Put.data;
    IRType type = typeOfIRExpr(work->block->tyenv, data);
    UInt count = type_words(type), first = any_register_word(statement->Ist.Put.offset);
    addStmtToIRSB(work->block, statement);
    if (first == NOT_A_REGISTER || count == 0) {
        registers_forget(work, statement->Ist.Put.offset, sizeofIRType(type));
        return;
    }
    Bool zero =
        data->tag == Iex_Const && data->Iex.Const.con->tag == Ico_V128 && data->Iex.Const.con->Ico.V128 == 0;
    zero = zero || (data->tag == Iex_Const && data->Iex.Const.con->tag == Ico_V256 &&
                    data->Iex.Const.con->Ico.V256 == 0);
    zero = zero || (data->tag == Iex_Const && data->Iex.Const.con->tag == Ico_U64 &&
                    data->Iex.Const.con->Ico.U64 == 0);
    zero = zero || (data->tag == Iex_Const && data->Iex.Const.con->tag == Ico_U32 &&
                    data->Iex.Const.con->Ico.U32 == 0);
    for (UInt i = 0; i < count && first + i < MOST_REGISTER_WORDS; i++) {
        work->registers[first + i] = zero                     ? REF_ZERO
                                     : data->tag == Iex_RdTmp ? work->words[data->Iex.RdTmp.tmp][i]
                                                              : REF_UNKNOWN;
        work->written[first + i] = work->overwritten[first + i] = True;
        unfollowed_drop(work, first + i);
    }
    if (first < VECTOR_REGISTER_WORDS && data->tag == Iex_RdTmp && work->registers[first] == REF_UNKNOWN &&
        work->from_numbers[data->Iex.RdTmp.tmp] == made_OF_NUMBERS)
        work->unfollowed[first] = data->Iex.RdTmp.tmp;
}

static void do_dirty(struct work *work, IRStmt *statement)
{
    const IRDirty *call = statement->Ist.Dirty.details;
    for (Int i = 0; i < call->nFxState; i++)
        for (UInt repeat = 0; call->fxState[i].fx != Ifx_Read && repeat <= call->fxState[i].nRepeats;
             repeat++)
            registers_forget(work, call->fxState[i].offset + repeat * call->fxState[i].repeatLen,
                             call->fxState[i].size);
    addStmtToIRSB(work->block, statement);
}

static void do_statement(struct work *work, IRStmt *statement)
{
    make_room(work, statement->tag == Ist_IMark ? ROOM_FOR_AN_INSTRUCTION : ROOM_FOR_A_STATEMENT);
    limits_note(work, statement);
    switch (statement->tag) {
    case Ist_WrTmp:
        do_temporary(work, statement);
        break;
    case Ist_Put:
        do_put(work, statement);
        break;
    case Ist_Store:
        do_store(work, statement);
        break;
    case Ist_Dirty:
        do_dirty(work, statement);
        break;
    case Ist_PutI:
        work->has_opaque = True;
        addStmtToIRSB(work->block, statement);
        break;
    case Ist_Exit:
        stretch_end(work);
        addStmtToIRSB(work->block, statement);
        break;
    default:
        addStmtToIRSB(work->block, statement);
    }
}

/* An instruction that control leaves by, or that moves the stack pointer, ends the stretch before it, so that
   the call stack is still that of the code before: the address of the last instruction identifies it. */
static Bool leaves(const IRSB *block, Int position, const VexGuestLayout *layout)
{
    const IRStmt *mark = block->stmts[position];
    for (Int i = position + 1; i < block->stmts_used; i++)
        if (block->stmts[i]->tag == Ist_IMark)
            return block->stmts[i]->Ist.IMark.addr != mark->Ist.IMark.addr + mark->Ist.IMark.len;
        else if (block->stmts[i]->tag == Ist_Put && block->stmts[i]->Ist.Put.offset == layout->offset_SP)
            return True;
    return block->jumpkind == Ijk_Call || block->jumpkind == Ijk_Ret;
}

static void work_begin(struct work *work, const IRSB *block, const VexGuestLayout *layout, Addr superblock)
{
    Int count = block->tyenv->types_used;
    work->block = deepCopyIRSBExceptStmts(block);
    work->layout = layout;
    work->superblock = superblock;
    work->translation++;
    work->has_stretch = False;
    work->temporaries = count;
    work->uses = VG_(calloc)("trace.work", count + 1, sizeof *work->uses);
    work->definitions = VG_(calloc)("trace.work", count + 1, sizeof *work->definitions);
    work->words = VG_(malloc)("trace.work", (count + 1) * sizeof *work->words);
    work->from_vector = VG_(calloc)("trace.work", count + 1, sizeof *work->from_vector);
    work->from_numbers = VG_(calloc)("trace.work", count + 1, sizeof *work->from_numbers);
    uses_find(block, work->uses);
    lanes_find(block, work->uses);
    forget_words(work);
    stretch_begin(work);
    work->site = NULL;
    work->fresh = True;
}

static void work_end(struct work *work)
{
    VG_(free)(work->uses);
    VG_(free)(work->definitions);
    VG_(free)(work->words);
    VG_(free)(work->from_vector);
    VG_(free)(work->from_numbers);
}

IRSB *instrument_block(VgCallbackClosure *closure, IRSB *block, const VexGuestLayout *layout,
                       const VexGuestExtents *extents, const VexArchInfo *host, IRType guest_word,
                       IRType host_word)
{
    struct work *work = &the_work;
    Int i = 0;
    (void)extents, (void)host;
    if (guest_word != host_word)
        VG_(tool_panic)("host and guest differ in the size of a word");
    area_offset = layout->total_sizeB;
    tl_assert(AREA_WORDS * 4 <= 2 * layout->total_sizeB);
    work_begin(work, block, layout, closure->nraddr);
    for (; i < block->stmts_used && block->stmts[i]->tag != Ist_IMark; i++)
        addStmtToIRSB(work->block, block->stmts[i]);
    for (; i < block->stmts_used; i++) {
        IRStmt *statement = block->stmts[i];
        if (statement->tag == Ist_NoOp)
            continue;
        if (statement->tag == Ist_IMark) {
            if (leaves(block, i, layout))
                stretch_end(work);
            work->instruction = statement->Ist.IMark.addr;
            work->site = NULL;
            work->fresh = True;
        }
        do_statement(work, statement);
    }
    stretch_end(work);
    if (!work->has_stretch) /* each translation is known, for sites.c to see which ones are gone */
        stretch_make(work);
    work_end(work);
    return work->block;
}
