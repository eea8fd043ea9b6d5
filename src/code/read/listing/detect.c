/* Decides what a text is.  Lines vote: a directive that only one instruction set has, or a mnemonic whose
   operands are registers of one instruction set.  A line that no assembler would accept is a vote against all
   of them, so that C with a few register-like names, scripts and prose are not taken for listings.

   A line votes by its own shape only, and reading stops as soon as the answer is clear. */
#include "code/read/listing/listing.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

enum syntax {
    NOTHING, /* no vote */
    X86,
    AARCH64,
    IA64,
    ARM,
    MIPS,
    POWER,
    RISCV,
    S390,
    SPARC,
    OTHER_TEXT, /* no assembly */
    LANGUAGES
};

static const char *const names_of_others[LANGUAGES] = {
    [ARM] = "32-bit Arm", [MIPS] = "MIPS",         [POWER] = "POWER",
    [RISCV] = "RISC-V",   [S390] = "IBM Z (s390)", [SPARC] = "SPARC"};

struct votes {
    uint64_t of[LANGUAGES];
    uint64_t directives;     /* of any assembler */
    uint64_t long_x86;       /* registers that only x86-64 has */
    uint64_t short_x86;      /* stack and frame pointer of i386 */
    uint64_t knights_corner; /* instructions that no other x86 has, and its compiler's own word */
    bool is_in_comment;      /* slash star */
};

struct line {
    const char *at, *end;
};

static bool is_name(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '.' || c == '$' || c == '?' || c == '@';
}

static void skip_blanks(struct line *line)
{
    while (line->at < line->end && isspace((unsigned char)*line->at))
        line->at++;
}

static size_t name_length(const char *at, const char *end)
{
    const char *stop = at;
    while (stop < end && is_name(*stop))
        stop++;
    return (size_t)(stop - at);
}

/* Whether word is in list, which is separated by spaces. */
static bool is_in(const char *word, size_t length, const char *list)
{
    while (*list) {
        size_t size = strcspn(list, " ");
        if (size == length && !strncasecmp(word, list, length))
            return true;
        list += size + (list[size] == ' ');
    }
    return false;
}

/* A letter of letters and a number up to most. */
static bool is_numbered(const char *word, size_t length, const char *letters, unsigned most)
{
    unsigned number = 0;
    if (length < 2 || length > 4 || !strchr(letters, tolower((unsigned char)word[0])))
        return false;
    for (size_t i = 1; i < length; i++) {
        if (!isdigit((unsigned char)word[i]))
            return false;
        number = number * 10 + (unsigned)(word[i] - '0');
    }
    return number <= most;
}

/* Registers. */

static bool is_long_x86(const char *word, size_t length)
{
    if (is_in(word, length, "rax rbx rcx rdx rsi rdi rbp rsp rip"))
        return true;
    if (length > 2 && strchr("dwb", tolower((unsigned char)word[length - 1])))
        length--;
    return is_numbered(word, length, "r", 15) && (length == 3 || word[1] > '7');
}

static bool is_wide_x86(const char *word, size_t length)
{
    return (length == 4 || length == 5) && tolower((unsigned char)word[1]) == 'm' &&
           tolower((unsigned char)word[2]) == 'm' && strchr("xyz", tolower((unsigned char)word[0])) &&
           isdigit((unsigned char)word[3]);
}

static bool is_middle_x86(const char *word, size_t length)
{
    return is_in(word, length, "eax ebx ecx edx esi edi ebp esp");
}

static bool is_short_x86(const char *word, size_t length)
{
    return is_in(word, length,
                 "ax bx cx dx si di bp sp al bl cl dl ah bh ch dh sil dil bpl spl st cs ds es fs gs ss") ||
           is_numbered(word, length, "k", 7) || (length == 3 && !strncasecmp(word, "mm", 2));
}

static bool is_aarch64_register(const char *word, size_t length)
{
    if (is_numbered(word, length, "xw", 30) || is_in(word, length, "xzr wzr"))
        return true;
    const char *dot = memchr(word, '.', length);
    return dot && is_numbered(word, (size_t)(dot - word), "vzp", 31) && dot + 1 < word + length &&
           strchr("bhsdq0123456789", dot[1]);
}

static bool is_ia64_register(const char *word, size_t length)
{
    return is_numbered(word, length, "rf", 127) || is_numbered(word, length, "p", 63) ||
           is_numbered(word, length, "b", 7) || (length > 3 && !strncasecmp(word, "ar.", 3)) ||
           is_in(word, length, "gp sp rp pr");
}

