"""Checks that the variables of a linked cubin's constant memory lie inside its section, one behind the other.

usage: constants_inside.py CUBIN COUNT
"""
import re
import subprocess
import sys


def lines(option, cubin):
    return subprocess.run(["readelf", "-W", option, cubin], capture_output=True, text=True, check=True).stdout.split("\n")


cubin, count = sys.argv[1], int(sys.argv[2])
section = next(re.match(r" *\[ *(\d+)\] \.nv\.constant3 +\S+ +\S+ +\S+ +(\S+)", line)
               for line in lines("-S", cubin) if " .nv.constant3 " in line)
symbols = [fields for fields in map(str.split, lines("-s", cubin))
           if len(fields) > 7 and fields[3] == "OBJECT" and fields[6] == section[1]]
places = sorted((int(fields[1], 16), int(fields[2]), fields[7]) for fields in symbols)
print(*places, f"in {int(section[2], 16)} bytes", sep="\n")
end = 0
for start, size, name in places:
    assert start >= end, f"{name} overlaps another"
    end = start + size
assert end <= int(section[2], 16), "outside"
assert len(places) == count, f"{len(places)} variables"
