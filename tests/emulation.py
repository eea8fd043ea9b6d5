"""Whether this process runs under qemu-user.

The kernel below is one of another architecture.  /proc/self/exe is made up by the emulator, but the program that the kernel really
runs is the emulator, whose header says what it was built for."""
import functools, os

NUMBERS = {"x86_64": 62, "aarch64": 183}  # of a machine in the header of an ELF file


def is_for_another(machine, program):
    """Whether a program's header names another machine."""
    with open(program, "rb") as file:
        header = file.read(20)
    number = int.from_bytes(header[18:20], "little")
    return header[:4] == b"\x7fELF" and number != NUMBERS.get(machine, number)


@functools.cache
def is_emulated():
    """Whether what the kernel runs is for another machine than this process believes to be on."""
    try:
        return is_for_another(os.uname().machine, "/proc/thread-self/exe")
    except OSError:
        return False
