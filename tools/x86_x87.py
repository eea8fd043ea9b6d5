"""Figures of x87 instructions, for tools/x86-forms: the tables of measurements have next to none of them."""
import re

# x87, which the tables lack but for a few: Agner Fog's instruction tables, by family.  Roles of ports: any: moves
# on the stack; add, multiply (divide and square root, too), sign: fabs and fchs; load, address, data: memory;
# integer: the rest.
X87_PORTS = {
    "core2": dict(any="015", add="1", multiply="0", sign="0", load="2", address="3", data="4", integer="015"),
    "nehalem": dict(any="01", add="1", multiply="0", sign="0", load="2", address="3", data="4", integer="015"),
    "sandy": dict(any="5", add="1", multiply="0", sign="5", load="23", address="23", data="4", integer="015"),
    "haswell": dict(any="01", add="1", multiply="0", sign="0", load="23", address="237", data="4", integer="0156"),
    "skylake": dict(any="05", add="5", multiply="0", sign="0", load="23", address="237", data="4", integer="0156"),
    "ice": dict(any="05", add="5", multiply="0", sign="0", load="23", address="78", data="49", integer="0156"),
    "golden": dict(any="05", add="5", multiply="0", sign="0", load="23A", address="78", data="49", integer="0156B"),
    "zen": dict(any="0123", add="0", multiply="0", sign="3", load="xy", address="xy", data="2", integer="abcd"),
    "zen2": dict(any="0123", add="0", multiply="0", sign="3", load="xy", address="z", data="2", integer="abcd"),
    "zen3": dict(any="0123", add="0", multiply="0", sign="3", load="xyz", address="xy", data="45", integer="abcd"),
}
X87_FAMILY = {"core2-conroe": "core2", "core2-wolfdale": "core2", "nehalem": "nehalem", "westmere": "nehalem",
              "sandy-bridge": "sandy", "ivy-bridge": "sandy", "haswell": "haswell", "broadwell": "haswell", "skylake": "skylake",
              "skylake-x": "skylake", "cascade-lake": "skylake", "ice-lake": "ice", "tiger-lake": "ice", "rocket-lake": "ice",
              "alder-lake-p": "golden", "sapphire-rapids": "golden",
              "zen": "zen", "zen-plus": "zen", "zen2": "zen2", "zen3": "zen3", "zen4": "zen3"}
# Latency of an addition and of a multiplication; latency of a division and how long it holds the divider; the
# same of a square root; what a load and a store add.
X87_CYCLES = {
    "core2": (3, 5, 20, 19, 23, 22, 3, 3), "nehalem": (3, 5, 16, 12, 20, 16, 3, 3), "sandy": (3, 5, 16, 12, 16, 12, 3, 4),
    "haswell": (3, 5, 16, 12, 16, 12, 4, 4), "skylake": (3, 5, 15, 5, 18, 6, 4, 4), "ice": (3, 5, 15, 5, 18, 6, 4, 4),
    "golden": (3, 5, 15, 5, 18, 6, 5, 4), "zen": (5, 5, 15, 6, 20, 10, 7, 4), "zen2": (5, 5, 15, 6, 20, 10, 7, 4), "zen3": (6, 6, 15, 6, 20, 10, 7, 4),
}
# µops and latency of what is microcode: much the same on all of them.
X87_MICROCODE = {
    "fprem": (28, 25), "fprem1": (41, 30), "fsin": (80, 80), "fcos": (80, 80), "fsincos": (100, 100), "fptan": (110, 110),
    "fpatan": (60, 100), "fscale": (26, 120), "fxtract": (17, 11), "f2xm1": (18, 55), "fyl2x": (50, 80), "fyl2xp1": (60, 90),
    "frndint": (17, 21), "fnclex": (5, 22), "fninit": (18, 75), "fbld m80": (43, 47), "fbstp m80": (226, 260),
    "fldenv m224": (50, 60), "fnstenv m224": (71, 110), "fnsave m864": (130, 160), "frstor m864": (90, 120),
}


