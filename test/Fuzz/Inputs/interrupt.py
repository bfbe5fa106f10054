"""interrupt.py SIGNAL COMMAND...: sends the signal when the command says the first line of progress with results in it;
prints what it says, without the progress, and its status. Status 1: it leaves processes behind that are still there after
ten seconds."""
import os
import re
import signal
import subprocess
import sys
import time


def session(leader):
    ps = subprocess.run(["ps", "-e", "-o", "sid=,stat=,args="], capture_output=True, text=True, check=True)
    lines = [line.split() for line in ps.stdout.splitlines()]
    return [line for line in lines if line[0] == str(leader) and line[1][0] != "Z"]


process = subprocess.Popen(sys.argv[2:], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True)
for line in process.stderr:
    if re.match(r"[1-9]\d* (cases|fusions) of \d+ in \d+ s, \S+ per second: \d", line):
        print("progress", flush=True)
        os.kill(process.pid, getattr(signal, "SIG" + sys.argv[1]))
        break
said, _ = process.communicate()
print(said, end="")
print("status", process.returncode)
end = time.monotonic() + 10  # Those that were killed take a moment to go.
while (left := session(process.pid)) and time.monotonic() < end:
    time.sleep(0.05)
print("processes left:", left)
sys.exit(bool(left))
