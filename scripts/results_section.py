"""docs/results.md: each script that measures writes its own section, and leaves the others' as they are."""
import os

TITLE = "# What fusing is worth\n"


def put(path, script, text):
    """Replaces what `script` has written into the file before, or appends it."""
    begin, end = f"<!-- scripts/{script} -->\n", f"<!-- end of scripts/{script} -->\n"
    document = TITLE
    if os.path.exists(path):
        with open(path) as file:
            document = file.read()
    head, found, rest = document.partition(begin)
    if found:
        _, found, tail = rest.partition(end)
        if not found:
            raise SystemExit(f"{path}: no '{end.strip()}' behind '{begin.strip()}'")
    else:
        head, tail = document.rstrip("\n") + "\n\n", ""
    with open(path, "w") as file:
        file.write(f"{head}{begin}{text.strip()}\n{end}{tail}")
