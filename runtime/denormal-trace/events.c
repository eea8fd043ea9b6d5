/* Replays a stretch in which a denormal was met, step by step.

   If the path of a value is known, marks give its tag.  Otherwise the value identifies it: a denormal with
   the same bits met in this stretch, in a register, or before (kept only for stretches that need it) has the
   tag.  Signs do not matter there, so negation and selection, which the tracer does not follow, keep the tag.

   Without origins there is one tag for all denormals, and memory has none. */
#include "log.h"
#include "pendings.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_machine.h"
#include "pub_tool_threadstate.h"

#define INLINE static inline __attribute__((always_inline))

/* Copying code stores what it has loaded within so many stretches. */
enum { STRETCHES_OF_A_MOVE = 8 };
enum { RECENT = 1 << 12 };

struct recent {
    UInt low, high; /* without the sign */
    Tag tag;        /* 0: none */
    UInt stretch;   /* number of the one that met it */
};
static struct mark marks[AREA_WORDS], register_marks[MOST_REGISTER_WORDS];
static struct recent recents[RECENT], moved[RECENT];
UChar moves_under_way;
static Bool keeps_recent;   /* of the stretch under work */
static UInt stretch_number; /* of the stretch under work */
static const UInt *values;  /* the area */

static struct { /* the instruction under work */
    struct site *site;
    Bool has_operand, has_result;
    Tag operands, born;
    UInt birth;
} now;

INLINE Bool single_is_denormal(UInt bits)
{
    return (bits << 1) - 2 < 0x00fffffd;
}

INLINE Bool double_is_denormal(UInt low, UInt high)
{
    return (high & 0x7ff00000) == 0 && ((high & 0x000fffff) | low) != 0;
}

INLINE UInt value_at(Ref word)
{
    return values[word];
}

INLINE Bool is_denormal(const Ref *words, UInt bytes)
{
    return bytes == 4 ? single_is_denormal(value_at(words[0]))
                      : double_is_denormal(value_at(words[0]), value_at(words[1]));
}

static Bool is_not_a_number(const Ref *words, UInt bytes)
{
    if (bytes == 4)
        return value_at(words[0]) << 1 > 0xff000000u;
    ULong bits = (ULong)value_at(words[1]) << 33 | (ULong)value_at(words[0]) << 1;
    return bits > 0xffe0000000000000ULL;
}

/* The bits of the smallest denormals are those of small integers and of addresses: a value alone does not
 * tell. */
static Bool is_like_integer(const Ref *words, UInt bytes)
{
    return (value_at(words[bytes / 4 - 1]) & 0x7fffffff) < 0x10000;
}

static Bool is_near(const Ref *words, UInt bytes)
{
    UInt exponent = bytes == 4 ? value_at(words[0]) >> 23 & 0xff : value_at(words[1]) >> 20 & 0x7ff;
    return exponent >= 1 && exponent <= settings.binades;
}

/* --- tags of values --- */

static struct recent *recent_place(struct recent *table, UInt low, UInt high)
{
    return &table[((low * 0x9e3779b1u) ^ (high * 0x85ebca6bu)) >> 20 & (RECENT - 1)];
}

static void recent_set(struct recent *table, UInt low, UInt high, UInt bytes, Tag tag)
{
    if (bytes == 4)
        low &= 0x7fffffff, high = 0;
    else
        high &= 0x7fffffff;
    *recent_place(table, low, high) = (struct recent){low, high, tag, stretch_number};
}

static const struct recent *recent_find(struct recent *table, UInt low, UInt high, UInt bytes)
{
    if (bytes == 4)
        low &= 0x7fffffff, high = 0;
    else
        high &= 0x7fffffff;
    const struct recent *recent = recent_place(table, low, high);
    Bool same = recent->low == low && recent->high == high && !(recent->tag & TAG_DOUBLE) == (bytes == 4);
    return same && recent->tag ? recent : NULL;
}

/* Of a value that integer instructions have loaded a moment ago. */
static Tag moved_tag(UInt low, UInt high, UInt bytes)
{
    const struct recent *recent = recent_find(moved, low, high, bytes);
    return recent && stretch_number - recent->stretch <= STRETCHES_OF_A_MOVE ? recent->tag : 0;
}

