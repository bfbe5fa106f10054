// Where the scalars of a type lie.
#pragma once

#include "cufuse/Kernel/KernelFacts.h"

#include <vector>

namespace clang {
class ASTContext;
class QualType;
} // namespace clang

namespace cufuse {

/// Every scalar of a complete type that does not depend on template parameters, in order of its offset: of arrays
/// element by element, of classes their bases' before their own. `__half` and `__nv_bfloat16` are scalars. What has no
/// plain fields (a union, a class with virtual functions, a bit-field, an array of more than 4096 elements, more than
/// 32764 bytes) is one `Opaque`.
std::vector<FieldFacts> fieldsOf(clang::ASTContext &Context, clang::QualType Type);

} // namespace cufuse
