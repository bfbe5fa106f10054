"""Rewrites launches in a program's text into constituents of one fused launch."""
import re

# Collects the constituents and launches when all are there. In the default stream, which all others wait for.
COLLECTOR = """#include "{name}.h"
#include <cstdio>
#include <cstdlib>
namespace {{
struct CufuseLaunches {{
{members}
  unsigned filled = 0, count = 0;
  void add(unsigned which) {{
    if (filled >> which & 1u) {{
      std::printf("cufuse: constituent %u comes twice\\n", which);
      std::exit(1);
    }}
    filled |= 1u << which;
    if (filled != {all}u)
      return;
    filled = 0;
    ++count;
    const cudaError_t error = {name}::launch({launches});
    if (error != cudaSuccess) {{
      std::printf("cufuse: %s\\n", cudaGetErrorString(error));
      std::exit(1);
    }}
  }}
  ~CufuseLaunches() {{
    std::printf("cufuse: %u fused launches, %s\\n", count, filled ? "one unfinished" : "all done");
  }}
}} cufuseLaunches;
}}
"""


class Unfit(Exception):
    """The text is not what the table says."""


def apply(edits, texts):
    """Makes the edits; `texts` is {file: text}."""
    for edit in edits:
        texts[edit.file], times = re.subn(edit.pattern, edit.text, texts[edit.file])
        if not times:
            raise Unfit(f"{edit.file}: nothing like {edit.pattern}")


def matching(text, at):
    """The position behind the parenthesis that closes the one at `at`."""
    depth = 0
    for position in range(at, len(text)):
        depth += {"(": 1, ")": -1}.get(text[position], 0)
        if depth == 0:
            return position + 1
    raise Unfit("a parenthesis is not closed")


def split(text):
    """The arguments; lines of the preprocessor are dropped."""
    text = "\n".join(line for line in text.splitlines() if not line.lstrip().startswith("#"))
    parts, depth = [""], 0
    for letter in text:
        depth += {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}.get(letter, 0)
        if letter == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return [" ".join(part.split()) for part in parts]


def launches_of(text, kernel):
    """(begin, end, configuration, arguments) of every launch statement of the kernel."""
    result = []
    for match in re.finditer(rf"\b{kernel}\s*(?:<[^<>;]*>)?\s*<<<", text):
        close = text.index(">>>", match.end())
        begin = text.index("(", close)
        end = matching(text, begin)
        result.append((match.start(), text.index(";", end) + 1, split(text[match.end():close]),
                       split(text[begin + 1:end - 1])))
    return result


def fields_of(header):
    """Per constituent, in order: its namespace, the names of its arguments, and whether it has dynamic shared memory."""
    found = re.findall(
        r"namespace (\w+) \{(?:\nusing [^\n]*)*\n/// One launch of [^\n]*(?:\n///[^\n]*)*\nstruct Launch \{(.*?)\n"
        r"  struct Arguments \{(.*?)\n  \} arguments;", header, re.S)
    return [(name, re.findall(r"(\w+)(?:\[\d*\])*[;,]", re.sub(r"<[^;]*>", "", body)), "dynamicSharedBytes" in launch)
            for name, launch, body in found]


def statement(slots, parts, configuration, arguments):
    """The text that stands for a launch."""
    def fill(slot):
        names = parts[slot][1]
        if len(names) != len(arguments):
            raise Unfit(f"{len(arguments)} arguments for {len(names)} parameters")
        lines = [f"auto &cufuseLaunch = cufuseLaunches.launch{slot};", f"cufuseLaunch.grid = dim3({configuration[0]});"]
        if parts[slot][2] and len(configuration) > 2:
            lines.append(f"cufuseLaunch.dynamicSharedBytes = {configuration[2]};")
        lines += [f"cufuseLaunch.arguments.{name} = {argument};" for name, argument in zip(names, arguments)]
        return "{ " + " ".join(lines + [f"cufuseLaunches.add({slot});"]) + " }"

    *earlier, last = slots
    text = ""
    for slot in earlier:
        text += f"if (!(cufuseLaunches.filled >> {slot} & 1u)) {fill(slot)} else "
    return text + fill(last)


def fuse(texts, program, name, header):
    """Puts the fused launch in the place of the program's; `header` is what cufuse wrote of it."""
    parts = fields_of(header)
    if len(parts) != len(program.kernels):
        raise Unfit(f"the header names {len(parts)} kernels")
    replaced = []
    for site in program.sites:
        found = launches_of(texts[site.file], site.kernel)
        if site.at >= len(found):
            raise Unfit(f"{site.file}: {len(found)} launches of {site.kernel}")
        begin, end, configuration, arguments = found[site.at]
        replaced.append((site.file, begin, end, statement(site.slots, parts, configuration, arguments)))
    for file, begin, end, text in sorted(replaced, key=lambda one: -one[1]):
        texts[file] = texts[file][:begin] + text + texts[file][end:]
    members = "\n".join(f"  {name}::{part}::Launch launch{at};" for at, (part, *_) in enumerate(parts))
    collector = COLLECTOR.format(name=name, members=members, all=(1 << len(parts)) - 1,
                                 launches=", ".join(f"launch{at}" for at in range(len(parts))))
    files = {site.file for site in program.sites}
    if len(files) != 1:
        raise Unfit("the launches stand in several files")
    texts[files.pop()] = collector + texts[program.sites[0].file]