/* What the operands of a line hold. */
struct operands {
    bool percent_x86, percent_sparc, percent_s390, bare_x86, ptr, aarch64, scalar, ia64, r_register, riscv,
        mips;
    bool has_assignment; /* = */
    bool numbers_only;   /* digits, commas, parentheses */
    bool is_long_x86, is_short_x86;
    bool is_empty;
};

static void look_at_word(struct operands *found, const char *word, size_t length, char before)
{
    if (before == '%') {
        bool is_long = is_long_x86(word, length);
        found->percent_x86 |=
            is_long || is_wide_x86(word, length) || is_middle_x86(word, length) || is_short_x86(word, length);
        found->is_long_x86 |= is_long;
        found->is_short_x86 |= is_in(word, length, "esp ebp");
        found->percent_sparc |= is_numbered(word, length, "ogli", 7);
        found->percent_s390 |= is_numbered(word, length, "rf", 7) || is_numbered(word, length, "a", 1);
        return;
    }
    bool is_long = is_long_x86(word, length);
    found->is_long_x86 |= is_in(word, length, "rax rbx rcx rdx rsi rdi rbp rsp rip");
    found->is_short_x86 |= is_in(word, length, "esp ebp");
    found->bare_x86 |= (is_long && !is_numbered(word, length, "r", 15)) || is_wide_x86(word, length) ||
                       is_middle_x86(word, length);
    found->ptr |= is_in(word, length, "ptr");
    found->aarch64 |= is_aarch64_register(word, length);
    found->scalar |= is_numbered(word, length, "bhsdq", 31);
    found->ia64 |= is_ia64_register(word, length);
    found->r_register |= is_numbered(word, length, "r", 15) || is_in(word, length, "lr pc");
    found->riscv |= is_numbered(word, length, "a", 7) || is_numbered(word, length, "t", 6) ||
                    is_numbered(word, length, "s", 11) || is_in(word, length, "ra zero");
    found->mips |= word[0] == '$' && (is_numbered(word, length, "$", 31) ||
                                      is_in(word + 1, length - 1, "sp fp ra gp t9 a0 a1 v0 zero at f0 f12"));
}

/* Strings are skipped; a comment ends the line. */
static struct operands look_at_operands(struct line line)
{
    struct operands found = {.numbers_only = true, .is_empty = true};
    const char *at = line.at;
    while (at < line.end) {
        char c = *at;
        if (c == '#' && (at == line.at || isspace((unsigned char)at[-1])) &&
            !(at + 1 < line.end && (isdigit((unsigned char)at[1]) || at[1] == '-' || at[1] == ':')))
            break;
        if ((c == '/' && at + 1 < line.end && (at[1] == '/' || at[1] == '*')) || c == '!')
            break;
        if (!isspace((unsigned char)c))
            found.is_empty = false;
        if (c == '"') {
            const char *close = memchr(at + 1, '"', (size_t)(line.end - at - 1));
            at = close ? close + 1 : line.end;
            found.numbers_only = false;
        } else if (is_name(c)) {
            size_t length = name_length(at, line.end);
            look_at_word(&found, at, length, at > line.at ? at[-1] : ' ');
            for (size_t i = 0; i < length; i++)
                found.numbers_only &= isdigit((unsigned char)at[i]) != 0;
            at += length;
        } else {
            found.has_assignment |= c == '=';
            found.numbers_only &= isspace((unsigned char)c) || strchr(",()-", c);
            at++;
        }
    }
    return found;
}

/* Lines. */

static const char known_directives[] =
    ".text .data .bss .section .globl .global .type .size .align .p2align .balign .file .ident .loc .string "
    ".asciz "
    ".ascii .long .quad .word .byte .zero .set .weak .hidden .local .comm .short .hword .2byte .4byte .8byte "
    ".uleb128 .sleb128 .skip .space .equ .macro .endm .rept .endr .if .else .endif .include .previous "
    ".pushsection "
    ".popsection .double .float .int .octa .value .p2alignl .p2alignw .addrsig .addrsig_sym .code32 .code64 "
    ".lcomm "
    ".rodata .sbss .sdata .inst .xword .org .subsection .extern .print .title";