/* Of a value that lies in a register, wherever that is. */
static Tag register_tag(UInt low, UInt high, UInt bytes)
{
    for (UInt i = 0; i < VECTOR_REGISTER_WORDS; i += bytes / 4) {
        const struct mark *mark = &register_marks[i];
        if (!mark->tag || !(mark->tag & TAG_DOUBLE) != (bytes == 4))
            continue;
        if (bytes == 4 ? ((mark->value ^ low) & 0x7fffffff) == 0
                       : mark->value == low && ((mark[1].value ^ high) & 0x7fffffff) == 0)
            return mark->tag;
    }
    return 0;
}

INLINE Tag marked_tag(const Ref *words, UInt bytes)
{
    for (UInt i = 0; i < bytes / 4; i++)
        if (marks[words[i]].value != values[words[i]])
            return 0;
    Tag tag = marks[words[0]].tag;
    if (!(tag & TAG_DOUBLE) != (bytes == 4) || (bytes == 8 && marks[words[1]].tag != tag))
        return 0;
    return tag;
}

static Bool has_mark(Ref word, UInt value, UInt sign, Tag kind)
{
    const struct mark *mark = &marks[word];
    return mark->tag && (mark->tag & TAG_DOUBLE) == kind && mark->value == values[word] &&
           ((mark->value ^ value) & ~sign) == 0;
}

/* Of a value that was put aside before this word of the area. */
static Tag area_tag(Ref before, UInt low, UInt high, UInt bytes)
{
    for (Ref word = before; word-- > FIRST_WORD;)
        if (bytes == 4 ? has_mark(word, low, 0x80000000, 0)
                       : has_mark(word, low, 0, TAG_DOUBLE) && word % 2 == 0 &&
                             has_mark(word + 1, high, 0x80000000, TAG_DOUBLE))
            return marks[word].tag;
    return 0;
}

static Tag tag_by_value(const Ref *words, UInt bytes)
{
    UInt low = value_at(words[0]), high = bytes == 8 ? value_at(words[1]) : 0;
    const struct recent *recent = recent_find(recents, low, high, bytes);
    if (recent && recent->stretch == stretch_number)
        return recent->tag;
    Tag tag = area_tag(words[0], low, high, bytes);
    if (!tag)
        tag = register_tag(low, high, bytes);
    return tag || !recent || is_like_integer(words, bytes) ? tag : recent->tag;
}

INLINE Tag tag_of(const Ref *words, UInt bytes)
{
    Tag tag = marked_tag(words, bytes);
    return tag ? tag : tag_by_value(words, bytes);
}

INLINE Tag tag_give(Ref word, UInt bytes, Tag tag)
{
    if (bytes == 8) {
        tag |= TAG_DOUBLE;
        marks[word + 1] = (struct mark){values[word + 1], tag};
    }
    marks[word] = (struct mark){values[word], tag};
    if (keeps_recent)
        recent_set(recents, values[word], bytes == 8 ? values[word + 1] : 0, bytes, tag);
    return tag;
}

inline __attribute__((always_inline)) Tag tag_when_loaded(Tag tag, UInt array)
{
    static Tag last_tag, last_result;
    static UInt last_array;
    if (!settings.origins)
        return 1;
    tag &= ~TAG_ENTRY;
    if (last_result && tag == last_tag && array == last_array)
        return last_result;
    last_tag = tag;
    last_array = array;
    return last_result = tag_loaded(tag, array);
}

static void memory_set(Addr address, UInt low, UInt high, UInt bytes, Tag tag)
{
    if (!settings.origins)
        return;
    tag = (tag & (TAG_RECORD | TAG_ENTRY)) | (bytes == 8 ? TAG_DOUBLE : 0);
    shadow_set(address, low, tag);
    if (bytes == 8)
        shadow_set(address + 4, high, tag);
}

/* What is stored there now has no tag, though it may have the same bits. */
static void memory_clear(Addr address, UInt bytes)
{
    if (!settings.origins || !(pages_of_interest[address >> PAGE_BITS & (PAGE_ENTRIES - 1)] & PAGE_HAS_TAGS))
        return;
    for (UInt i = 0; i < bytes; i += 4)
        shadow_forget(address + i);
}

