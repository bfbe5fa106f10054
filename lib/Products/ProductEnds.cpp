#include "cufuse/Products/ProductEnds.h"

#include <fmt/core.h>

namespace cufuse {

namespace {

class End {
public:
  End(const std::string &Name, const SourcePlace &Where) {
    Result.Facts.Name = Result.Facts.QualifiedName = Name;
    Result.Facts.Where = Where;
  }

  void array(const std::string &Name, const std::string &Element, bool IsRead) {
    const std::string Pointer = fmt::format("{}{} *", IsRead ? "const " : "", Element);
    ParameterAccess P;
    P.Element = Element == "float" ? Element : "struct " + Element; // as Clang has it
    P.Bytes = Element == "float" ? 4 : 2;
    P.BuiltinType = Element == "float";
    P.Restrict = true;
    P.ReadOnly = IsRead;
    add(Name, Pointer, Pointer + "__restrict__ ", 8, ScalarKind::Pointer, P);
    Result.Text.Parameters.back().Element = Element;
  }

  void number(const std::string &Name) {
    ParameterAccess P;
    P.Integer = P.IsInt = true;
    P.BuiltinType = true;
    add(Name, "int", "int ", 4, ScalarKind::Signed, P);
  }

  void real(const std::string &Name) {
    ParameterAccess P;
    P.BuiltinType = true;
    add(Name, "float", "float ", 4, ScalarKind::Float, P);
  }

  /// Each thread accesses its own of m · `Columns` elements.
  ProductEnd pointwise(const std::string &Array, AccessSite::Kind What, const std::string &Columns) {
    const Polynomial Bound = Polynomial::atom("m") * Polynomial::atom(Columns);
    AccessSite Site;
    Site.What = What;
    Site.Parameter = Array;
    Site.Index = linearIndex();
    Site.Text = Array;
    Site.Where = Result.Facts.Where;
    PathStep Below;
    Below.What = PathStep::Kind::Branch;
    Below.Holds = {{linearIndex(), Bound}};
    Below.Exact = true;
    Below.Where = Site.Where;
    Site.Path = {Below};
    Result.Accesses.Sites = {Site};
    Result.Shape.Shape = KernelShape::Pointwise;
    Result.Shape.Bound = Bound;
    return std::move(Result);
  }

  void include(const std::string &Header, bool ForArguments) {
    IncludeLine &Line = Result.Text.Includes.emplace_back();
    Line.Text = fmt::format("#include <{}>", Header);
    Line.Where = Result.Facts.Where;
    Line.ForArguments = ForArguments;
  }

private:
  void add(const std::string &Name, const std::string &Type, const std::string &Declared, unsigned Bytes,
           ScalarKind Kind, ParameterAccess Access) {
    Access.Name = Name;
    Access.Type = Type;
    Result.Accesses.Parameters.push_back(std::move(Access));
    Result.Facts.Parameters.push_back({Name, Type, Bytes, Bytes, {{"", Type, Kind, 0, Bytes}}});
    const OutputText Named = OutputText::Slot::Name;
    Result.Text.Parameters.push_back(
        {{Declared + Named, Type + (Kind == ScalarKind::Pointer ? "" : " ") + Named}, Name});
  }

  ProductEnd Result;
};

} // namespace

ProductEnd makingEnd(const std::string &Name, const ProductFacts &Product, bool TakesA, const SourcePlace &Where) {
  End Making(Name, Where);
  if (TakesA)
    Making.array("a", Product.Type, true);
  Making.array("b", Product.Type, true);
  Making.array("c", Product.Result, false);
  for (const char *Number : {"m", "n", "k"})
    Making.number(Number);
  Making.include(Product.Type == "__half" ? "cuda_fp16.h" : "cuda_bf16.h", true);
  Making.include("cuda.h", false);
  return Making.pointwise("c", AccessSite::Kind::Store, "n");
}

ProductEnd takingEnd(const std::string &Name, const ProductFacts &Product, const SourcePlace &Where) {
  End Taking(Name, Where);
  Taking.array("a", Product.Softmax.empty() ? Product.Type : Product.Softmax, true);
  Taking.number("m");
  Taking.number("k");
  if (!Product.ScaledBy.empty())
    Taking.real(Product.ScaledBy);
  return Taking.pointwise("a", AccessSite::Kind::Load, "k");
}

} // namespace cufuse