static enum syntax directive_language(const char *word, size_t length, struct line rest)
{
    skip_blanks(&rest);
    size_t left = (size_t)(rest.end - rest.at);
    if (is_in(word, length,
              ".proc .endp .explicit .auto .prologue .body .regstk .fframe .vframe .save .unwabi .pred.rel "
              ".pred.rel.mutex .mii .mmi .mfi .mib .mmb .mfb .bbb .mbb .mlx .mmf .rotr .rotf .rotp .restore"))
        return IA64;
    if (is_in(word, length, ".intel_syntax .att_syntax .code16"))
        return X86;
    if (is_in(word, length,
              ".syntax .thumb .thumb_func .arm .fpu .eabi_attribute .fnstart .fnend .cantunwind"))
        return ARM;
    if (is_in(word, length, ".arch .cpu"))
        return (left > 5 && !strncasecmp(rest.at, "armv8", 5)) ||
                       (left > 5 && !strncasecmp(rest.at, "armv9", 5))
                   ? AARCH64
               : left > 4 && !strncasecmp(rest.at, "armv", 4) ? ARM
                                                              : NOTHING;
    if (is_in(word, length, ".frame .mask .fmask .ent .cpload .cprestore .cpsetup .nan .module"))
        return MIPS;
    if (is_in(word, length, ".abiversion .localentry .toc .lglobl"))
        return POWER;
    if (is_in(word, length, ".option .attribute"))
        return RISCV;
    if (is_in(word, length, ".machinemode"))
        return S390;
    if (is_in(word, length, ".register"))
        return SPARC;
    return NOTHING;
}

static enum syntax language_of(const char *word, size_t length, const struct operands *found)
{
    static const char arm[] =
        "mov add sub ldr str push pop cmp bx blx b bl stmfd ldmfd ldmia stmia ldm stm vldr vstr "
        "movw movt mul mla rsb orr and eor bic lsl lsr asr tst teq vmov vadd.f64 vmla.f64 adds "
        "subs ldrb strb ldrh strh ldrd strd movs cmn umull smull ldrsb sxtb uxtb bne beq";
    static const char riscv[] =
        "addi addiw sd ld lw sw mv li lui auipc jr add sub mul beq bne blt bge bltu bgeu beqz "
        "bnez fld fsd flw fsw slli srli srai sext.w lla la and or xor lbu lb sb lh sh lwu addw "
        "subw mulw fmadd.d fadd.d fmul.d fmv.d.x fmv.x.d ble bgt blez bgtz";
    static const char mips[] =
        "addiu daddiu lw sw ld sd jr j jal jalr move lui li addu subu daddu dsubu sll srl sra "
        "slt sltu or and xor beq bne beqz bnez bgez bltz blez mtc1 mfc1 l.d s.d ldc1 sdc1 lwc1 "
        "swc1 mul mult mflo mfhi la dla lbu sb lhu sh add.d mul.d madd.d nor ori andi .cpload";
    static const char power[] =
        "mflr mtlr stdu std ld addi addis lwz stw stwu mr li lis cmpwi cmpdi cmpw cmpd lfd stfd "
        "lfs stfs fmadd fadd fmul mtctr bdnz lxvd2x stxvd2x xxlor xvmaddadp rldicl sldi srdi add "
        "subf mulld lwzu ldu stdx ldx extsw cmplwi cmpldi lbz stb lhz sth lwa beq bne ble bgt";
    if (found->percent_sparc)
        return SPARC;
    if (found->percent_s390)
        return S390;
    if (found->percent_x86)
        return X86;
    bool is_ia64_word = (length > 3 && !strncasecmp(word, "br.", 3)) ||
                        (length > 4 && !strncasecmp(word, "nop.", 4)) || is_in(word, length, "alloc");
    if ((found->ia64 && found->has_assignment) || (is_ia64_word && (found->ia64 || found->has_assignment)))
        return IA64;
    if (length >= 5 && !strncasecmp(word, "nop.", 4) && found->numbers_only)
        return IA64;
    if (found->has_assignment && !found->ptr)
        return found->r_register && is_in(word, length, "ldr") ? ARM : NOTHING;
    if (found->aarch64 || (found->scalar && (tolower((unsigned char)word[0]) == 'f' ||
                                             is_in(word, length, "ldr str ldp stp ldur stur"))))
        return AARCH64;
    if (found->bare_x86 || found->ptr)
        return X86;
    if (found->mips && is_in(word, length, mips))
        return MIPS;
    if (found->riscv && is_in(word, length, riscv))
        return RISCV;
    if (found->r_register && is_in(word, length, arm))
        return ARM;
    if ((found->numbers_only && !found->is_empty && is_in(word, length, power)) || is_in(word, length, "blr"))
        return POWER;
    return NOTHING;
}

