#include "cli/listings.h"

#include <string.h>

#define SAME(name, sql)                                                                                      \
    {                                                                                                        \
        name, sql, sql, false                                                                                \
    }
#define TEXT(name, sql)                                                                                      \
    {                                                                                                        \
        name, NULL, sql, false                                                                               \
    }
#define DATA(name, sql)                                                                                      \
    {                                                                                                        \
        name, sql, NULL, false                                                                               \
    }
#define NAME(name, sql)                                                                                      \
    {                                                                                                        \
        name, sql, sql, true                                                                                 \
    }
#define ADDRESS(name, sql)                                                                                   \
    {                                                                                                        \
        name, sql, "case when " sql " is not null then printf('0x%x', " sql ") end", false                   \
    }
#define FLAG(name, column, sql) TEXT(name, "case when " sql " then 'yes' end"), DATA(column, sql)

#define FUNCTIONS "(select value from json_each(:function))"
/* A path, or the end of one after a slash. */
#define IS_FILE(path) "(" path " = :file or substr(" path ", -length(:file) - 1) = '/' || :file)"
/* Address ranges compiled from the source line. */
#define LINES_MEANT                                                                                          \
    "source_lines s join files p on p.id = s.file and " IS_FILE(                                             \
        "p.path") " and (:line is null or s.line = :line)"

/* A type in C notation, found by following pointers, arrays and qualifiers to a named type. */
#define DIMENSIONS(type)                                                                                     \
    "(select group_concat('[' || case when d.count < 0 then '' else d.count end || ']', '') from "           \
    "dimensions d "                                                                                          \
    "where d.type = " type ")"
#define TYPE_NAME(type)                                                                                      \
    "(with recursive chain(id, text, step) as (select " type ", '', 0 union all "                            \
    "select q.target, case q.kind when 'pointer' then ' *' || chain.text when 'qualified' then ' ' || "      \
    "coalesce(q.name, '') || chain.text else case when chain.text like ' *%' then ' (' || trim(chain.text) " \
    "|| "                                                                                                    \
    "')' else chain.text end || coalesce(" DIMENSIONS(                                                       \
        "q.id") ", '[]') end, step + 1 from chain "                                                          \
                "join types q on q.id = chain.id where step < 12 and q.kind in ('pointer', 'array', "        \
                "'qualified')) "                                                                             \
                "select coalesce(q.name, q.kind, 'void') || chain.text from chain left join types q on "     \
                "q.id = chain.id "                                                                           \
                "order by step desc limit 1)"

