// The text of a kernel and of what it needs, taken from its file.
#pragma once

#include "cufuse/Kernel/KernelText.h"

namespace cufuse {

class DeviceIr;
class HostCode;
class ParsedUnit;
struct Reached;

/// Takes the text that `Reach.Kernel` needs. Declarations of the main file are copied, and so are those of project
/// headers that use the thread block, that define symbols other objects would define again, or that need such ones;
/// everything else stays behind an `#include`. As written, for a kernel that is linked to no other: `withLinks` changes
/// it for others.
KernelText takeText(const ParsedUnit &Unit, const HostCode &Host, const Reached &Reach, const DeviceIr *Ir,
                    const KernelFacts &Facts);

} // namespace cufuse
