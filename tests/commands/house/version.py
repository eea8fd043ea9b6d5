"""assay version: which Assay this is and what it was built with; tools/commit, which says the commit."""
import os, re, shutil
from harness import *



@test
def one_line():
    line = text("--version")
    assert re.fullmatch(r"assay \d+\.\d+\.\d+\n", line), line
    assert text("version").splitlines()[0] == line.strip()


@test
def what_it_tells():
    lines = dict(re.split(r"\s+", line, maxsplit=1) for line in text("version").splitlines())
    facts = json.loads(text("version", "--json"))
    assert re.fullmatch(r"[0-9a-f]{12}(-changed)?|unknown", lines["commit"]) and facts["commit"] == lines["commit"], lines
    assert re.search(r"\d+\.\d+", lines["compiler"]) and facts["compiler"] == lines["compiler"], lines
    here = [row["name"] for row in json.loads(text("machines", "--json")) if row["is_host"]]
    assert (facts["machine"].split("+")[0] if facts["machine"] else None) == (here[0].split("+")[0] if here else None), (facts, here)
    present = {row["name"] for row in facts["features"] if row["is_present"]}
    assert set(lines["features"].split(", ")) == present, lines
    absent = {row["name"] for row in facts["features"]} - present
    assert set(re.findall(r"([\w-]+) \(", lines.get("missing", ""))) == absent, lines


@test
def features_one_on_each_line():
    lines = text("version", "--features").splitlines()
    rows = json.loads(text("version", "--features", "--json"))
    assert rows == json.loads(text("version", "--json"))["features"]
    for line, row in zip(lines, rows, strict=True):
        assert line.split()[:2] == ["yes" if row["is_present"] else "no", row["name"]] and row["purpose"] in line, line
        assert row["is_present"] or (row["debian_packages"] in line and row["fedora_packages"] in line), line
    table = text("version", "--features", "--csv").splitlines()
    assert table[0].startswith("name,is_present,purpose") and len(table) == len(rows) + 1, table


@test
def the_commit_of_a_tree():
    """From git; with a mark where files were changed; from a tarball's file; never that of a repository around the tree."""
    need("git")
    with Folder() as folder:
        tree = os.path.join(folder, "tree")
        os.makedirs(os.path.join(tree, "tools"))
        tool = shutil.copy(os.path.join(ROOT, "tools", "commit"), os.path.join(tree, "tools", "commit"))

        def git(*words, place=tree):
            identity = ["-c", "user.name=a", "-c", "user.email=a@b"]
            return command(["git", "-C", place, *identity, *words]).stdout.decode().strip()

        def commit():
            return command([tool]).stdout.decode()
        assert commit() == "unknown\n"
        git("init", "--quiet", place=folder)
        git("add", "-A", place=folder)
        git("commit", "--quiet", "-m", "around", place=folder)
        assert commit() == "unknown\n"
        with open(os.path.join(tree, "COMMIT"), "w") as file:
            file.write("0123456789ab\n")
        assert commit() == "0123456789ab\n"
        git("init", "--quiet")
        git("add", "-A")
        git("commit", "--quiet", "-m", "one")
        assert commit().strip() == git("rev-parse", "--short=12", "HEAD")
        with open(os.path.join(tree, "COMMIT"), "a") as file:
            file.write("more\n")
        assert commit().strip() == git("rev-parse", "--short=12", "HEAD") + "-changed"
        git("commit", "--quiet", "-a", "-m", "two")
        assert commit().strip() == git("rev-parse", "--short=12", "HEAD")


run()
