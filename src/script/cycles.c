/* Cycles and machines for scripts: the parts of the core (code/cost/), asked about a loop, a block or a list
   of instructions. Costs of instructions are kept for the machine that was asked for last. */
#include "code/cost/loops.h"
#include "code/machine/machine.h"
#include "model/isa.h"
#include "script/parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct script_costs {
    struct block_costs work;
    const struct machine *machine; /* NULL: none yet */
    struct array paths;            /* of loop_path */
};

void cycles_close(struct script *script)
{
    if (!script->costs)
        return;
    if (script->costs->machine)
        block_costs_end(&script->costs->work);
    array_free(&script->costs->paths);
    free(script->costs);
}

/* The costs for code of a program, on the machine that the script names; never returns on an error. */
static struct script_costs *take_costs(lua_State *lua, const struct model *model, uint32_t function,
                                       int machine_at)
{
    struct script *script = script_of(lua);
    const char *name = luaL_optstring(lua, machine_at, NULL);
    enum isa isa = (enum isa)model_program(model, model_function(model, function)->program)->isa;
    struct error error = {0};
    const struct machine *machine =
        script->host.machine(script->host.context, name, isa_facts(isa)->machine, &error);
    if (!machine)
        script_fail(lua, &error);
    if (!script->costs) {
        script->costs = memory_get(sizeof *script->costs);
        script->costs->paths = ARRAY_OF(struct loop_path);
    }
    struct script_costs *costs = script->costs;
    if (costs->machine != machine) {
        if (costs->machine)
            block_costs_end(&costs->work);
        block_costs_begin(&costs->work, machine, model);
        costs->machine = machine;
    }
    return costs;
}

static const struct model *take_model(lua_State *lua)
{
    struct script *script = script_of(lua);
    struct error error = {0};
    if (!script->host.model || !script->host.machine)
        luaL_error(lua, "cycles cannot be computed here");
    const struct model *model = script->host.model(script->host.context, &error);
    if (!model)
        script_fail(lua, &error);
    return model;
}

static void set_number(lua_State *lua, const char *name, double value)
{
    if (isfinite(value)) {
        lua_pushnumber(lua, value);
        lua_setfield(lua, -2, name);
    }
}

static void set_text(lua_State *lua, const char *name, const char *text)
{
    if (text) {
        lua_pushstring(lua, text);
        lua_setfield(lua, -2, name);
    }
}

static int push_result(lua_State *lua, const struct loop_path *path, const struct machine *machine)
{
    if (!isfinite(path->cycles)) {
        lua_pushnil(lua);
        if (path->missing)
            lua_pushfstring(lua, "%s has no %s", machine->name,
                            path->lacking_extension ? path->lacking_extension : lack_doc(path->lack));
        else
            lua_pushstring(lua,
                           path->is_cut ? "it is too long" : "the machine file does not describe the core");
        return 2;
    }
    lua_createtable(lua, 0, 8);
    set_number(lua, "cycles", path->cycles);
    set_text(lua, "limit", core_part_word(path->limit));
    if (path->next != core_part_NONE) {
        set_text(lua, "next", core_part_word(path->next));
        set_number(lua, "next_cycles", path->next_cycles);
    }
    set_text(lua, "machine", machine->name);
    lua_pushinteger(lua, path->instruction_count);
    lua_setfield(lua, -2, "instructions");
    lua_createtable(lua, 0, core_part_COUNT);
    for (unsigned part = 0; part < core_part_COUNT; part++)
        if (path->bounds[part] > 0)
            set_number(lua, core_part_word(part), path->bounds[part]);
    lua_setfield(lua, -2, "bounds");
    return 1;
}

static int cycles_of_loop(lua_State *lua, const struct model *model, uint32_t loop)
{
    if (!loop || loop >= model->loops.count)
        luaL_error(lua, "there is no loop %d", (int)loop);
    struct script_costs *costs = take_costs(lua, model, model_loop(model, loop)->function, 2);
    costs->paths.count = 0;
    loop_paths_list(model, loop, &costs->paths);
    const struct loop_path *slowest = NULL;
    for (size_t i = 0; i < costs->paths.count; i++) {
        struct loop_path *path = ARRAY_AT(struct loop_path, &costs->paths, i);
        loop_path_take(model, path, &costs->work);
        bool is_answered = block_costs_predict(&costs->work, cost_LOOP, cost_BOUNDS);
        loop_path_note(&costs->work, is_answered, path);
        if (!slowest || !(path->cycles <= slowest->cycles)) {
            slowest = path;
            if (!isfinite(path->cycles))
                break;
        }
    }
    if (slowest)
        return push_result(lua, slowest, costs->machine);
    lua_pushnil(lua);
    lua_pushliteral(lua, "only innermost loops have cycles: its blocks and inner loops can be asked");
    return 2;
}

