#include "cufuse/Verify/CompareWithInput.h"

#include "Comparison.h"

#include <clang/Basic/SourceManager.h>
#include <fmt/core.h>

namespace cufuse {

std::vector<Blocker> Comparison::run(const clang::FunctionDecl &Body) {
  const clang::FunctionDecl *Instead = withBody(&Body);
  if (const clang::FunctionDecl *Defined = withBody(Kernel))
    Kernel = Defined;
  if (!Instead || Instead->getNumParams() < Kernel->getNumParams()) {
    differ("the output does not define it");
    return std::move(Found);
  }
  const unsigned Before = Instead->getNumParams() - Kernel->getNumParams();
  WhereA = Kernel->getLocation();
  WhereB = Instead->getLocation();
  if (addedParameters(Instead, Before) && parametersAndBody(Kernel, Instead, Before))
    while (!Work.empty()) {
      const auto [A, B] = Work.back();
      Work.pop_back();
      WhereA = A->getLocation();
      WhereB = B->getLocation();
      System = !inUsersFile(A, ContextA.getSourceManager());
      FunctionA = FunctionB = nullptr;
      if (!compare(A, B))
        break;
    }
  return std::move(Found);
}

bool Comparison::differ(std::string What) {
  if (!Found.empty())
    return false;
  Blocker Difference{BlockerKind::OtherMeaning, In.place(WhereA.isValid() ? WhereA : Kernel->getLocation()),
                     fmt::format("of {}, {}", Played.Facts.Name, What)};
  if (FunctionA && FunctionA != Kernel)
    Difference.Fact += fmt::format(", in `{}`", nameOf(FunctionA));
  if (const SourcePlace There = sourceOf(Out, WhereB); !There.File.empty())
    Difference.Fact += fmt::format(", and is there {}", There.str());
  Found.push_back(std::move(Difference));
  return false;
}

bool Comparison::differ(const std::string &What, const std::string &A, const std::string &B) {
  return differ(fmt::format("{} is {} in its file, and {} in the output", What, A, B));
}

bool Comparison::sameNumber(const char *What, const clang::Decl *Of, long long A, long long B) {
  return A == B || differ(fmt::format("{} of `{}`", What, nameOf(Of)), std::to_string(A), std::to_string(B));
}

SourcePlace sourceOf(const ParsedUnit &Output, clang::SourceLocation Where) {
  SourcePlace Place = Output.place(Where);
  const clang::SourceManager &Sources = Output.ast().getSourceManager();
  if (const auto Presumed = Sources.getPresumedLoc(Sources.getExpansionLoc(Where)); Presumed.isValid()) {
    Place.File = Presumed.getFilename();
    Place.Line = Presumed.getLine();
  }
  return Place;
}

std::string namespaceAround(const clang::Decl *D) {
  auto *Namespace = llvm::dyn_cast<clang::NamespaceDecl>(D->getDeclContext()->getEnclosingNamespaceContext());
  return Namespace ? Namespace->getQualifiedNameAsString() : "";
}

std::string Comparison::nameOf(const clang::Decl *D) const {
  auto *Named = llvm::dyn_cast_or_null<clang::NamedDecl>(D);
  if (!Named)
    return "it";
  const std::string Name = Named->getNameAsString();
  return Name.empty() ? D->getDeclKindName() : Name;
}

std::vector<Blocker> compareWithInput(const ParsedKernel &Input, const ParsedUnit &Output,
                                      const clang::FunctionDecl &Body, const PlayedKernel &Played) {
  return Comparison(Input, Output, Played).run(Body);
}

} // namespace cufuse
