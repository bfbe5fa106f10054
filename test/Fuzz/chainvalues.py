"""Values in generated kernels: element types, conversions that no value makes undefined, random expressions."""

INTEGERS = {"int": "int", "unsigned": "unsigned", "long long": "long long", "unsigned char": "int"}
FLOATS = {"float": "float", "double": "double", "__half": "float", "__nv_bfloat16": "float"}
BYTES = {
    "int": 4,
    "unsigned": 4,
    "long long": 8,
    "unsigned char": 1,
    "float": 4,
    "double": 8,
    "__half": 2,
    "__nv_bfloat16": 2
}
COMPUTE = {**INTEGERS, **FLOATS}
VECTORS = {("float", 16): "float4", ("int", 16): "int4", ("unsigned", 16): "uint4", ("double", 16): "double2"}


def vector(kind, size):
    """A vector type of so many bytes that may hold elements of a type."""
    return VECTORS.get((kind, size)) or {2: "ushort", 4: "unsigned", 8: "uint2", 16: "uint4"}[size]


def is_float(kind):
    return kind in FLOATS


def to_compute(kind, compute, text, casts=False):
    """An element of a type as a value that is computed with."""
    text = f"static_cast<float>({text})" if casts and BYTES[kind] == 2 else {"__half": f"__half2float({text})", "__nv_bfloat16": f"__bfloat162float({text})"}.get(kind, text)
    given = COMPUTE[kind]
    if given == compute:
        return text if kind == compute else f"static_cast<{compute}>({text})"
    if is_float(given) and not is_float(compute):
        return f"static_cast<{compute}>({clamped(given, compute, text)})"
    return f"static_cast<{compute}>({text})"


def from_compute(compute, kind, text):
    """The other way round."""
    wanted = COMPUTE[kind]
    if is_float(compute) and not is_float(wanted):
        text = clamped(compute, kind, text)
    if kind == "__half":
        return f"__float2half(static_cast<float>({text}))"
    if kind == "__nv_bfloat16":
        return f"__float2bfloat16(static_cast<float>({text}))"
    return text if kind == compute else f"static_cast<{kind}>({text})"


def clamped(given, wanted, text):
    """What does not fit is undefined."""
    least = "0" if wanted.startswith("unsigned") else "-3e4"
    most = "200" if wanted == "unsigned char" else "3e4"
    if given == "double":
        return f"fmin(fmax({text}, {least}.0), {most})".replace("e4.0", "e4")
    return f"fminf(fmaxf({text}, {least}.0f), {most}.0f)".replace("e4.0f", "e4f")


def literal(rng, compute):
    if compute == "float":
        return f"{rng.choice((0.5, 1.25, 3.0, -2.0, 0.1, 7.75))}f"
    if compute == "double":
        return str(rng.choice((0.5, 1.25, 3.0, -2.0, 0.1)))
    return str(rng.choice((1, 2, 3, 5, 7, 19, 100))) + ("u" if compute == "unsigned" else "")


def expression(rng, compute, leaves, depth=2):
    """Text over the leaves; every one of them may stand several times."""
    if depth == 0 or rng.random() < 0.15:
        return rng.choice(leaves) if rng.random() < 0.8 else literal(rng, compute)
    a, b = (expression(rng, compute, leaves, depth - 1) for _ in range(2))
    if compute == "float":
        forms = ("{a} + {b}", "{a} - {b}", "{a} * {b}", "fmaxf({a}, {b})", "fminf({a}, {b})", "fabsf({a})",
                 "{a} < {b} ? {b} : {a}", "{a} / 3.0f", "sqrtf(fabsf({a}))", "{a} * 0.25f + {b}")
    elif compute == "double":
        forms = ("{a} + {b}", "{a} - {b}", "{a} * {b}", "fmax({a}, {b})", "{a} < {b} ? {b} : {a}", "{a} / 3.0")
    elif compute == "unsigned":
        forms = ("{a} + {b}", "{a} - {b}", "{a} * {b}", "{a} ^ {b}", "{a} & {b}", "({a}) >> 3", "({a}) / 7u",
                 "{a} < {b} ? {b} : {a}", "({a}) % 13u")
    else:
        # Signed numbers stay small: an overflow is undefined, and compiled otherwise where a consumer sees it.
        forms = ("({a}) % 100003 + ({b}) % 100003", "({a}) % 100003 - ({b}) % 100003", "({a}) % 1009 * (({b}) % 1009)",
                 "{a} ^ {b}", "{a} | {b}", "{a} < {b} ? {b} : {a}", "({a}) / 7", "({a}) % 13", "~({a})")
    return "(" + rng.choice(forms).format(a=a, b=b) + ")"
