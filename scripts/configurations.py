"""Configurations in one word: parts like `blocks`, `stride`, `free`, `r64` or `split=40:72`, joined by dashes."""
import re

OPTIONS = {
    "--geometry": ("warps", "blocks", "threads"),
    "--grid-policy": ("match", "stride", "pool"),
    "--registers": ("none", "free", "bound"),
}


def options_of(word):
    """What `cufuse fuse` is told for it."""
    options = []
    for part in word.split("-"):
        names = [name for name, values in OPTIONS.items() if part in values]
        if names:
            options += [names[0], part]
        elif match := re.fullmatch(r"r(\d+)|(split=\d+(?::\d+)*)", part):
            options += ["--registers", match[1] or match[2]]
        else:
            raise ValueError(f"'{part}' of '{word}' is no part of a configuration")
    return options


def as_name(word):
    """The same as a part of a C++ name."""
    return re.sub(r"\W", "_", word)