INLINE Tag memory_tag(Addr address, const UInt *value, UInt bytes)
{
    if (!settings.origins)
        return 0;
    Tag tag = shadow_tag(address, value[0]);
    if (!tag || !(tag & TAG_DOUBLE) != (bytes == 4))
        return 0;
    return bytes == 4 || shadow_tag(address + 4, value[1]) == tag ? tag : 0;
}

/* A number that nothing the tracer saw has made.  The word keeps its tag, so that it counts as one value. */
Tag tag_from_outside(Addr address, const UInt *value, UInt bytes)
{
    if (!settings.origins)
        return 0;
    birth_of(birth_outside())->values++;
    Tag tag = tag_outside();
    memory_set(address, value[0], bytes == 8 ? value[1] : 0, bytes, tag);
    return tag;
}

/* The tag of a floating-point value for sure. */
INLINE Tag confirm(Tag tag)
{
    return tag && !(tag & TAG_PROVISIONAL) ? tag : pending_confirm(tag);
}

/* --- the log --- */

static ULong bits_of(const Ref *words, UInt bytes)
{
    return bytes == 4 ? value_at(words[0]) : (ULong)value_at(words[1]) << 32 | value_at(words[0]);
}

/* Of a value that comes from memory, or goes there.  Memory outside arrays is passed through, unless nothing is
   known of what it holds. */
static Tag logged(const struct step *step, const Ref *words, UInt bytes, Addr place, UInt array, Tag from,
                  Tag tag)
{
    if (!settings.log)
        return tag;
    if (!array && from)
        return log_tag(tag, log_number_of(from));
    Bool is_store = step->kind == step_STORE || step->kind == step_INTEGER_STORE;
    struct log_access access = {.instruction = step->site->address,
                                .address = place,
                                .array = array,
                                .bytes = bytes,
                                .is_move = step->kind == step_INTEGER_LOAD || step->kind == step_INTEGER_STORE};
    struct log_value value = {bits_of(words, bytes), log_number_of(from)};
    return log_tag(tag, is_store ? log_store(&access, value) : log_load(&access, value));
}

static UInt logged_operation(const struct step *step, UInt lane, const Tag *tags, const Ref *result)
{
    struct log_value operands[MOST_OPERANDS];
    for (UInt i = 0; i < step->operands; i++)
        operands[i] = (struct log_value){bits_of(&step->from[i][lane * step->bytes / 4], step->bytes),
                                         log_number_of(tags[i])};
    return log_operation(step, lane, operands, step->result_bytes ? bits_of(result, step->result_bytes) : 0);
}

/* --- steps --- */

/* A vector that an operation made which the tracer does not follow (a table look-up, a selection, signs): the
   words themselves tell. */
static void tags_by_value(const struct step *step)
{
    for (UInt i = 0; i < step->words; i++) {
        Ref lane[2] = {step->value + i, step->value + i + 1};
        if (marks[lane[0]].tag && marks[lane[0]].value == values[lane[0]])
            continue;
        Bool has_pair = i % 2 == 0 && i + 1 < step->words && is_denormal(lane, 8);
        Tag tag = has_pair ? tag_by_value(lane, 8) : 0;
        if (tag) {
            marks[lane[1]] = (struct mark){values[lane[1]], tag};
        } else if (is_denormal(lane, 4))
            tag = tag_by_value(lane, 4);
        if (tag)
            marks[lane[0]] = (struct mark){values[lane[0]], tag};
    }
}

static void copy(const struct step *step)
{
    for (UInt i = 0; i < step->words; i++) {
        struct mark *mark = &marks[step->value + i];
        UInt value = values[step->value + i];
        Ref from = step->from[0][i];
        if (from < AREA_WORDS && marks[from].value == value)
            *mark = marks[from];
        else if (from >= REF_REGISTER && from != REF_UNKNOWN &&
                 register_marks[from - REF_REGISTER].value == value)
            *mark = register_marks[from - REF_REGISTER];
        else if (mark->value == value)
            mark->tag = 0; /* left by another stretch */
    }
    if (step->opaque && (step->words > 2 || step->from_numbers == made_OF_NUMBERS))
        tags_by_value(step);
}

