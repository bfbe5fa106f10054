#!/usr/bin/env python3
"""usage: exits.py STATUS COMMAND...

Runs the command and fails unless it ends with exactly this status: `not` of LLVM takes every other than 0.
"""
import subprocess
import sys

expected, command = int(sys.argv[1]), sys.argv[2:]
status = subprocess.run(command).returncode
if status != expected:
    print(f"exits.py: status {status}, expected {expected}: {' '.join(command)}", file=sys.stderr, flush=True)
sys.exit(status != expected)
