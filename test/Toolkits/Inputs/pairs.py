"""pairs.py CUFUSE SAMPLES TOOLKIT OUT: fuses ten pairs of samples with the toolkit, checks what comes of them, and says how many."""
import concurrent.futures
import os
import subprocess
import sys

cufuse, samples, toolkit, out = sys.argv[1:]
PAIRS = """histogram:im2col im2col:maxpool maxpool:upsample upsample:transpose transpose:sgemm sgemm:stencil stencil:histogram
           batchnorm:im2col rmsnorm:transpose histogram:sgemm""".split()

with open(os.path.join(samples, "index.txt")) as file:
    index = {line.split()[0]: line.split()[1:] for line in file}
# The toolkit is the only one: no other nvcc on the PATH.
environment = {name: value for name, value in os.environ.items() if name != "CUDA_PATH"}
environment["CUDA_HOME"] = toolkit
environment["PATH"] = "/usr/bin:/bin"


def run(*command):
    result = subprocess.run(command, env=environment, capture_output=True, text=True)
    if result.returncode:
        print(" ".join(command), result.stdout + result.stderr, sep="\n")
    return result.returncode == 0


def fuse_and_check(pair):
    output = os.path.join(out, pair.replace(":", "_") + ".cu")
    command = [cufuse, "fuse"]
    folders = []
    for name in pair.split(":"):
        kernel, block = index[name]
        folders += ["-I", f"{samples}/{name}"]
        command += [f"{samples}/{name}/{name}.cu:{kernel}", "--block", block]
    return run(*command, "--name", "fused", "-o", output) and run(cufuse, "check", output, "--", *folders)


os.makedirs(out, exist_ok=True)
with concurrent.futures.ThreadPoolExecutor(2) as pool:
    results = list(pool.map(fuse_and_check, PAIRS))
version = subprocess.run([os.path.join(toolkit, "bin/nvcc"), "--version"], capture_output=True, text=True).stdout
print(version.split("release ")[1].split(",")[0], "fused and checked:", sum(results), "of", len(PAIRS))
sys.exit(not all(results))
