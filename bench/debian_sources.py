"""apt-get that knows Debian's sources, for benches that build programs of others.

Most systems list packages to install and no sources.  Then a list of its own is made in a folder: this system's own lists, from where it
gets its packages, as lists of sources.  Nothing of the system changes."""
import glob
import os
import re
import subprocess


def lists():
    """The text of two lists of sources, in apt's old and its new format, with what this system's lists say."""
    old, new = [], []
    for path in ["/etc/apt/sources.list", *glob.glob("/etc/apt/sources.list.d/*.list")]:
        if os.path.exists(path):
            with open(path) as file:
                old += [re.sub(r"^\s*deb\b", "deb-src", line) for line in file if re.match(r"\s*deb\s", line)]
    for path in glob.glob("/etc/apt/sources.list.d/*.sources"):
        with open(path) as file:
            new.append(re.sub(r"(?m)^Types:.*$", "Types: deb-src", file.read()))
    return "".join(old), "\n".join(new)


def apt(folder):
    """The words of apt-get, to which `source PACKAGE` can be added; where the lists must be made, they are made below folder."""
    words = ["apt-get", "-qq"]
    if not subprocess.run([*words, "source", "--print-uris", "zlib"], capture_output=True).returncode:
        return words
    own = os.path.abspath(os.path.join(folder, "apt"))
    for option in (f"Dir::Etc::sourcelist={own}/sources.list", f"Dir::Etc::sourceparts={own}/parts", f"Dir::State::lists={own}/lists"):
        words += ["-o", option]
    if not os.path.exists(own + "/complete"):
        for part in ("lists/partial", "parts"):
            os.makedirs(os.path.join(own, part), exist_ok=True)
        for name, text in zip(("sources.list", "parts/system.sources"), lists()):
            with open(os.path.join(own, name), "w") as file:
                file.write(text)
        subprocess.run([*words, "update"], check=True)
        open(own + "/complete", "w").close()
    return words
