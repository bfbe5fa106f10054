#!/bin/sh
# usage: exits.sh STATUS COMMAND...
#
# Runs the command and fails unless it ends with exactly this status: `not` of LLVM takes every other than 0.
# A shell, since tests start it hundreds of times.
expected=$1
shift
"$@"
status=$?
[ "$status" -eq "$expected" ] && exit 0
echo "exits.sh: status $status, expected $expected: $*" >&2
exit 1