static Addr address_of(const struct step *step)
{
    return *(const Addr *)&values[step->address];
}

/* How wide the values are where no operation says so: by tags in memory, else by the array. */
static UInt width_in_memory(Addr address, const UInt *value, UInt words)
{
    for (UInt i = 0; settings.origins && i < words; i++) {
        Tag tag = shadow_tag(address + 4 * i, value[i]);
        if (tag)
            return tag & TAG_DOUBLE ? 8 : 4;
    }
    UInt bytes = array_element_bytes(array_at(address));
    return bytes || words > 2 ? bytes : words * 4;
}

INLINE void load_lanes(const struct step *step, Addr address, UInt bytes)
{
    UInt array = 0, counted = 0, count = 0;
    Bool is_looked_up = False, is_fitting = False, is_number = False;
    for (UInt word = 0; word + bytes / 4 <= step->words; word += bytes / 4) {
        Ref lane[2] = {step->value + word, step->value + word + 1};
        if (!is_denormal(lane, bytes))
            continue;
        Addr place = address + 4 * word;
        if (!is_looked_up) {
            array = array_at(place);
            is_fitting = array && array_element_bytes(array) == bytes;
            is_number = is_fitting && !settings.origins && !array_holds_integers(array);
            is_looked_up = True;
        }
        Tag tag = memory_tag(place, &values[lane[0]], bytes);
        if (tag || step->sure || is_number) {
            counted |= 1u << word * 4 / bytes;
            count++;
            Tag from = tag;
            if (!tag)
                tag = tag_from_outside(place, &values[lane[0]], bytes);
            tag = tag_when_loaded(tag, array);
            tag_give(lane[0], bytes, logged(step, lane, bytes, place, array, from, tag));
        } else {
            tag_give(lane[0], bytes,
                     pending_make(step->site, place, &values[lane[0]], bytes, is_fitting ? array : 0));
        }
    }
    step->site->counts.loads += count;
    if (array)
        array_count_lanes(array, address, bytes, counted, access_LOAD);
}

static void load(const struct step *step)
{
    Addr address = address_of(step);
    UInt bytes = step->bytes ? step->bytes : width_in_memory(address, &values[step->value], step->words);
    if (!step->bytes)
        for (UInt i = 0; i < step->words; i++)
            marks[step->value + i].tag = 0; /* left by another stretch */
    if (bytes == 4)
        load_lanes(step, address, 4);
    else if (bytes == 8)
        load_lanes(step, address, 8);
}

/* How wide the lane is that begins with this word of a value to store. */
static UInt width_of_stored(const struct step *step, UInt word, UInt array)
{
    const Ref *words = &step->from[0][word];
    if (step->bytes)
        return step->bytes;
    if (word % 2 == 0 && word + 1 < step->words && (marked_tag(words, 8)))
        return 8;
    if (marked_tag(words, 4))
        return 4;
    if (word % 2 == 0 && word + 1 < step->words && marked_tag(words + 1, 4)) /* 1, tiny: two singles */
        return 4;
    UInt bytes = array_element_bytes(array);
    return bytes || step->words > 2 ? bytes : step->words * 4;
}

/* 0: nothing shows that it is a number.  What has no mark is known by its bits alone, so those of integers
   need a way from numbers to here. */
static Tag stored_tag(const struct step *step, const Ref *lane, UInt bytes, Bool fits, UInt array)
{
    Tag tag = marked_tag(lane, bytes);
    if (!tag && (step->from_numbers == made_OF_NUMBERS || !is_like_integer(lane, bytes)))
        tag = tag_by_value(lane, bytes);
    else if (!tag && step->from_numbers == made_IN_REGISTER)
        tag = register_tag(value_at(lane[0]), bytes == 8 ? value_at(lane[1]) : 0, bytes);
    if (!(tag & TAG_PROVISIONAL))
        return tag;
    Bool is_sure = fits ? !is_like_integer(lane, bytes) && !array_holds_integers(array) : step->bytes != 0;
    return settings.origins ? pending_tag(tag) : is_sure ? pending_confirm(tag) : 0;
}