/* Names of instructions that Knights Corner alone has; of several that begin alike, the beginning. */
static bool is_of_knights_corner(const char *word, size_t length)
{
    static const char *const starts[] = {"vloadunpack", "vpackstore", "vprefetch", "clevict",
                                         "vaddnp",      "vsubrp",     "vgmaxp",    "vgminp",
                                         "vgmaxabs",    "vrndfxpnt",  "vcvtfxpnt"};
    for (unsigned i = 0; i < sizeof starts / sizeof *starts; i++)
        if (length >= strlen(starts[i]) && !strncasecmp(word, starts[i], strlen(starts[i])))
            return true;
    return is_in(word, length,
                 "jkzd jknzd kmov knot kand kandn kandnr kor kxor kxnor kortest kconcath kconcatl kextract "
                 "kmerge2l1h kmerge2l1l vpermf32x4 vfmadd233ps vpmadd231d vpmadd233d vrcp23ps vrsqrt23ps "
                 "vexp223ps vlog2ps vscaleps vpcmpltd vpsubrd vpmulhd vpmulhud vpadcd vpsbbd tzcnti spflt");
}

/* What Intel's compiler says in the first line: "# mark_description "Intel(R) C … Intel(R) MIC Architecture". */
static bool is_said_of_knights_corner(struct line line)
{
    size_t size = (size_t)(line.end - line.at);
    return memmem(line.at, size, "mark_description", 16) &&
           (memmem(line.at, size, "MIC Architecture", 16) || memmem(line.at, size, "-mmic", 5));
}

/* Data directives of IA-64, the only ones without a dot: data8, data4.ua, stringz. */
static bool is_ia64_data(const char *word, size_t length, struct line rest)
{
    const char *dot = memchr(word, '.', length);
    size_t stem = dot ? (size_t)(dot - word) : length;
    skip_blanks(&rest);
    if (rest.at == rest.end || (dot && !is_in(dot, length - stem, ".ua .msb .lsb .ua.msb .ua.lsb")))
        return false;
    return is_in(word, stem, "data1 data2 data4 data8 data16 real4 real8 real10 real16 stringz") ||
           (is_in(word, stem, "string") && *rest.at == '"');
}

/* The stop (;;) of IA-64 code, not the end of a C statement. */
static bool ends_like_a_program(struct line line)
{
    while (line.end > line.at && isspace((unsigned char)line.end[-1]))
        line.end--;
    if (line.end == line.at)
        return false;
    char last = line.end[-1];
    return (last == ';' && !(line.end - line.at > 1 && line.end[-2] == ';')) || last == '{' || last == '(';
}

/* Braces, predicates and tags before an IA-64 instruction; labels before any. */
static bool strip_front(struct line *line)
{
    bool is_ia64 = false;
    for (;;) {
        skip_blanks(line);
        if (line->at == line->end)
            return is_ia64;
        size_t left = (size_t)(line->end - line->at);
        size_t length = name_length(line->at, line->end);
        if (*line->at == '{' || *line->at == '}') {
            line->at++;
        } else if (left > 4 && line->at[0] == '(' && tolower((unsigned char)line->at[1]) == 'p' &&
                   isdigit((unsigned char)line->at[2]) && memchr(line->at, ')', left < 8 ? left : 8)) {
            line->at = (const char *)memchr(line->at, ')', left) + 1;
            is_ia64 = true;
        } else if (length && line->at + length < line->end && line->at[length] == ':' &&
                   !(line->at + length + 1 < line->end &&
                     (line->at[length + 1] == ':' || line->at[length + 1] == '='))) {
            line->at += length + 1;
        } else {
            return is_ia64;
        }
    }
}

