"""What macros cannot do to make CUDA text C++: launches, shared memory, inline PTX, and a few attributes.

translate(text, toolkit) takes preprocessed text with line markers, in which the emulator's and the system's headers are
marked as system headers; those are left alone. So are the toolkit's, but they are CUDA text like the user's.
"""
import re

# Line markers, comments, raw strings, characters (but not the separators of digits), strings.
HIDDEN = re.compile(r'^#[^\n]*$|//[^\n]*|/\*(?:.|\n)*?\*/|R"([^\s()\\]*)\((?:.|\n)*?\)\1"|'
                    r"(?<![0-9a-fA-F])'(?:\\.|[^'\\\n])+'|" r'"(?:\\.|[^"\\\n])*"', re.M)
MARKER = re.compile(r'^# \d+ "([^"\n]*)"((?: \d)*)$', re.M)


class Untranslatable(Exception):
    pass


def blanked(text):
    """The text with comments, line markers and the contents of strings replaced by blanks: same places."""
    def blank(match):
        if match[0][0] in "#/":
            return re.sub(r"[^\n]", " ", match[0])
        return '"' + " " * (len(match[0]) - 2) + '"'
    return HIDDEN.sub(blank, text)


def closing(plain, at):
    """The place of the bracket that closes the one at `at`."""
    depth = 0
    for i in range(at, len(plain)):
        if plain[i] in "([{":
            depth += 1
        elif plain[i] in ")]}":
            depth -= 1
            if depth == 0:
                return i
    raise Untranslatable("a bracket is not closed: " + plain[at:at + 60])


def split_at(plain, text, separator):
    """Parts of the text between separators that are in no bracket."""
    parts, depth, start = [], 0, 0
    for i, c in enumerate(plain):
        if c in "([{":
            depth += 1
        elif c in ")]}":
            depth -= 1
        elif c == separator and depth == 0:
            parts.append(text[start:i])
            start = i + 1
    return parts + [text[start:]]


def without_markers(text):
    """Without line markers and comments."""
    return re.sub(r'^#[^\n]*$|//[^\n]*|/\*(?:.|\n)*?\*/|("(?:\\.|[^"\\\n])*")', lambda match: match[1] or " ", text,
                  flags=re.M)


def callee_start(plain, end):
    """Where the name of a kernel starts that ends at `end`: qualified, with template arguments, or in brackets."""
    i = end
    while i > 0 and plain[i - 1].isspace():
        i -= 1
    while True:
        if plain[i - 1] in ">)":
            depth, opened = 0, i
            while True:
                opened -= 1
                if plain[opened] in ">)" and plain[opened - 1:opened + 1] != "->":
                    depth += 1
                elif plain[opened] in "<(":
                    depth -= 1
                if depth == 0 or opened == 0:
                    break
            i = opened
            if plain[opened] == "(":
                return i
        while i > 0 and (plain[i - 1].isalnum() or plain[i - 1] == "_"):
            i -= 1
        if plain[max(i - 2, 0):i] != "::":
            return i
        i -= 2
        if not (plain[i - 1].isalnum() or plain[i - 1] in "_>"):
            return i


def launches(text):
    if "<<<" not in text:
        return text
    plain = blanked(text)
    at = len(text)
    while (at := plain.rfind("<<<", 0, at)) >= 0:
        depth, end = 0, at + 3
        while depth or plain[end:end + 3] != ">>>":
            depth += (plain[end] in "([{") - (plain[end] in ")]}")
            end += 1
        opened = re.compile(r"\s*\(").match(plain, end + 3)
        if not opened:
            raise Untranslatable("a launch without arguments: " + text[at - 40:at + 60])
        closed = closing(plain, opened.end() - 1)
        start = callee_start(plain, at)
        arguments = text[opened.end():closed].strip()
        text = (text[:start] + f"::cuda_emulated::Launcher({text[at + 3:end]}).run([=](auto &...cuda_argument) {{ "
                f"{text[start:at].strip()}(cuda_argument...); }}{', ' if arguments else ''}{arguments})"
                + text[closed + 1:])
        plain = blanked(text)
        at = start
    return text


def assembly(text):
    pattern = re.compile(r"\b(?:asm|__asm__|__asm)\b\s*((?:(?:volatile|__volatile__)\s*)?)\(")
    if not pattern.search(text):
        return text
    plain, parts, done = blanked(text), [], 0
    for match in pattern.finditer(plain):
        closed = closing(plain, match.end() - 1)
        inner = without_markers(text[match.end():closed])
        sections = split_at(blanked(inner), inner, ":")
        template, operands = sections[0].strip(), []
        for section in sections[1:3]:
            for part in split_at(blanked(section), section, ","):
                if not part.strip():
                    continue
                operand = re.fullmatch(r'\s*(?:\[(\w+)\]\s*)?("[^"]*")\s*(\(.*\))\s*', part, re.S)
                if not operand:
                    raise Untranslatable("an operand of inline assembly: " + part)
                if operand[1]:
                    template = template.replace(f"%[{operand[1]}]", f"%{len(operands)}")
                operands.append(f"::cuda_emulated::Operand({operand[2]}, {operand[3]})")
        program = ("[]() -> const ::cuda_emulated::Program & { static const ::cuda_emulated::Program &program = "
                   f"::cuda_emulated::parseAssembly({template}); return program; }}()")
        parts += [text[done:match.start()], f"::cuda_emulated::assemble({', '.join([program] + operands)})"]
        done = closed + 1
    return "".join(parts + [text[done:]])