static void store(const struct step *step)
{
    Addr address = address_of(step);
    UInt array = array_at(address), bytes, counted = 0;
    for (UInt word = 0; word < step->words; word += bytes / 4) {
        const Ref *lane = &step->from[0][word];
        Addr place = address + 4 * word;
        bytes = width_of_stored(step, word, array);
        if (bytes == 8 && word + 1 >= step->words)
            bytes = 4;
        Bool is_number = bytes != 0;
        bytes = is_number ? bytes : 4;
        if (!is_number || !is_denormal(lane, bytes))
            continue;
        Bool fits = array && array_element_bytes(array) == bytes;
        Tag tag = stored_tag(step, lane, bytes, fits, array);
        if (!tag) {
            memory_clear(place, bytes);
            if (fits)
                array_count(array, place, bytes, access_INTEGER_STORE);
            continue;
        }
        step->site->counts.stores++;
        if (step->bytes)
            counted |= 1u << word * 4 / bytes;
        else if (array)
            array_count(array, place, bytes, access_STORE);
        if (settings.origins)
            tag_stored(tag, array, place, bytes);
        tag = logged(step, lane, bytes, place, array, tag, tag);
        memory_set(place, value_at(lane[0]), bytes == 8 ? value_at(lane[1]) : 0, bytes, tag);
    }
    if (array && counted)
        array_count_lanes(array, address, step->bytes, counted, access_STORE);
}

/* An access by an integer instruction moves a denormal where a tag says so, or, without origins, where it is
   a denormal in an array of floating-point numbers. */
static void integer_load_lane(const struct step *step, UInt word, UInt bytes, Addr place, UInt array)
{
    Ref lane[2] = {step->value + word, step->value + word + 1};
    if (!is_denormal(lane, bytes))
        return;
    Tag tag = memory_tag(place, &values[lane[0]], bytes);
    Bool fits = array && array_element_bytes(array) == bytes;
    if (!tag && !fits)
        return;
    if (!tag && (settings.origins || array_holds_integers(array))) {
        array_count(array, place, bytes, access_INTEGER_LOAD);
        return;
    }
    step->site->counts.move_loads++;
    if (array)
        array_count(array, place, bytes, access_MOVE_LOAD);
    tag = logged(step, lane, bytes, place, array, tag, tag_when_loaded(tag, array));
    tag = tag_give(lane[0], bytes, tag);
    recent_set(moved, values[lane[0]], bytes == 8 ? values[lane[1]] : 0, bytes, tag);
    moves_under_way = STRETCHES_OF_A_MOVE;
}

/* What no floating-point number of either width can be needs no look at its array. */
static Bool may_be_denormal(const Ref *words, UInt count)
{
    return is_denormal(words, 4) || (count == 2 && (is_denormal(words + 1, 4) || is_denormal(words, 8)));
}

static void integer_load(const struct step *step)
{
    Addr address = address_of(step);
    UInt interest = pages_of_interest[address >> PAGE_BITS & (PAGE_ENTRIES - 1)], bytes = 4;
    const Ref words[2] = {step->value, step->value + 1};
    for (UInt i = 0; i < step->words; i++)
        marks[words[i]].tag = 0; /* left by another stretch */
    if (!interest || !may_be_denormal(words, step->words))
        return;
    if (!(interest & PAGE_HAS_ARRAY) && !shadow_tag(address, values[words[0]]) &&
        (step->words == 1 || !shadow_tag(address + 4, values[words[1]])))
        return;
    UInt array = array_at(address);
    if (step->words == 2)
        bytes = width_in_memory(address, &values[step->value], 2);
    for (UInt word = 0; word < step->words; word += bytes / 4)
        integer_load_lane(step, word, bytes, address + 4 * word, array);
}

static void integer_store_lane(const struct step *step, UInt word, UInt bytes, Addr place, UInt array)
{
    const Ref *lane = &step->from[0][word];
    if (!is_denormal(lane, bytes))
        return;
    Tag tag = marked_tag(lane, bytes);
    Bool fits = array && array_element_bytes(array) == bytes;
    if (tag & TAG_PROVISIONAL)
        tag = pending_tag(tag);
    if (!tag && moves_under_way && !is_like_integer(lane, bytes))
        tag = moved_tag(value_at(lane[0]), bytes == 8 ? value_at(lane[1]) : 0, bytes);
    if (!tag)
        memory_clear(place, bytes);
    if (!tag && !fits)
        return;
    if (!tag && (settings.origins || array_holds_integers(array))) {
        array_count(array, place, bytes, access_INTEGER_STORE);
        return;
    }
    tag = confirm(tag);
    step->site->counts.move_stores++;
    if (array)
        array_count(array, place, bytes, access_MOVE_STORE);
    if (settings.origins)
        tag_stored(tag, array, place, bytes);
    tag = logged(step, lane, bytes, place, array, tag, tag);
    memory_set(place, value_at(lane[0]), bytes == 8 ? value_at(lane[1]) : 0, bytes, tag);
}

