#!/usr/bin/env python3
"""usage: substitute.py FILE OLD NEW [OLD NEW]... > RESULT

Replaces text that stands in the file exactly once, and fails where it does not: a mutation that misses proves nothing.
"""
import sys

with open(sys.argv[1]) as file:
    text = file.read()
for old, new in zip(sys.argv[2::2], sys.argv[3::2]):
    if text.count(old) != 1:
        sys.exit(f"substitute.py: {text.count(old)} times instead of once in {sys.argv[1]}: {old}")
    text = text.replace(old, new)
sys.stdout.write(text)
