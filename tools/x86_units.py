"""What the figures do not tell of some units: dividers, the adders of Golden Cove, the second 512-bit multiplier of servers.

Part of tools/x86-forms, which calls these when every row has become a form."""
import re

FLOAT_DIVIDES = re.compile(r"v?(div|sqrt)[ps][sdh]$")


def mnemonic_of(form):
    return form.text.split(" ")[0]


def kinds_of(form):
    return form.text.split(" ")[1].split(",") if " " in form.text else []


def register_kinds(kinds):
    """The operands of the form on registers and without a mask that a form is a relative of."""
    widest = next((kind for kind in kinds if re.fullmatch(r"[xyz]mm", kind)), "xmm")
    plain = [kind for kind in kinds if kind not in ("k", "kz")]
    return [widest if re.match(r"m\d", kind) and place else kind for place, kind in enumerate(plain)]


def fill_dividers(table, measured_throughput):
    """Divides and square roots hold the divider at least as long as one was seen to follow the other (a figure of the
    divider alone misses the second half of a long vector); one without any figure as long as its form on registers."""
    for form in table.forms.values():
        if not FLOAT_DIVIDES.match(mnemonic_of(form)) or not getattr(form, "row", None):
            continue
        seen = measured_throughput(form.row)
        if seen and seen > (form.divider or 0):
            form.divider = round(2 * seen) / 2
    for form in table.forms.values():
        if form.divider or form.throughput or not re.match(r"v?(div|sqrt)[ps][sdh]$|i?div$", mnemonic_of(form)):
            continue
        kinds = kinds_of(form)
        if mnemonic_of(form) in ("div", "idiv"):
            kinds = [kind.replace("m", "r", 1) for kind in kinds]
        relative = table.forms.get(mnemonic_of(form) + " " + ",".join(register_kinds(kinds)))
        if relative:
            form.divider = relative.divider


# Golden Cove, with ordinary numbers (measured on Emerald Rapids): the published figures of square roots of doubles are those of
# numbers whose root is exact, 1 and 0 among them, which take 4.5 cycles; latencies were published as ranges.
GOLDEN_COVE_ROOTS = {"xmm": 6, "ymm": 12, "zmm": 24}
GOLDEN_COVE_LATENCY = {"divs": (11, 17), "sqrts": (12, 20), "divd": (14, 23), "sqrtd": (18, 32)}  # to 256 bits; 512


def correct_golden_cove(table):
    for form in table.forms.values():
        match = re.fullmatch(r"v?(div|sqrt)[ps]([sd])", mnemonic_of(form))
        if not match:
            continue
        kinds = register_kinds(kinds_of(form))
        if match[1] == "sqrt" and match[2] == "d":
            form.divider = GOLDEN_COVE_ROOTS[kinds[0]]
        figure = GOLDEN_COVE_LATENCY[match[1] + match[2]][kinds[0] == "zmm"]
        bottom = min((cycles for (source, _), cycles in form.latencies.items() if source.isdigit() and cycles), default=None)
        set_latency(form, bottom, figure)
    chain_adders(table)
    correct_gathers(table)


# Cycles of a loop with one of them, by the number of elements, measured on Sapphire Rapids on a core without other work.  The
# published ones were taken with all elements in one place: gathers then find three loads a cycle, here two (indices in a row 4.1
# and 8.4, a line for each element 4.3 and 9.3).  Of scatters one in a loop takes 6, 7 and 9 cycles, each further one 5, 6 and 8; of 16
# elements 13 in one line, 16.3 in a line each.
GOLDEN_COVE_GATHERS = {8: 4.2, 16: 8.5}
GOLDEN_COVE_SCATTERS = {2: 5.4, 4: 6.4, 8: 8.4, 16: 15}


def correct_gathers(table):
    """The mask is ready without waiting for the old value of the register that is written: gathers into one register follow each
    other as fast as others (measured on Sapphire Rapids)."""
    for form in table.forms.values():
        if re.match(r"vp?gather", mnemonic_of(form)):
            elements = sum(times for times, letters in form.ports if letters == "23A")
            form.throughput = GOLDEN_COVE_GATHERS.get(elements, form.throughput)
            if kinds_of(form)[1] == "k":
                form.latencies[("1", "2")] = None
        elif re.match(r"vp?scatter", mnemonic_of(form)):
            elements = sum(times for times, letters in form.ports if letters == "78")
            form.throughput = GOLDEN_COVE_SCATTERS.get(elements, form.throughput)


def set_latency(form, old, figure):
    """From registers where it was the old one; what a load adds stays."""
    for (source, target), cycles in form.latencies.items():
        if source.isdigit() and cycles == old:
            form.latencies[(source, target)] = figure
    if form.latency == old:
        form.latency = figure


def chain_adders(table):
    """The adders on ports 1 and 5 hand a sum to each other in 2 cycles, to others in 3 (measured on Emerald Rapids; the figures of
    Meteor Lake, whose cores have the same adders, were taken with one addition after the other, those of Alder Lake
    with others between).  With a mask, with 512 bits and with half precision all take the longer way."""
    for form in table.forms.values():
        kinds = kinds_of(form)
        if (re.fullmatch(r"v?(add|sub|addsub)[ps][sd]", mnemonic_of(form)) and not {"k", "kz", "zmm"} & set(kinds)
                and any(letters == "15" for _, letters in form.ports)):
            form.chained = 2
            set_latency(form, 2, 3)


# Multiplications that the server whose figures are asked does not have: products of 52 bits, dot products, half precision
# (each measured on Emerald Rapids).
MULTIPLIED = re.compile(r"vpmadd52[lh]uq|vpdp(bu|ws)sds?|vfc?(mul|madd)cph|vfn?m(add|sub|addsub|subadd)\d+ph"
                        r"|v(add|sub|mul|max|min|getexp|getmant|reduce|rndscale|scalef)ph|vcvt\w*ph\w*")


def add_server_multiplier(table, server, ports_of):
    """A server's core has a second 512-bit multiplier on port 5.  What it takes is what a server that was measured (Skylake X)
    does on ports 0 and 5 where this core has port 0."""
    by_text = {}
    for row, text in server:
        by_text.setdefault(text, ports_of(row))
    for form in table.forms.values():
        if "zmm" not in kinds_of(form) or not any(letters == "0" for _, letters in form.ports):
            continue
        other = by_text.get(form.text)
        here = sum(times for times, letters in form.ports if letters == "0")
        if other:
            is_double = (sum(times for times, letters in other if letters == "05") >= here
                         and not any(letters == "0" for _, letters in other))
        else:
            is_double = MULTIPLIED.fullmatch(mnemonic_of(form))
        if is_double:
            if form.throughput == here:
                form.throughput = None # that of one multiplier
            form.ports = [(times, "05" if letters == "0" else letters) for times, letters in form.ports]
            if form.indexed_ports:
                form.indexed_ports = [(times, "05" if letters == "0" else letters) for times, letters in form.indexed_ports]