/* How wide the values are in two words that integer instructions store. */
static UInt width_moved(const Ref *words, UInt array)
{
    UInt bytes = array_element_bytes(array);
    if (bytes || marked_tag(words, 8))
        return bytes ? bytes : 8;
    Bool is_double = moves_under_way && moved_tag(value_at(words[0]), value_at(words[1]), 8);
    return is_double ? 8 : 4;
}

static void integer_store(const struct step *step)
{
    Addr address = address_of(step);
    UInt interest = pages_of_interest[address >> PAGE_BITS & (PAGE_ENTRIES - 1)];
    if ((!interest && !moves_under_way) || !may_be_denormal(step->from[0], step->words))
        return;
    /* Outside arrays only what was loaded just now, or in this stretch, can be a denormal. */
    if (!(interest & PAGE_HAS_ARRAY) && !moves_under_way && !marked_tag(step->from[0], 4) &&
        (step->words == 1 || (!marked_tag(step->from[0] + 1, 4) && !marked_tag(step->from[0], 8)))) {
        memory_clear(address, step->words * 4);
        return;
    }
    UInt array = array_at(address), bytes = 4;
    if (step->words == 2)
        bytes = width_moved(step->from[0], array);
    for (UInt word = 0; word < step->words; word += bytes / 4)
        integer_store_lane(step, word, bytes, address + 4 * word, array);
}

static void instruction_end(void)
{
    if (!now.site)
        return;
    if (now.has_operand) {
        now.site->counts.operand_events++;
        if (settings.origins)
            tag_operated(now.operands);
    }
    if (now.has_result)
        now.site->counts.underflow_events++;
    now.site = NULL;
}

static Tag birth_tag(struct site *site)
{
    if (!settings.origins)
        return 1;
    if (!now.birth) {
        now.birth = birth_here(site->address);
        now.born = tag_born(now.birth);
    }
    birth_of(now.birth)->values++;
    return now.born;
}

/* x86 signals no denormal operand beside one that is not a number. */
static void operand_event(const struct step *step, UInt lane, Tag tag)
{
    for (UInt i = 0; i < step->operands; i++)
        if (is_not_a_number(&step->from[i][lane * step->bytes / 4], step->bytes))
            return;
    now.has_operand = True;
    now.operands = settings.origins ? tag_unite(now.operands, tag) : 1;
}

/* Without origins: all that may be left to do for an operand. */
INLINE Tag count_pending(Ref word)
{
    if (marks[word].tag & TAG_PROVISIONAL && marks[word].value == values[word])
        pending_confirm(marks[word].tag);
    return 1;
}

INLINE void operation_lanes(const struct step *step, UInt bytes, UInt result_bytes, Bool origins)
{
    struct counts *counts = &step->site->counts;
    for (UInt lane = 0; lane < step->lanes; lane++) {
        if (!(step->meant >> lane & 1))
            continue;
        UInt denormals = 0;
        Tag tag = 0, tags[MOST_OPERANDS] = {0};
        for (UInt i = 0; i < step->operands; i++) {
            const Ref *words = &step->from[i][lane * bytes / 4];
            if (!is_denormal(words, bytes))
                continue;
            denormals++;
            if (origins) {
                tags[i] = confirm(tag_of(words, bytes));
                tag = tag_unite(tag, tags[i]);
            } else
                tag = count_pending(words[0]);
        }
        counts->operands += denormals;
        if (denormals && step->traps && (origins || !now.has_operand))
            operand_event(step, lane, tag);
        Ref result[2] = {step->value + lane * result_bytes / 4, step->value + lane * result_bytes / 4 + 1};
        if (result_bytes == 0 || !is_denormal(result, result_bytes)) {
            counts->ends += denormals != 0;
            counts->near += result_bytes != 0 && settings.binades != 0 && is_near(result, result_bytes);
            if (origins && settings.log && denormals)
                logged_operation(step, lane, tags, result);
            continue;
        }
        counts->results++;
        now.has_result = True;
        if (!denormals) {
            counts->births++;
            tag = birth_tag(step->site);
        }
        tag &= TAG_RECORD;
        if (origins && settings.log)
            tag = log_tag(tag, logged_operation(step, lane, tags, result));
        tag_give(result[0], result_bytes, tag);
    }
}