def x87_forms(table):
    """Their lines; operands that the stack holds wait for each other by the register file alone."""
    family = X87_FAMILY[table.name]
    port = X87_PORTS[family]
    add, multiply, divide, divide_busy, root, root_busy, load, store = X87_CYCLES[family]
    one = lambda role: [(1, port[role])]
    lines = {}

    def say(text, ports, latency, fused=None, divider=None):
        lines[text] = dict(ports=ports, latency=latency, fused=len(ports) if fused is None else fused, divider=divider)
        if one("load")[0] in ports and re.match(r"fi?(add|subr?|mul|divr?|comp?) m", text):
            lines[text]["latencies"] = {("addr", "*"): latency + load, ("index", "*"): latency + load}

    def arithmetic(name, role, latency, divider=None):
        pops = {"fadd": "faddp", "fsub": "fsubp", "fsubr": "fsubrp", "fmul": "fmulp", "fdiv": "fdivp", "fdivr": "fdivrp"}
        say(name + " st,st", one(role), latency, divider=divider)
        say(pops[name] + " st,st", one(role), latency, divider=divider)
        for size in ("m32", "m64"):
            say("%s %s" % (name, size), one(role) + one("load"), latency, 1, divider)
        for size in ("m16", "m32"): # converted first
            say("fi%s %s" % (name[1:], size), one(role) + one("any") + one("load"), latency + 4, 2, divider)

    for name in ("fadd", "fsub", "fsubr"):
        arithmetic(name, "add", add)
    arithmetic("fmul", "multiply", multiply)
    for name in ("fdiv", "fdivr"):
        arithmetic(name, "multiply", divide, divide_busy)
    say("fsqrt", one("multiply"), root, divider=root_busy)
    for name in ("fabs", "fchs"):
        say(name, one("sign"), 1)
    for name in ("fld st", "fst st", "fstp st", "fstpnce st", "ffree st", "ffreep st", "fldz", "fnop", "fneni", "fndisi", "fnsetpm"):
        say(name, one("any"), 1)
    for name in ("fincstp", "fdecstp"):
        say(name, one("any"), 1)
    say("fxch st", [], 0, 1 if family in ("core2", "nehalem", "sandy") or table.is_amd else 2)
    for name in ("fld1", "fldpi", "fldl2e", "fldl2t", "fldlg2", "fldln2"):
        say(name, [(2, port["any"])], 1, 2)
    for size in ("m32", "m64"):
        say("fld " + size, one("load"), load)
        say("fst " + size, one("address") + one("data"), store, 1)
        say("fstp " + size, one("address") + one("data"), store, 1)
        say("fcom " + size, one("add") + one("load"), 1, 1)
        say("fcomp " + size, one("add") + one("load"), 1, 1)
    say("fld m80", [(2, port["any"]), (2, port["load"])], load + 1, 4)
    say("fstp m80", [(3, port["integer"]), (2, port["address"]), (2, port["data"])], store + 1, 7)
    for size in ("m16", "m32", "m64"):
        say("fild " + size, one("any") + one("load"), load + 3, 1)
        for name in ("fistp", "fisttp") + (("fist",) if size != "m64" else ()):
            say("%s %s" % (name, size), one("add") + one("address") + one("data"), store + 3, 2)
    for name in ("fcom st", "fcomp st", "fucom st", "fucomp st,st", "ftst"):
        say(name, one("add"), 1)
    for name in ("fcompp", "fucompp", "fxam"):
        say(name, one("add") + one("any"), 1, 2)
    for name in ("fcomi", "fcomip", "fucomi", "fucomip"):
        if table.is_amd:
            say(name + " st,st", one("add") + one("integer"), 2)
        else:
            say(name + " st,st", one("add") + [(2, port["any"])], 2, 3)
    for name in ("ficom", "ficomp"):
        for size in ("m16", "m32"):
            say("%s %s" % (name, size), one("add") + one("any") + one("load"), 5, 2)
    for condition in ("b", "e", "be", "u", "nb", "ne", "nbe", "nu"):
        say("fcmov%s st,st" % condition, one("multiply") + [(2, port["any"])], 2, 3)
    say("fnstsw ax", one("multiply") + one("integer"), 2, 2)
    say("fnstsw m16", one("multiply") + one("address") + one("data"), 3, 2)
    say("fnstcw m16", one("integer") + one("address") + one("data"), 5, 2)
    say("fldcw m16", one("any") + one("integer") + one("load"), 7, 3)
    say("fwait", [(2, port["any"])], None, 2)
    for name, (uops, latency) in X87_MICROCODE.items():
        say(name, [(uops, port["integer"])], latency, uops)
    return lines
