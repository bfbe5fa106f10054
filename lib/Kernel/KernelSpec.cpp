#include "cufuse/Kernel/KernelSpec.h"

#include "cufuse/Support/Error.h"

#include <fmt/core.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/Support/Path.h>

namespace cufuse {

std::string KernelSpec::str() const {
  const std::string At = Column ? fmt::format(":{}", Column) : "";
  return Line ? fmt::format("{}:@{}{}", File, Line, At) : File + ":" + Kernel;
}

size_t signatureStart(llvm::StringRef Kernel) {
  int Angles = 0, Round = 0; // in parentheses, `>` compares
  for (size_t I = 0; I < Kernel.size(); ++I) {
    if (Kernel[I] == '(' && Angles == 0)
      return I;
    Round += Kernel[I] == '(';
    Round -= Kernel[I] == ')';
    Angles += Round == 0 && Kernel[I] == '<';
    Angles -= Round == 0 && Kernel[I] == '>';
  }
  return llvm::StringRef::npos;
}

bool KernelSpec::hasSignature() const { return signatureStart(Kernel) != llvm::StringRef::npos; }

std::string KernelSpec::name() const {
  std::string Name;
  int Angles = 0, Round = 0;
  for (char C : llvm::StringRef(Kernel).take_front(signatureStart(Kernel))) {
    Round += C == '(';
    Round -= C == ')';
    if (Round == 0 && C == '>')
      --Angles;
    else if (Angles == 0 && C != '<')
      Name += C;
    if (Round == 0 && C == '<')
      ++Angles;
  }
  return llvm::StringRef(Name).trim().str();
}

llvm::Expected<KernelSpec> parseKernelSpec(llvm::StringRef Text) {
  // Search behind the last extension-like dot that is followed by a single colon.
  size_t Colon = llvm::StringRef::npos;
  for (size_t I = 0; I < Text.size(); ++I) {
    if (Text[I] != ':')
      continue;
    // `a.cu:::k` names ::k.
    const bool Qualifier = Text.substr(I).starts_with("::") && !Text.substr(I).starts_with(":::");
    if (Qualifier) {
      ++I;
      continue;
    }
    if (llvm::sys::path::has_extension(Text.take_front(I))) {
      Colon = I;
      break;
    }
  }
  if (Colon == llvm::StringRef::npos || Colon + 1 == Text.size())
    return badUsage(fmt::format("'{}' names no kernel", Text.str()), "write FILE.cu:KERNEL or FILE.cu:@LINE");
  KernelSpec Spec;
  Spec.File = Text.take_front(Colon).str();
  const llvm::StringRef Kernel = Text.drop_front(Colon + 1).trim();
  if (Kernel.starts_with("@")) {
    const auto [Line, Column] = Kernel.drop_front().split(':');
    const bool HasColumn = Line.size() + 1 < Kernel.size();
    if (Line.getAsInteger(10, Spec.Line) || Spec.Line == 0 || (HasColumn && Column.getAsInteger(10, Spec.Column)))
      return badUsage(fmt::format("'{}' is not a line number", Kernel.drop_front().str()), "write FILE.cu:@LINE");
    return Spec;
  }
  Spec.Kernel = Kernel.str();
  return Spec;
}

llvm::Expected<BlockShape> parseBlockShape(llvm::StringRef Text) {
  llvm::SmallVector<llvm::StringRef, 3> Parts;
  Text.split(Parts, 'x');
  BlockShape Shape;
  unsigned *Sizes[] = {&Shape.X, &Shape.Y, &Shape.Z};
  if (Parts.size() > 3)
    return badUsage(fmt::format("'{}' is not a block shape", Text.str()), "write 256, 32x8 or 8x8x4");
  for (size_t I = 0; I < Parts.size(); ++I)
    if (Parts[I].getAsInteger(10, *Sizes[I]))
      return badUsage(fmt::format("'{}' is not a block shape", Text.str()), "write 256, 32x8 or 8x8x4");
  return Shape;
}

} // namespace cufuse