const struct listing listings[] = {
    {.command = "loops",
     .columns = {SAME("loop", "l.id"), NAME("function", "f.name"), DATA("file", "p.path"),
                 DATA("first_line", "l.first_line"), DATA("last_line", "l.last_line"),
                 TEXT("source", "place(p.path, l.first_line, l.last_line)"), NAME("inlined", "c.name"),
                 SAME("depth", "l.depth"),
                 TEXT("kind", "trim(case when l.is_innermost then 'innermost ' else '' end || "
                              "case when l.is_irreducible then 'irreducible' else '' end)"),
                 DATA("parent", "l.parent"), DATA("is_innermost", "l.is_innermost"),
                 DATA("is_irreducible", "l.is_irreducible"), SAME("blocks", "l.block_count"),
                 SAME("instructions", "l.instruction_count"), DATA("entries", "l.entry_count"),
                 DATA("exits", "l.exit_count"), SAME("paths", "l.path_count"),
                 ADDRESS("address", "h.address")},
     .from = "loops l join functions f on f.id = l.function join blocks h on h.id = l.header "
             "left join files p on p.id = l.file left join inlined_calls c on c.id = l.inlined_call",
     .order = "l.id",
     .filters = {{OPTION_FUNCTION, "l.function in " FUNCTIONS},
                 {OPTION_LINE,
                  IS_FILE("p.path") " and (:line is null or :line between l.first_line and l.last_line)"},
                 {OPTION_DEPTH, "l.depth = :depth"},
                 {OPTION_INNERMOST, "l.is_innermost"},
                 {OPTION_PROGRAM, "f.program = :program"}}},
    {.command = "functions",
     .columns = {SAME("function", "f.id"), NAME("name", "f.name"), ADDRESS("address", "f.address"),
                 SAME("size", "f.size"), SAME("blocks", "f.block_count"),
                 SAME("instructions", "f.instruction_count"), SAME("loops", "f.loop_count"),
                 SAME("origin", "f.origin"), FLAG("guessed", "is_guessed", "f.is_guessed"),
                 DATA("is_global", "f.is_global"), DATA("returns", "f.returns"), DATA("section", "x.name"),
                 DATA("file", "p.path"), DATA("line", "f.line"),
                 TEXT("source", "place(p.path, f.line, f.line)"), DATA("program", "f.program")},
     .from = "functions f left join files p on p.id = f.file left join sections x on x.id = f.section",
     .order = "f.id",
     .without_code = true,
     .filters = {{OPTION_FUNCTION, "f.id in " FUNCTIONS},
                 {OPTION_LINE,
                  "f.id in (select g.id from " LINES_MEANT " join functions g on g.program = s.program "
                  "and s.address >= g.address and s.address < g.address + g.size)"},
                 {OPTION_SECTION, "x.name = :section"},
                 {OPTION_PROGRAM, "f.program = :program"}}},
    {.command = "calls",
     .columns = {DATA("caller_id", "k.caller"),
                 NAME("caller", "a.name"),
                 DATA("callee_id", "k.callee"),
                 {"callee", "b.name", "coalesce(b.name, '(unknown)')", true},
                 SAME("kind", "k.kind"),
                 SAME("sites", "count(*)")},
     .from = "calls k left join functions a on a.id = k.caller left join functions b on b.id = k.callee",
     .group = "k.caller, k.callee, k.kind",
     .order = "k.caller, k.callee",
     .filters = {{OPTION_FUNCTION, "(k.caller in " FUNCTIONS " or k.callee in " FUNCTIONS ")"},
                 {OPTION_PROGRAM, "a.program = :program"}}},
    {.command = "blocks",
     .columns = {SAME("block", "b.id"), NAME("function", "f.name"), SAME("name", "b.name"),
                 ADDRESS("address", "b.address"), SAME("size", "b.size"),
                 SAME("instructions", "b.instruction_count"), SAME("ends", "b.ends"), SAME("loop", "b.loop"),
                 TEXT("dominator", "d.name"), DATA("dominator", "b.dominator"),
                 TEXT("reachable", "case when b.is_reachable then '' else 'no' end"),
                 DATA("is_reachable", "b.is_reachable"), DATA("dom_enter", "b.dom_enter"),
                 DATA("dom_leave", "b.dom_leave")},
     .from = "blocks b left join functions f on f.id = b.function left join blocks d on d.id = b.dominator",
     .order = "b.id",
     .filters = {{OPTION_FUNCTION, "b.function in " FUNCTIONS},
                 {OPTION_LOOP, "b.id in (select block from loop_blocks where loop = :loop)"},
                 {OPTION_LINE,
                  "b.id in (select g.id from " LINES_MEANT " join blocks g on g.address < s.end and "
                  "g.address + g.size > s.address join sections t on t.id = g.section "
                  "and t.program = s.program)"},
                 {OPTION_PROGRAM, "f.program = :program"}}},
    {.command = "edges",
     .columns = {NAME("function", "f.name"),
                 SAME("source", "e.source"),
                 TEXT("from", "b.name"),
                 SAME("target", "e.target"),
                 TEXT("to", "t.name"),
                 SAME("kind", "e.kind"),
                 {"target_function", "g.name", "case when g.id <> f.id then g.name end", true}},
     .from = "blocks b join edges e on e.source = b.id left join functions f on f.id = b.function "
             "left join blocks t on t.id = e.target left join functions g on g.id = t.function",
     .order = "e.source, e.target",
     .filters = {{OPTION_FUNCTION, "b.function in " FUNCTIONS},
                 {OPTION_LOOP, "b.id in (select block from loop_blocks where loop = :loop)"},
                 {OPTION_PROGRAM, "f.program = :program"}}},
    {.command = "variables",
     .columns = {SAME("variable", "v.id"), SAME("name", "v.name"), NAME("function", "f.name"),
                 SAME("kind", "v.kind"),
                 SAME("type", "case when v.type is not null then " TYPE_NAME("v.type") " end"),
                 SAME("bytes", "nullif(t.bytes, 0)"),
                 SAME("location",
                      "(select l.kind || coalesce(' ' || l.register_name, '') || case when l.kind in "
                      "('address') then printf(' 0x%x', l.value) when l.kind in ('frame', 'based', "
                      "'tls', 'constant') then printf(' %+d', l.value) else '' end "
                      "from locations l where l.variable = v.id limit 1)"),
                 SAME("locations", "(select count(*) from locations l where l.variable = v.id)"),
                 DATA("file", "p.path"), DATA("line", "v.line"),
                 TEXT("source", "place(p.path, v.line, v.line)"), SAME("common", "v.common")},
     .from = "variables v left join functions f on f.id = v.function left join types t on t.id = v.type "
             "left join files p on p.id = v.file",
     .order = "v.id",
     .filters = {{OPTION_FUNCTION, "v.function in " FUNCTIONS},
                 {OPTION_LINE, IS_FILE("p.path") " and (:line is null or v.line = :line)"},
                 {OPTION_PROGRAM, "v.program = :program"}}},
    {.command = "types",
     .columns = {SAME("type", "t.id"), SAME("kind", "t.kind"), SAME("name", "t.name"),
                 SAME("bytes", "t.bytes"),
                 SAME("target", "case when t.target is not null then " TYPE_NAME("t.target") " end"),
                 DATA("target_id", "t.target"),
                 SAME("dimensions",
                      "(select group_concat(case when d.count < 0 then '?' else d.count end, ' x ') "
                      "from dimensions d where d.type = t.id)"),
                 SAME("members", "(select nullif(count(*), 0) from members m where m.type = t.id)"),
                 DATA("is_descriptor", "t.is_descriptor")},
     .from = "types t",
     .order = "t.id",
     .filters = {{OPTION_PROGRAM, "t.program = :program"}}},
    {.command = "lines",
     .columns = {ADDRESS("address", "s.address"), ADDRESS("end", "s.end"), DATA("file", "p.path"),
                 DATA("line", "s.line"), TEXT("source", "place(p.path, s.line, s.line)"),
                 SAME("column", "s.column"), NAME("inlined", "c.name"), DATA("program", "s.program")},
     .from = "source_lines s left join files p on p.id = s.file left join inlined_calls c on c.id = "
             "s.inlined_call",
     .order = "s.id",
     .filters =
         {{OPTION_FUNCTION,
           "s.id in (select i.source_line from blocks b join code i on i.id >= b.first_instruction and "
           "i.id < b.first_instruction + b.instruction_count where b.function in " FUNCTIONS ")"},
          {OPTION_LINE, IS_FILE("p.path") " and (:line is null or s.line = :line)"},
          {OPTION_PROGRAM, "s.program = :program"}}},
    {.command = "sources",
     .columns = {TEXT("source", "place(p.path, 0, 0)"), DATA("file", "p.path"),
                 SAME("lines", "count(distinct s.line)"), SAME("bytes", "sum(s.end - s.address)")},
     .from = "source_lines s join files p on p.id = s.file",
     .group = "p.id",
     .order = "p.path",
     .filters = {{OPTION_PROGRAM, "s.program = :program"}}},
    {.command = "programs",
     .columns = {SAME("program", "p.id"), SAME("path", "p.path"), SAME("member", "p.member"),
                 SAME("isa", "p.isa"), SAME("format", "p.format"), ADDRESS("entry", "p.entry"),
                 FLAG("symbols", "has_symbols", "p.has_symbols"), FLAG("debug", "has_debug", "p.has_debug"),
                 SAME("debug_file", "p.debug_file"),
                 SAME("functions", "(select count(*) from functions f where f.program = p.id)"),
                 DATA("build_id", "p.build_id")},
     .from = "programs p",
     .order = "p.id"},
    {.command = "sections",
     .columns = {SAME("section", "s.id"), SAME("name", "s.name"), ADDRESS("address", "s.address"),
                 SAME("size", "s.size"), SAME("offset", "s.offset"), FLAG("code", "is_code", "s.is_code"),
                 FLAG("writable", "is_writable", "s.is_writable"), FLAG("loaded", "is_loaded", "s.is_loaded"),
                 DATA("program", "s.program")},
     .from = "sections s",
     .order = "s.id",
     .filters = {{OPTION_PROGRAM, "s.program = :program"}, {OPTION_SECTION, "s.name = :section"}}},
    {.command = "symbols",
     .columns = {SAME("symbol", "s.id"), NAME("name", "s.name"), ADDRESS("address", "s.address"),
                 SAME("size", "s.size"), SAME("origin", "s.origin"),
                 FLAG("global", "is_global", "s.is_global"), DATA("file", "p.path"), DATA("line", "s.line"),
                 TEXT("source", "place(p.path, s.line, s.line)"), DATA("program", "s.program")},
     .from = "symbols s left join files p on p.id = s.file",
     .order = "s.id",
     .filters = {{OPTION_PROGRAM, "s.program = :program"}}},
    {.command = "problems",
     .columns = {TEXT("program", "coalesce(p.path || '(' || p.member || ')', p.path)"),
                 DATA("program", "b.program"), SAME("kind", "b.kind"), SAME("count", "b.count"),
                 ADDRESS("address", "b.address"), SAME("text", "b.text")},
     .from = "problems b left join programs p on p.id = b.program",
     .order = "b.id",
     .filters = {{OPTION_PROGRAM, "b.program = :program"}},
     .finds = true},
};
const unsigned listing_count = sizeof listings / sizeof listings[0];

bool listings_do_without_code(const char *command)
{
    for (unsigned i = 0; i < listing_count; i++)
        if (!strcmp(listings[i].command, command))
            return listings[i].without_code;
    return false;
}
