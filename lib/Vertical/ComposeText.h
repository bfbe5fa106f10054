// What every composition of several kernels' texts into one has in common. Text to text: no Clang.
#pragma once

#include "cufuse/Dependence/StoreProof.h"
#include "cufuse/Vertical/Form.h"

#include <llvm/ADT/STLFunctionalExtras.h>

namespace cufuse {

/// Parameters of a node that flows begin or end at.
std::vector<std::string> linkedParameters(const VerticalGraph &Graph, unsigned Node);

/// `Text` with its path leading to a namespace inside.
OutputText nested(const OutputText &Text, const std::string &Inner);

/// In brackets if it has any of these characters.
OutputText bracketed(const OutputText &Text, const char *If = " ");

/// How an atom of a polynomial is written.
using AtomText = llvm::function_ref<OutputText(const std::string &)>;
/// An atom's type, in C++.
enum class AtomType {
  Any,
  Narrow, ///< At most 32 bits: a 64-bit integer before it widens it.
  Wide,   ///< A signed 64-bit integer.
};
/// The polynomial as a signed 64-bit integer, in C++; atoms of `Quotients` are divided.
OutputText spelled(
    const Polynomial &P, const std::map<std::string, Quotient> &Quotients, AtomText Atom,
    llvm::function_ref<AtomType(const std::string &)> TypeOf = [](const std::string &) { return AtomType::Any; });

/// Each kernel's text goes to a namespace of its own, `cufuse_NODE`.
class TextComposer {
protected:
  TextComposer(const VerticalGraph &Graph, llvm::ArrayRef<const KernelText *> Texts,
               llvm::ArrayRef<AtMost> Requirements)
      : Graph(Graph), Texts(Texts), Requirements(Requirements) {}
  virtual ~TextComposer() = default;

  const std::string &name(unsigned Node) const { return Graph.Nodes[Node].Name; }
  std::string space(unsigned Node) const { return "cufuse_" + name(Node); }
  const ParameterText &parameter(unsigned Node, const std::string &Name) const;
  /// What a pointer parameter points to, or what this is taken in parts of.
  OutputText element(unsigned Node, const std::string &Parameter) const;
  OutputText callee(unsigned Node) const { return space(Node) + "::" + nested(Texts[Node]->Callee, space(Node)); }

  /// The indices that a node reads, where element `At` is its block: in a grid of so many that a grid-stride loop ends
  /// after one turn, whatever the kernel multiplies with the `Width` elements of a thread.
  /// `Given`: what an argument is called there; nothing: as in the fused kernel.
  std::vector<std::string> elementIndices(unsigned Node, const std::string &At, unsigned Width = 1,
                                          AtomText Given = nullptr) const;

  /// The root's facts with what the others add to them.
  void facts();
  /// These, where whole blocks of other kernels are played, too: `ByElement` says which are not.
  void factsOfBlocks(const std::vector<bool> &ByElement);
  /// The parameters of a node that remain, and what else is merged without order. Linked ones
  /// do not remain; of the others, `Remains` says it.
  void parameters(unsigned Node, llvm::function_ref<bool(const std::string &)> Remains);
  /// The libraries that a node's block is told of.
  void libraries(unsigned Node);
  /// Text of ours.
  void code(const OutputText &Text, std::vector<std::string> Namespaces = {});
  /// A file of lib/Cuda/: of its paragraphs, those that are used.
  void file(llvm::StringRef File, llvm::ArrayRef<Given> Values = {});
  /// A node's text in its namespace, behind `Aliases`, which declare its linked parameters' types. `AsElement`: its
  /// block is one thread, and the macros around it say so.
  void text(unsigned Node, const OutputText &Aliases, bool AsElement);
  /// `cufuse_pointer`, what kernels have in place of a pointer, with what their loads and stores with cache hints mean
  /// for it.
  void pointerObjects();
  /// These, and `CufuseElement`, for what is in a register.
  void elementObjects();
  /// The argument for it, as a pointer to that.
  std::string inElements(unsigned Node, const std::string &Parameter, const std::string &Argument) const;
  /// The type of a linked parameter.
  OutputText object(unsigned Node, const std::string &Parameter, const OutputText &Kind) const;
  /// Types and names of the parameters by which a kernel knows its block, where it is given it.
  static std::vector<std::pair<std::string, std::string>> blockParameters(const KernelFacts &Facts);
  /// Declarations of all parameters that remain.
  std::vector<OutputText> declarations() const;
  /// Of what calls the kernels: the block's indices and these.
  std::vector<OutputText> mainParameters() const;
  /// What calls the kernels, behind a comment.
  void main(const OutputText &Comment, const OutputText &Body);
  /// A thread's elements: `Width` from `first` on, all of which exist if `Whole`.
  OutputText turn(const Polynomial &Elements, unsigned Width, bool Whole, const OutputText &Body) const;
  /// A parameter of a node as an expression of the parameters that remain.
  virtual std::string argument(unsigned Node, const std::string &Parameter) const;
  /// The polynomial of a node's parameters as a 64-bit integer on the device.
  std::string value(const Polynomial &P, unsigned Node) const;
  /// The requirements as conditions of the launch, and that pointers differ where they are taken to. Called last.
  void conditions();
  /// What is divided by is positive where there are elements, before any condition divides.
  void divisors();
  OutputText hasElements(unsigned Node) const;
  OutputText unlessEmpty(llvm::ArrayRef<unsigned> Nodes) const;
  OutputText unlessAllEmpty() const;
  /// That the divisors are positive in what is computed for a polynomial of the arguments that remain.
  std::vector<OutputText> positive(const Polynomial &P) const;
  void ranges(unsigned Node, const ParameterAccess &P, std::set<std::string> &Positive);
  /// A polynomial of the arguments that remain, in the fused kernel, and in the launcher.
  std::string deviceText(const Polynomial &P) const;
  OutputText hostText(const Polynomial &P) const;
  /// The same before any condition is asked: negative where it would divide by what is not positive.
  OutputText countText(const Polynomial &P) const;
  /// Has the launch an argument of the name?
  bool isGiven(const std::string &Argument) const;
  /// The launch fails under this condition, a comparison in C++.
  void refuseIf(const OutputText &Condition, const std::string &Why = "");

  const VerticalGraph &Graph;
  llvm::ArrayRef<const KernelText *> Texts;
  llvm::ArrayRef<AtMost> Requirements;
  ComposedKernel Result;

private:
  void distinctPointers();
  void refuseUnless(const AtMost &Needed, bool Always);
  using Memory = std::pair<unsigned, std::string>;
  std::pair<OutputText, OutputText> used(const Memory &Of, const ParameterAccess &P, const OutputText &Argument);
  /// The argument that an atom `node.parameter` stands for.
  std::string argumentOf(llvm::StringRef Atom) const;
  /// Is it an argument alone that `int` holds?
  bool isInt(const Polynomial &P) const;
  AtomType typeOf(const std::string &Atom) const;
  Piece inside(Piece P, unsigned Node) const;
  OutputText ownElement(unsigned Node, const std::string &Parameter) const;
  bool names(llvm::StringRef Word) const;
  void leaveOutUnused();

  std::vector<size_t> Ours; ///< The pieces of the body that are of files of lib/Cuda/.
};

} // namespace cufuse
