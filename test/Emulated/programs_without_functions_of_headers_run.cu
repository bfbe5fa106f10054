// A source of which the linker could merge nothing with that of another file is compiled like any other.
// RUN: %emulate %s
int main() { return 0; }
