#include "Parts.h"

#include "cufuse/Support/Fields.h"

#include <fmt/core.h>
#include <llvm/ADT/StringExtras.h>

namespace cufuse {

namespace {

constexpr const char *KindNames[] = {"load", "store", "atomic", "escape"};
constexpr const char *ShapeNames[] = {"pointwise", "row-wise", "opaque"};

/// `in[element - 1]`; of a kernel that is no function of an element, with the indices of the thread.
std::string indexed(const AccessSite &Site, const LoadedKernel &Kernel) {
  if (!Site.Index)
    return Site.Parameter + "[unknown]";
  const auto Element = Kernel.Shape.Shape == KernelShape::Pointwise
                           ? inElement(*Site.Index, Kernel.Accesses, Kernel.Shape)
                           : std::nullopt;
  std::string Text = shown(Element.value_or(*Site.Index));
  if (Element && Kernel.Shape.Width > 1)
    for (size_t At; (At = Text.find("element")) != std::string::npos;)
      Text.replace(At, 7, "group");
  return fmt::format("{}[{}]{}", Site.Parameter, Text,
                     Site.Width > 1 ? fmt::format(" of {} elements", Site.Width) : "");
}

std::vector<std::string> conditions(const AccessSite &Site) {
  std::vector<std::string> Texts;
  for (const PathStep &Step : Site.Path)
    Texts.push_back(Step.What == PathStep::Kind::Branch && !Step.Taken ? "not (" + Step.Text + ")" : Step.Text);
  return Texts;
}

} // namespace

std::vector<std::pair<std::string, std::string>> accessRows(const LoadedKernel &Kernel) {
  std::vector<std::pair<std::string, std::string>> Rows;
  if (Kernel.Facts.IsTemplate || Kernel.Accesses.Parameters.size() != Kernel.Facts.Parameters.size())
    return Rows; // not read
  const ShapeFacts &Shape = Kernel.Shape;
  std::string Text = ShapeNames[static_cast<int>(Shape.Shape)];
  if (Shape.Shape == KernelShape::Pointwise)
    Text += fmt::format(": elements below {}{}{}", Shape.Bound.str(),
                        Shape.Width == 1 ? ""
                        : Shape.Tail     ? fmt::format(", in groups of {}", Shape.Width)
                                         : fmt::format(", in whole groups of {}", Shape.Width),
                        Shape.Strided ? ", by a loop over the grid" : "");
  Rows.push_back({"shape", Text});
  // Of a row kernel nobody asks why it is not the other thing; --json has the reasons of both.
  for (const Finding &Reason : Shape.Shape == KernelShape::RowWise ? std::vector<Finding>() : Shape.Reasons)
    Rows.push_back({"not pointwise", fmt::format("{}: {}", Reason.Where.str(), Reason.What)});
  for (const AccessSite &Site : Kernel.Accesses.Sites) {
    std::string Row = fmt::format("{}, {}:{}", indexed(Site, Kernel), Site.Where.File, Site.Where.Line);
    if (const std::vector<std::string> Conditions = conditions(Site); !Conditions.empty())
      Row += ", if " + llvm::join(Conditions, " and ");
    Rows.push_back({KindNames[static_cast<int>(Site.What)], Row});
  }
  return Rows;
}

llvm::json::Value toJSON(const SourcePlace &Where) {
  return llvm::json::Object{{"file", toJson(Where.File)}, {"line", Where.Line}, {"column", Where.Column}};
}

static llvm::json::Value toJSON(const AccessSite &Site) {
  return llvm::json::Object{{"kind", KindNames[static_cast<int>(Site.What)]},
                            {"parameter", toJson(Site.Parameter)},
                            {"index", Site.Index ? toJson(Site.Index->str()) : llvm::json::Value(nullptr)},
                            {"elements", Site.Width},
                            {"text", toJson(Site.Text)},
                            {"conditions", toJson(conditions(Site))},
                            {"place", Site.Where}};
}

llvm::json::Object accessJson(const LoadedKernel &Kernel) {
  const ShapeFacts &Shape = Kernel.Shape;
  llvm::json::Array Reasons;
  for (const Finding &Reason : Shape.Reasons)
    Reasons.push_back(llvm::json::Object{{"what", toJson(Reason.What)}, {"place", Reason.Where}});
  const bool Pointwise = Shape.Shape == KernelShape::Pointwise;
  return llvm::json::Object{
      {"shape", ShapeNames[static_cast<int>(Shape.Shape)]},
      {"elements", Pointwise ? toJson(Shape.Bound.str()) : llvm::json::Value(nullptr)},
      {"elementsAtATime", Pointwise ? llvm::json::Value(Shape.Width) : llvm::json::Value(nullptr)},
      {"gridStride", Pointwise ? llvm::json::Value(Shape.Strided) : llvm::json::Value(nullptr)},
      {"notPointwise", std::move(Reasons)},
      {"sites", Kernel.Accesses.Sites}};
}

} // namespace cufuse