/* The path of a loop that a row of loop_metrics at index 1 is about; NULL: the loop has none such. */
static struct loop_path *path_at(lua_State *lua, const struct model *model, int machine_at)
{
    const char *table;
    int64_t loop = rows_id(lua, 1, &table), wanted = rows_path(lua, 1);
    luaL_argcheck(lua, !strcmp(table, "loop_metrics"), 1,
                  "a path of a loop is needed, such as loop:metrics()[1]");
    if (loop <= 0 || loop >= (int64_t)model->loops.count)
        luaL_error(lua, "there is no loop %d", (int)loop);
    struct script_costs *costs =
        take_costs(lua, model, model_loop(model, (uint32_t)loop)->function, machine_at);
    costs->paths.count = 0;
    loop_paths_list(model, (uint32_t)loop, &costs->paths);
    for (size_t i = 0; i < costs->paths.count; i++)
        if (ARRAY_AT(struct loop_path, &costs->paths, i)->path == wanted)
            return array_at(&costs->paths, i);
    return NULL;
}

static int finish_path(lua_State *lua, struct loop_path *path)
{
    struct script_costs *costs = script_of(lua)->costs;
    loop_path_note(&costs->work, block_costs_predict(&costs->work, cost_LOOP, cost_BOUNDS), path);
    return push_result(lua, path, costs->machine);
}

static int cycles_of_path(lua_State *lua, const struct model *model)
{
    struct loop_path *path = path_at(lua, model, 2);
    if (!path)
        return luaL_error(lua, "the loop has no such path");
    loop_path_take(model, path, &script_of(lua)->costs->work);
    return finish_path(lua, path);
}

static void add_instruction(struct script_costs *costs, const struct model *model, uint32_t id)
{
    const struct instruction *row = model_instruction(model, id);
    uint64_t start = row->block ? model_block(model, row->block)->address : 0;
    block_costs_add(&costs->work, row->encoding, id, start + row->offset, row->target);
}

static uint32_t function_of(const struct model *model, uint32_t block)
{
    return block && block < model->blocks.count ? model_block(model, block)->function : 0;
}

static int finish_block(lua_State *lua, struct script_costs *costs)
{
    struct loop_path path = {.cycles = NAN, .next_cycles = NAN};
    bool is_answered = block_costs_predict(&costs->work, cost_UNROLLED, cost_BOUNDS);
    loop_path_note(&costs->work, is_answered, &path);
    return push_result(lua, &path, costs->machine);
}

static int cycles_of_block(lua_State *lua, const struct model *model, uint32_t block)
{
    uint32_t function = function_of(model, block);
    if (!function)
        luaL_error(lua, "block %d is not part of a function", (int)block);
    struct script_costs *costs = take_costs(lua, model, function, 2);
    const struct block *row = model_block(model, block);
    block_costs_clear(&costs->work);
    for (uint32_t i = 0; i < row->instruction_count; i++)
        add_instruction(costs, model, row->first_instruction + i);
    return finish_block(lua, costs);
}

/* The id of item `at` of a list of instructions at this index, checked. */
static uint32_t instruction_at(lua_State *lua, const struct model *model, int list, lua_Integer at)
{
    const char *table;
    lua_rawgeti(lua, list, at);
    int64_t id = lua_isinteger(lua, -1) ? lua_tointeger(lua, -1) : rows_id(lua, lua_gettop(lua), &table);
    lua_pop(lua, 1);
    if (id <= 0 || id >= (int64_t)model->code.count ||
        !function_of(model, model_instruction(model, (uint32_t)id)->block))
        luaL_error(lua, "item %I is not an instruction of a function", at);
    return (uint32_t)id;
}

static int cycles_of_list(lua_State *lua, const struct model *model)
{
    lua_Integer count = (lua_Integer)lua_rawlen(lua, 1);
    luaL_argcheck(lua, count > 0 && count <= MOST_BLOCK_INSTRUCTIONS, 1, "a row, or a list of instructions");
    uint32_t first = instruction_at(lua, model, 1, 1);
    struct script_costs *costs =
        take_costs(lua, model, function_of(model, model_instruction(model, first)->block), 2);
    block_costs_clear(&costs->work);
    for (lua_Integer i = 1; i <= count; i++)
        add_instruction(costs, model, instruction_at(lua, model, 1, i));
    return finish_block(lua, costs);
}

