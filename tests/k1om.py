"""Code of Knights Corner as bytes, put together by hand, and object files of it."""
import os, struct

from harness import cross, need

# y += a * x, one vector a time: load, multiply and add, store, two pointers, a counter.
AXPY = ("62f178082806"      # vmovaps zmm0, [rsi]
        "62f2f108b807"      # vfmadd231pd zmm0, zmm1, [rdi]
        "62f178082906"      # vmovaps [rsi], zmm0
        "4883c640"          # add rsi, 64
        "4883c740"          # add rdi, 64
        "ffc9"              # dec ecx
        "75e2")             # jne to the start
EM_K1OM = 181

# Gathers, with the jump that repeats them until the mask k1 is empty: 16 lanes of 32 bits, 8 of 64.
GATHER = {16: "62f27909920408", 8: "62f2f909920408"}  # vgatherdps and vgatherdpd zmm0 {k1}, [rax+zmm1]


def jump(code, distance):
    """jkzd (84) or jknzd (85) k1."""
    return f"c5f0{code}" + struct.pack("<i", distance).hex()


def once(lanes):
    return GATHER[lanes] + jump("85", -14)


def twice(lanes):
    return GATHER[lanes] + jump("84", 14) + GATHER[lanes] + jump("85", -28)


def around(*gathers):
    """A loop: a vector of indices is loaded; each gather gets a full mask; the last one's vector is stored."""
    body = "62f17808280e" + "".join("c5f846c9" + gather for gather in gathers) + "62f178082907" "4883c640" "4883c740" "ffc9"
    return body + "0f85" + struct.pack("<i", -(len(body) // 2 + 6)).hex()


def k1om_object(folder, code=AXPY):
    """The assembler knows no vectors of Knights Corner: bytes, and another machine number."""
    tool = cross("as", "x86_64")
    need(tool)
    source, path = os.path.join(folder, "k.s"), os.path.join(folder, "k.o")
    data = bytes.fromhex(code)
    with open(source, "w") as file:
        file.write(".globl axpy\n.type axpy, @function\naxpy:\n.byte " + ",".join(map(str, data)) +
                   "\nret\n.size axpy, .-axpy\n")
    if os.system(f"{tool} --64 {source} -o {path}"):
        raise AssertionError("the assembler failed")
    with open(path, "r+b") as file:
        file.seek(18)
        file.write(struct.pack("<H", EM_K1OM))
    return path
