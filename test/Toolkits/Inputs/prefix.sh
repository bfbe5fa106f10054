#!/bin/bash
# prefix.sh NVCC FOLDER: a toolkit in FOLDER that has its headers as Conda's has them, not beside bin/.
set -e
top=$(dirname "$(dirname "$(readlink -f "$1")")")
mkdir -p "$2/bin" "$2/targets/x86_64-linux"
ln -s "$top"/bin/* "$2/bin"
ln -s "$top/nvvm" "$2"
cp -rL "$top/include" "$2/targets/x86_64-linux"
echo "#define ONLY_HERE 1" > "$2/targets/x86_64-linux/include/only_here.h"