int cycles_of(lua_State *lua)
{
    luaL_checktype(lua, 1, LUA_TTABLE);
    limits_spend(lua, WORK_OF_CYCLES);
    lua_settop(lua, 2);
    const struct model *model = take_model(lua);
    const char *table;
    bool is_row = luaL_getmetafield(lua, 1, "__name") == LUA_TSTRING;
    lua_settop(lua, 2);
    if (!is_row)
        return cycles_of_list(lua, model);
    int64_t id = rows_id(lua, 1, &table);
    if (!strcmp(table, "loop_metrics"))
        return cycles_of_path(lua, model);
    if (!strcmp(table, "loops"))
        return cycles_of_loop(lua, model, (uint32_t)id);
    if (!strcmp(table, "blocks"))
        return cycles_of_block(lua, model, (uint32_t)id);
    return luaL_error(lua, "cycles are those of a loop, a block or a list of instructions, not of %s", table);
}

int cycles_without(lua_State *lua)
{
    luaL_checktype(lua, 1, LUA_TTABLE);
    limits_spend(lua, WORK_OF_CYCLES);
    luaL_checktype(lua, 2, LUA_TTABLE);
    lua_settop(lua, 3);
    const struct model *model = take_model(lua);
    struct loop_path *path = path_at(lua, model, 3);
    if (!path)
        return luaL_error(lua, "the loop has no such path");
    lua_Integer count = (lua_Integer)lua_rawlen(lua, 2);
    lua_newtable(lua); /* the ids that are left out, as keys */
    for (lua_Integer i = 1; i <= count; i++) {
        lua_pushboolean(lua, true);
        lua_rawseti(lua, 4, instruction_at(lua, model, 2, i));
    }
    struct script_costs *costs = script_of(lua)->costs;
    block_costs_clear(&costs->work);
    for (uint32_t i = 0; i < path->blocks; i++) {
        const struct block *block = model_block(model, model_path_block(model, path->first_block + i)->block);
        for (uint32_t k = 0; k < block->instruction_count; k++) {
            if (lua_rawgeti(lua, 4, block->first_instruction + k) == LUA_TNIL)
                add_instruction(costs, model, block->first_instruction + k);
            lua_pop(lua, 1);
        }
    }
    return finish_path(lua, path);
}

int latency_of(lua_State *lua)
{
    limits_spend(lua, WORK_OF_QUERY);
    const char *table;
    int64_t id = rows_id(lua, 1, &table);
    lua_settop(lua, 2);
    const struct model *model = take_model(lua);
    luaL_argcheck(lua, !strcmp(table, "instructions") && id > 0 && id < (int64_t)model->code.count, 1,
                  "an instruction is needed");
    const struct instruction *row = model_instruction(model, (uint32_t)id);
    uint32_t function = function_of(model, row->block);
    if (!function || !row->encoding)
        return 0;
    const struct machine_cost *cost =
        machine_cost(&take_costs(lua, model, function, 2)->work.costs, row->encoding);
    double longest = 0;
    for (unsigned i = 0; i < cost->flow_count; i++)
        longest = fmax(longest, cost->flows[i].latency);
    if (cost->is_missing)
        return 0;
    lua_pushnumber(lua, longest);
    return 1;
}

int machine_facts(lua_State *lua)
{
    limits_spend(lua, WORK_OF_QUERY);
    struct script *script = script_of(lua);
    struct error error = {0};
    if (!script->host.machine)
        luaL_error(lua, "there are no machines here");
    const char *name = luaL_optstring(lua, 1, NULL);
    const struct machine *machine = script->host.machine(script->host.context, name, isa_NONE, &error);
    if (!machine)
        return script_fail(lua, &error);
    lua_newtable(lua);
    set_text(lua, "name", machine->name);
    set_text(lua, "title", machine->title);
    set_text(lua, "isa", isa_word(machine->isa));
#define FIGURE(word, member, sentence, says) set_number(lua, word, machine->member);
#include "code/machine/facts.def"
    lua_createtable(lua, (int)machine->port_count, 0);
    for (unsigned i = 0; i < machine->port_count; i++) {
        lua_pushstring(lua, machine->ports[i]);
        lua_rawseti(lua, -2, (lua_Integer)i + 1);
    }
    lua_setfield(lua, -2, "ports");
    return 1;
}