static void operation(const struct step *step)
{
    if (step->first || now.site != step->site) {
        instruction_end();
        now.site = step->site;
        now.has_operand = now.has_result = False;
        now.operands = now.birth = 0;
    }
    if (step->bytes == 4 && step->result_bytes == 4) {
        if (settings.origins)
            operation_lanes(step, 4, 4, True);
        else
            operation_lanes(step, 4, 4, False);
    } else if (step->bytes == 8 && step->result_bytes == 8) {
        if (settings.origins)
            operation_lanes(step, 8, 8, True);
        else
            operation_lanes(step, 8, 8, False);
    } else {
        operation_lanes(step, step->bytes, step->result_bytes, settings.origins);
    }
}

static void registers_update(const struct register_update *update)
{
    for (UInt i = 0; i < update->words; i++)
        if (update->from >= REF_REGISTER)
            register_marks[update->reg + i] = register_marks[update->from - REF_REGISTER + i];
        else if (marks[update->from + i].value == values[update->from + i])
            register_marks[update->reg + i] = marks[update->from + i];
}

static void steps_happen(const struct stretch *stretch)
{
    for (UInt i = 0; i < stretch->step_count; i++) {
        const struct step *step = &stretch->steps[i];
        switch (step->kind) {
        case step_COPY:
            copy(step);
            break;
        case step_LOAD:
            load(step);
            break;
        case step_STORE:
            store(step);
            break;
        case step_OPERATION:
            operation(step);
            break;
        case step_INTEGER_LOAD:
            integer_load(step);
            break;
        case step_INTEGER_STORE:
            integer_store(step);
            break;
        }
    }
    instruction_end();
    for (UInt i = 0; i < stretch->update_count; i++)
        registers_update(&stretch->updates[i]);
}

static void integer_steps_happen(const struct stretch *stretch)
{
    for (UInt i = 0; i < stretch->step_count; i++) {
        const struct step *step = &stretch->steps[i];
        if (step->kind == step_INTEGER_LOAD)
            integer_load(step);
        else if (step->kind == step_INTEGER_STORE)
            integer_store(step);
        else if (step->kind == step_COPY)
            copy(step);
    }
    for (UInt i = 0; moves_under_way && i < stretch->update_count; i++)
        if (stretch->updates[i].reg >= VECTOR_REGISTER_WORDS)
            registers_update(&stretch->updates[i]);
}

static void stretch_happens(const struct stretch *stretch)
{
    keeps_recent = stretch->keeps_recent;
    stretch_number++;
    if (moves_under_way)
        moves_under_way--;
    if (stretch->has_integers && values[VERDICT_WORD] == 0 && values[VERDICT_WORD + 1] == 0)
        integer_steps_happen(stretch);
    else
        steps_happen(stretch);
}

VG_REGPARM(2) void events_of_stretch(struct stretch *stretch, const UChar *guest)
{
    values = (const UInt *)(guest + area_offset);
    stretch_happens(stretch);
}

VG_REGPARM(1) void events_of_stretch_here(struct stretch *stretch)
{
    static UInt area[AREA_WORDS];
    ThreadId thread = VG_(get_running_tid)();
    SizeT bytes = stretch->words * 4, first = bytes < area_offset ? bytes : area_offset;
    VG_(get_shadow_regs_area)(thread, (UChar *)area, 1, 0, first);
    if (bytes > first)
        VG_(get_shadow_regs_area)(thread, (UChar *)area + first, 2, 0, bytes - first);
    values = area;
    stretch_happens(stretch);
}
