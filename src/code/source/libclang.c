/* Finds and loads libclang: in LLVM's own folders first, newest version first, because there it also finds
   the headers that belong to it; then wherever the system's linker looks. */
#include "code/source/libclang.h"

#include <dlfcn.h>
#include <glob.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct symbol {
    const char *name;
    size_t place;
};
#define SYMBOL(field, name)                                                                                  \
    {                                                                                                        \
        "clang_" name, offsetof(struct libclang, field)                                                      \
    }
static const struct symbol symbols[] = {
    SYMBOL(create_index, "createIndex"),
    SYMBOL(parse, "parseTranslationUnit2"),
    SYMBOL(unit_cursor, "getTranslationUnitCursor"),
    SYMBOL(visit, "visitChildren"),
    SYMBOL(type, "getCursorType"),
    SYMBOL(canonical, "getCanonicalType"),
    SYMBOL(pointee, "getPointeeType"),
    SYMBOL(element, "getElementType"),
    SYMBOL(result, "getResultType"),
    SYMBOL(equal_types, "equalTypes"),
    SYMBOL(type_name, "getTypeSpelling"),
    SYMBOL(referenced, "getCursorReferenced"),
    SYMBOL(specialized, "getSpecializedCursorTemplate"),
    SYMBOL(definition, "getCursorDefinition"),
    SYMBOL(is_null, "Cursor_isNull"),
    SYMBOL(hash, "hashCursor"),
    SYMBOL(equal, "equalCursors"),
    SYMBOL(name, "getCursorSpelling"),
    SYMBOL(text, "getCString"),
    SYMBOL(free_string, "disposeString"),
    SYMBOL(argument_count, "Cursor_getNumArguments"),
    SYMBOL(location, "getCursorLocation"),
    SYMBOL(extent, "getCursorExtent"),
    SYMBOL(range_start, "getRangeStart"),
    SYMBOL(range_end, "getRangeEnd"),
    SYMBOL(expansion, "getExpansionLocation"),
    SYMBOL(file, "getFile"),
    SYMBOL(file_name, "getFileName"),
    SYMBOL(is_from_main_file, "Location_isFromMainFile"),
    SYMBOL(equal_files, "File_isEqual"),
    SYMBOL(contents, "getFileContents"),
    SYMBOL(diagnostic_count, "getNumDiagnostics"),
    SYMBOL(diagnostic, "getDiagnostic"),
    SYMBOL(severity, "getDiagnosticSeverity"),
    SYMBOL(diagnostic_location, "getDiagnosticLocation"),
    SYMBOL(diagnostic_text, "getDiagnosticSpelling"),
    SYMBOL(is_definition, "isCursorDefinition"),
    SYMBOL(storage, "Cursor_getStorageClass"),
    SYMBOL(linkage, "getCursorLinkage"),
    SYMBOL(mangled, "Cursor_getMangling"),
    SYMBOL(is_const, "isConstQualifiedType"),
    SYMBOL(is_restrict, "isRestrictQualifiedType"),
    SYMBOL(array_size, "getArraySize"),
    SYMBOL(evaluate, "Cursor_Evaluate"),
    SYMBOL(result_kind, "EvalResult_getKind"),
    SYMBOL(result_number, "EvalResult_getAsLongLong"),
    SYMBOL(free_result, "EvalResult_dispose"),
    SYMBOL(presumed, "getPresumedLocation"),
};
#undef SYMBOL

static bool load(struct libclang *library, const char *path)
{
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!handle)
        return false;
    for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++) {
        void *address = dlsym(handle, symbols[i].name);
        if (!address) {
            dlclose(handle);
            return false;
        }
        memcpy((char *)library + symbols[i].place, &address, sizeof address);
    }
    Dl_info facts;
    void *function;
    memcpy(&function, &library->create_index, sizeof function);
    if (dladdr(function, &facts) && facts.dli_fname)
        snprintf(library->path, sizeof library->path, "%s", facts.dli_fname);
    return true;
}

/* Names that a pattern matches, newest version first. */
static bool load_matching(struct libclang *library, const char *pattern)
{
    glob_t found;
    bool is_loaded = false;
    if (!glob(pattern, GLOB_NOSORT, NULL, &found)) {
        bool *is_tried = calloc(found.gl_pathc + 1, sizeof *is_tried);
        for (size_t round = 0; is_tried && !is_loaded && round < found.gl_pathc; round++) {
            size_t best = found.gl_pathc;
            for (size_t i = 0; i < found.gl_pathc; i++)
                if (!is_tried[i] &&
                    (best == found.gl_pathc || strverscmp(found.gl_pathv[i], found.gl_pathv[best]) > 0))
                    best = i;
            is_tried[best] = true;
            is_loaded = load(library, found.gl_pathv[best]);
        }
        free(is_tried);
        globfree(&found);
    }
    return is_loaded;
}

static bool find(struct libclang *library)
{
    static const char *const patterns[] = {"/usr/lib/llvm-*/lib/libclang.so.1",
                                           "/usr/lib/llvm-*/lib/libclang-*.so.1",
                                           "/usr/lib/*-linux-gnu/libclang-*.so.1"};
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++)
        if (load_matching(library, patterns[i]))
            return true;
    return load(library, "libclang-14.so.1") || load(library, "libclang.so.1") ||
           load(library, "libclang.so");
}

const struct libclang *libclang_load(void)
{
    static struct libclang library;
    static bool is_known, is_there;
    if (!is_known)
        is_there = find(&library);
    is_known = true;
    return is_there ? &library : NULL;
}
