#!/usr/bin/env python3
# first build only: the protocol has tests of its own (lsp)
"""assay lsp with a real client: Neovim, headless, with its own protocol code."""
import shutil
from harness import *

SOURCE = """void scale(double *a, const double *b, long n)
{
    for (long i = 0; i < n; i++)
        a[i] = 3 * b[i];
}
"""

# Versions from 0.7 (Debian 12) on; inlay hints are drawn from 0.10 on, so they are asked for as the editor would.
SCRIPT = """
local answers = {}
local function ask(method, parameters)
  for _, answer in pairs(vim.lsp.buf_request_sync(0, method, parameters, %(patience)d) or {}) do answers[method] = answer end
end
local ok, problem = pcall(function()
  vim.cmd("edit solve.c")
  local client = vim.lsp.start_client({ name = "assay", cmd = { %(assay)s, "lsp", "solve.o" }, root_dir = vim.fn.getcwd() })
  assert(client, "the client did not start")
  vim.lsp.buf_attach_client(0, client)
  assert(vim.wait(%(patience)d, function() return #vim.diagnostic.get(0) > 0 end, 50), "no diagnostics came")
  answers.diagnostics = vim.diagnostic.get(0)
  vim.api.nvim_win_set_cursor(0, { 4, 8 })
  local document = vim.lsp.util.make_text_document_params()
  local here = { line = 3, character = 8 }
  ask("textDocument/hover", { textDocument = document, position = here })
  ask("textDocument/codeLens", { textDocument = document })
  ask("textDocument/codeAction", { textDocument = document, range = { start = here, ["end"] = here }, context = { diagnostics = {} } })
  ask("textDocument/inlayHint", { textDocument = document, range = { start = { line = 0, character = 0 }, ["end"] = { line = 5, character = 0 } } })
  ask("workspace/executeCommand", { command = "assay.assembly", arguments = { { uri = document.uri, line = 2 } } })
  -- the editor's own edit, by the action that has one
  for _, action in ipairs(answers["textDocument/codeAction"].result) do
    if action.edit then vim.lsp.util.apply_workspace_edit(action.edit, "utf-16") end
  end
  answers.lines = vim.api.nvim_buf_get_lines(0, 0, -1, false)
  vim.wait(120000, function() local now = vim.diagnostic.get(0) return #now > 0 and now[1].lnum == 3 end, 50)
  answers.moved = vim.diagnostic.get(0)
  vim.lsp.stop_client(client)
end)
answers.problem = not ok and problem or nil
for _, list in pairs({ "diagnostics", "moved" }) do
  for _, it in ipairs(answers[list] or {}) do it.user_data = nil end
end
vim.fn.writefile({ vim.fn.json_encode(answers) }, "answers.json")
vim.cmd("qall!")
"""


@test
def neovim_shows_figures_and_applies_an_edit():
    need("nvim")
    with Folder() as folder:
        for name, words in (("solve.c", SOURCE), ("try.lua", SCRIPT % {"assay": json.dumps(ASSAY), "patience": PATIENCE * 1000})):
            with open(os.path.join(folder, name), "w") as file:
                file.write(words)
        command([need("gcc"), "-O2", "-g", "-c", os.path.join(folder, "solve.c"), "-o", os.path.join(folder, "solve.o")])
        environment = {**os.environ, "HOME": folder, "XDG_STATE_HOME": folder, "XDG_CONFIG_HOME": folder, "XDG_DATA_HOME": folder}
        ended = watched(["nvim", "--headless", "-u", "NONE", "-i", "NONE", "-c", "luafile try.lua"], cwd=folder, env=environment)
        assert not ended.returncode, ended
        with open(os.path.join(folder, "answers.json")) as file:
            answers = json.load(file)
        assert "problem" not in answers, answers["problem"]
        assert all(it["lnum"] == 2 and it["source"] == "assay" for it in answers["diagnostics"]), answers["diagnostics"]
        [hint] = answers["textDocument/inlayHint"]["result"]
        assert "cycles" in hint["label"] and hint["position"] == {"line": 2, "character": len(SOURCE.split("\n")[2])}, hint
        [lens] = answers["textDocument/codeLens"]["result"]
        assert "limited by" in lens["command"]["title"], lens
        assert "ports" in answers["textDocument/hover"]["result"]["contents"]["value"], answers
        assert "loop in scale" in answers["workspace/executeCommand"]["result"]["text"], answers
        assert answers["lines"][2:4] == ["    #pragma omp simd", "    for (long i = 0; i < n; i++)"], answers["lines"]
        assert answers["moved"] and all(it["lnum"] == 3 for it in answers["moved"]), answers["moved"]


run()
