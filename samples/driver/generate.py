#!/usr/bin/env python3
"""Writes the source that adds a fused kernel to the driver.

usage: generate.py CASE SAMPLE [SAMPLE] -o OUT.cpp

CASE is the fused kernel's name (`cufuse fuse --name`) and its header's stem; the samples stand in the order in which they
were fused. Compile it with -I of the header's folder and of samples/.
"""
import argparse


def source(case, samples):
    includes = "".join(f'#include "{name}/{name}.h"\n' for name in dict.fromkeys(samples))
    makers = "".join(f", &samples::{name}::make" for name in samples)
    return (f'#include "{case}.h"\n\n{includes}\n#include "driver/driver.h"\n\n'
            f'static const driver::Registration registration("{case}", &{case}::launch{makers});\n')


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("case")
    parser.add_argument("samples", nargs="+")
    parser.add_argument("-o", dest="output", required=True)
    arguments = parser.parse_args()
    with open(arguments.output, "w") as file:
        file.write(source(arguments.case, arguments.samples))