static void vote(struct votes *votes, struct line line)
{
    skip_blanks(&line);
    if (line.at == line.end)
        return;
    size_t left = (size_t)(line.end - line.at);
    if (votes->is_in_comment || (left >= 2 && line.at[0] == '/' && line.at[1] == '*')) {
        const char *start = votes->is_in_comment ? line.at : line.at + 2;
        const char *close = memmem(start, (size_t)(line.end - start), "*/", 2);
        votes->is_in_comment = !close;
        if (!close)
            return;
        line.at = close + 2;
        skip_blanks(&line);
        if (line.at == line.end)
            return;
    }
    if (*line.at == '#' || *line.at == '/' || *line.at == '!' || *line.at == '@' || *line.at == ';') {
        votes->knights_corner += *line.at == '#' && is_said_of_knights_corner(line);
        return;
    }
    bool is_ia64 = strip_front(&line);
    if (line.at == line.end || *line.at == '#' || *line.at == '/' || *line.at == '!')
        return;
    const char *word = line.at;
    size_t length = name_length(word, line.end);
    struct line rest = {word + length, line.end};
    if (!length || (rest.at < rest.end && !isspace((unsigned char)*rest.at) && !strchr(";,=", *rest.at))) {
        votes->of[OTHER_TEXT]++;
        return;
    }
    if (*word == '.') {
        enum syntax language = directive_language(word, length, rest);
        votes->of[language] += language != NOTHING;
        bool is_small = true;
        for (size_t i = 0; i < length; i++)
            is_small &= !isupper((unsigned char)word[i]);
        if (language != NOTHING || is_in(word, length, known_directives) ||
            (length > 5 && !strncasecmp(word, ".cfi_", 5)))
            votes->directives++;
        else if (!is_small) /* manual pages have such */
            votes->of[OTHER_TEXT]++;
        return;
    }
    struct operands found = look_at_operands(rest);
    enum syntax language = language_of(word, length, &found);
    if ((is_ia64 && language == NOTHING) || is_ia64_data(word, length, rest))
        language = IA64;
    if (language != IA64 && ends_like_a_program(line))
        language = OTHER_TEXT;
    /* A line without registers may be a jump or prose. */
    if (language == NOTHING && !found.is_empty) {
        skip_blanks(&rest);
        size_t first = 0;
        while (rest.at + first < rest.end && !isspace((unsigned char)rest.at[first]))
            first++;
        struct line more = {rest.at + first, rest.end};
        if (!look_at_operands(more).is_empty)
            language = OTHER_TEXT;
    }
    /* Half of the registers of IBM Z have names of x86, the other half none. */
    votes->of[language] += language == S390 ? 16 : language != NOTHING;
    votes->long_x86 +=
        language == X86 && (found.is_long_x86 || is_in(word, length, "pushq popq movq leaq callq retq"));
    votes->knights_corner += language == X86 && is_of_knights_corner(word, length);
    votes->short_x86 += language == X86 && (found.is_short_x86 || is_in(word, length, "pushl popl"));
}

/* The only instruction set that a line votes for; NOTHING for several or none. */
static enum syntax only_one(const struct votes *votes)
{
    enum syntax only = NOTHING;
    for (enum syntax i = X86; i < OTHER_TEXT; i++) {
        if (only && votes->of[i])
            return NOTHING;
        only = votes->of[i] ? i : only;
    }
    return only;
}

static enum syntax winner(const struct votes *votes)
{
    enum syntax best = NOTHING;
    for (enum syntax i = X86; i < OTHER_TEXT; i++)
        if (votes->of[i] > (best ? votes->of[best] : 0))
            best = i;
    uint64_t support = (best ? votes->of[best] : 0) + votes->directives;
    return best && votes->of[OTHER_TEXT] <= (support > 1 ? 2 * support : 0) ? best : NOTHING;
}

static void take_candidates(const struct votes *votes, struct listing_guess *guess)
{
    guess->may_be[isa_K1OM] = votes->knights_corner;
    guess->may_be[isa_X86_64] = votes->of[X86] && (votes->long_x86 || !votes->short_x86);
    guess->may_be[isa_I386] = votes->of[X86] && !votes->long_x86;
    guess->may_be[isa_AARCH64] = votes->of[AARCH64];
    guess->may_be[isa_IA64] = votes->of[IA64];
}

struct listing_guess listing_guess(struct span text, bool is_named)
{
    enum { PLAIN = 64, ENOUGH = 1 << 15, LONGEST_LINE = 4096 };
    struct votes votes = {0};
    const char *at = (const char *)text.data, *start = at, *end = at + text.size;
    enum syntax best = NOTHING;
    while (at < end) {
        const char *newline = memchr(at, '\n', (size_t)(end - at)), *stop = newline ? newline : end;
        vote(&votes, (struct line){at, stop - at < LONGEST_LINE ? stop : at + LONGEST_LINE});
        at = newline ? newline + 1 : end;
        if (at - start < ENOUGH)
            continue;
        best = winner(&votes);
        if ((best && votes.of[best] >= PLAIN) || votes.of[OTHER_TEXT] > 16 * (votes.directives + PLAIN))
            break;
    }
    best = winner(&votes);
    if (!best && is_named)
        best = only_one(&votes);
    struct listing_guess guess = {.other = names_of_others[best],
                                  .is_assembly =
                                      is_named || best ||
                                      (votes.directives > 2 && votes.of[OTHER_TEXT] <= votes.directives)};
    take_candidates(&votes, &guess);
    if (best == X86 && votes.knights_corner)
        guess.isa = isa_K1OM;
    else if (best == X86)
        guess.isa = votes.short_x86 && !votes.long_x86 ? isa_I386 : isa_X86_64;
    else
        guess.isa = best == AARCH64 ? isa_AARCH64 : best == IA64 ? isa_IA64 : isa_NONE;
    return guess;
}
