"""Fuses a file whose name holds quotes and semicolons: the output parses, and the name adds no line to it."""

import pathlib
import subprocess
import sys

cufuse, folder = sys.argv[1], pathlib.Path(sys.argv[2])
odd = folder / 'x";int injected;"y.cu'
odd.write_text("__global__ void one(int *out) { out[threadIdx.x] = 1; }\n")
command = [cufuse, "fuse", f"{odd}:one", "--block", "64", "-o", str(folder / "out.cu")]
status = subprocess.run(command, check=False).returncode
text = (folder / "out.cu").read_text() + (folder / "out.h").read_text()
print(status, "\nint injected" not in text, "injected" in text)
