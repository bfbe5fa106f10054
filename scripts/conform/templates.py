"""Arguments for a template kernel that its file does not instantiate."""
import re

TYPES = ("float", "int", "double", "__half")
NUMBERS = (256, 128, 32, 64, 16, 4, 1)
INTEGER = re.compile(r"^(const )?(unsigned|signed|int|short|long|char|size_t|s?u?int(8|16|32|64)?_t|auto|\s)+$")


def parameters(path, line, column):
    """The template parameters written before a kernel's name, None where they are not found."""
    try:
        with open(path, encoding="latin-1") as file:
            lines = file.read().split("\n")
    except OSError:
        return None
    before = "\n".join(lines[max(0, line - 40):line - 1] + [lines[line - 1][:column - 1]])
    before = re.sub(r"//[^\n]*|/\*.*?\*/", " ", before, flags=re.S)
    heads = list(re.finditer(r"\btemplate\s*<", before))
    if not heads:
        return None
    at, depth, parts = heads[-1].end(), 1, [""]
    while at < len(before) and depth:
        char = before[at]
        depth += (char in "<(") - (char in ">)")
        if char == "," and depth == 1:
            parts.append("")
        elif depth:
            parts[-1] += char
        at += 1
    between = before[at:]
    return None if depth or re.search(r"[;{}]", between) else [" ".join(part.split()) for part in parts if part.strip()]


def guesses(kernel, written):
    """`kernel<...>` with guessed arguments, likelier ones first."""
    needed = []
    for parameter in written:
        if "=" in parameter or "..." in parameter:
            break  # the rest has defaults, or may be empty
        needed.append(parameter)
    if any(parameter.startswith("template") for parameter in needed):
        return []
    found = []
    for type_name in TYPES:
        for number in NUMBERS:
            arguments = []
            for parameter in needed:
                kind = parameter.rsplit(" ", 1)[0] if " " in parameter else parameter
                if re.match(r"(typename|class)\b", parameter):
                    arguments.append(type_name)
                elif kind.removeprefix("const ") == "bool":
                    arguments.append("true" if number > 1 else "false")
                elif INTEGER.match(kind):
                    arguments.append(str(number))
                else:
                    arguments.append(f"({kind})0")
            found.append(f"{kernel}<{', '.join(arguments)}>")
    return list(dict.fromkeys(found))