def dynamic_shared(text):
    if not re.search(r"extern\b[^;{}]*\b__shared__\b", text):
        return text
    plain = blanked(text)
    for match in reversed(list(re.finditer(r"\bextern\b[^;{}]*\b__shared__\b[^;{}]*;", plain))):
        declaration = without_markers(text[match.start():match.end() - 1])
        while attribute := re.search(r"\b(?:alignas|__attribute__)\s*\(", declaration):
            declaration = (declaration[:attribute.start()]
                           + declaration[closing(blanked(declaration), attribute.end() - 1) + 1:])
        declaration = " ".join(re.sub(r"\b(extern|__shared__)\b", " ", declaration).split())
        parts = re.fullmatch(r"(.*?)(\w+)\s*((?:\[.*\])?)", declaration)
        if not parts or not parts[1].strip():
            raise Untranslatable("dynamic shared memory: " + declaration)
        memory, name, array = parts[1].strip(), parts[2], parts[3]
        text = (text[:match.start()] + f"[[maybe_unused]] static {memory} (&{name}){array} = "
                f"*reinterpret_cast<{memory} (*){array}>(::cuda_emulated::dynamicShared);" + text[match.end():])
    return text


# Texts have millions of characters: each pattern begins with a word, which `re` finds fast, and then looks back.
WORDS = (
    (r"static(?<!\wstatic)\s+(?=__shared__\b)", ""),
    # What follows `static` can be no alignment.
    (r"__shared__(?<!\w__shared__)\s+(alignas\s*\((?:[^()]|\([^()]*\))*\))", r"\1 __shared__"),
    # In a section of its own, which is poisoned before every block; `used`, since a compiler otherwise knows all that
    # is ever written to it; never destroyed, since nothing ever constructs it.
    (r"__shared__\b(?<!\w__shared__)", 'static __attribute__((used, no_destroy, section("emulated_shared")))'),
    (r"__forceinline__\b(?<!\w__forceinline__)", "inline"),
    (r"__noinline__\b(?<![(,] __noinline__)(?<![(,\w]__noinline__)", "__attribute__((noinline))"),
    (r"^#pragma unroll[^\n]*$", ""),  # compiling takes longer with it, and nothing runs faster
)


def translate_user(text):
    text = launches(assembly(dynamic_shared(text)))
    for pattern, replacement in WORDS:
        text = re.sub(pattern, replacement, text, flags=re.M)
    return text


def translate_library(text):
    """What a library's header says of the block differs in every file that reads it for a partition: each file keeps its
    own functions, as a module of the device does. What they declare as the compiler's, the emulator has."""
    # Variables keep their linkage: clang gives those inside of functions one name.
    return ("#pragma clang attribute push(__attribute__((internal_linkage)), apply_to = any(function, record))\n"
            + re.sub(r'extern "C"(?<!\wextern "C") \w+ __nvvm_\w+\([^()]*\);', "", translate_user(text))
            + "\n#pragma clang attribute pop\n")


def translate(text, toolkit):
    """Runs of lines that are CUDA text, translated; the others as they are. `toolkit`: the folder of its headers."""
    def kind(match):
        return "toolkit" if match[1].startswith(toolkit) else "system" if " 3" in match[2] else "user"
    chunks, start, last = [], 0, "system"
    for match in MARKER.finditer(text):
        if kind(match) != last:
            chunks.append((last, text[start:match.start()]))
            start, last = match.start(), kind(match)
    chunks.append((last, text[start:]))
    return "".join(chunk if kind == "system" else translate_user(chunk) if kind == "user" else translate_library(chunk)
                   for kind, chunk in chunks)


def split_headers(text, toolkit):
    """The headers of the system and of the toolkit that stand before all text of the user, alike whoever includes them,
    and the rest, whose markers no longer say who includes whom."""
    headers, marker = [], None
    for following in MARKER.finditer(text):
        if marker and users and text[marker.end():following.start()].strip():
            break
        if marker and not users:
            headers.append(text[marker.start():following.start()])
        marker = following
        users = not (marker[1].startswith((toolkit, "<")) or " 3" in marker[2])
    return "".join(headers), re.sub(r'^(# \d+ "[^"\n]*") [12]\b', r"\1", text[marker.start():], flags=re.M)
