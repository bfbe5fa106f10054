// The parts of an output. Each has a file of its own.
#pragma once

#include "Writer.h"

#include "cufuse/Emit/Emit.h"
#include "cufuse/Kernel/Named.h"

#include <llvm/ADT/STLFunctionalExtras.h>

#include <set>
#include <utility>

namespace cufuse {

// The header of an output, and how both files say what text they had when they were written.

std::string emitHeader(llvm::ArrayRef<Constituent> Constituents, const FusionPlan &Plan, const EmitOptions &Options);

/// Its first lines, by which it is known: what it launches, what made it, and the hash.
void writeHead(Writer &To, llvm::ArrayRef<Constituent> Constituents, const EmitOptions &Options);

/// The line with the hash.
void writeAsWritten(Writer &To, const EmitOptions &Options);

/// The name of the inline namespace of what a program links and two outputs of one name may both have. It has the hash:
/// `NAME::launch` is this output's all the same.
OutputText ownSpace();
void inOwnSpace(Writer &To, llvm::function_ref<void()> Emit);

/// Puts the hashes where these have left room.
void writeHashes(FusedSource &Fused);

/// Text with its hash in the places that wait for it.
std::string hashed(llvm::StringRef Text);

// The #includes of an output.

/// Those of all constituents, in order, but for lines already `Seen`.
void includeLines(Writer &To, llvm::ArrayRef<Constituent> Constituents, const EmitOptions &Options,
                  std::vector<IncludeLine> KernelText::*List, bool ForArgumentsOnly, std::set<std::string> &Seen);

// What every output needs before the kernels' texts: the grid, the partitions, and what libraries see of these.

/// `CufusePartition<0, 1, 32, 8, 1>`
OutputText partitionType(const PartitionPlan &P);

/// Does every block of the kernel end with finishCopies()? Its own asynchronous copies would land in what the next
/// block uses; those of another kernel in bulk do not see its stores to the same dynamic shared memory (PTX ISA, async
/// proxy).
bool finishesCopies(const KernelFacts &Facts, llvm::ArrayRef<Constituent> Constituents, const FusionPlan &Plan);

/// Is it a composition of which each kernel's block is one thread?
bool playsElements(const Constituent &C);
/// The namespaces of those kernels of a composition whose block is one thread, where it has others, too.
std::set<std::string> elementSpaces(const Constituent &C);
/// Does something ask for the partition?
bool usesPartition(const Constituent &C, const FusionPlan &Plan);
/// What calls the kernels of a composition, in the namespace `Path`.
OutputText mainBody(const Constituent &C, const PartitionPlan &P, const FusionPlan &Plan, const std::string &Path);
/// Does the kernel's text name it?
bool textNames(const KernelText &Text, llvm::StringRef Name);

/// The instances of the fused kernel: those of a constituent that has some. All that have some have the same
/// parameters, and the same arguments in an instance.
const TextVariants &variantsOf(llvm::ArrayRef<Constituent> Constituents);

/// What the output needs of lib/Cuda/ beside what it names, by the names under which those files ask. `Kernel`: the
/// text of the fused kernels.
std::vector<Given> needsOf(llvm::ArrayRef<Constituent> Constituents, const FusionPlan &Plan, const Writer &Kernel);
bool isNeeded(llvm::ArrayRef<Given> Needs, llvm::StringRef Name);

/// The output's namespace with the types that partitions are made of.
void emitPrelude(Writer &Out, llvm::ArrayRef<Constituent> Constituents, const FusionPlan &Plan,
                 const EmitOptions &Options, llvm::ArrayRef<Given> Needs, const Writer &Kernel);

/// That of the prelude's names. It has the prelude's hash: with another version's prelude, an output does not compile.
std::string preludeNamespace();

/// The macros around the #includes that give libraries the partition for the block; `Define` false takes them back.
void defineForLibraries(Writer &Out, llvm::ArrayRef<Constituent> Constituents, const std::string &Name, bool Define);

// The users' text, in the namespaces of the partitions.

/// A namespace for each constituent, or copy: what its names mean here, its closure, its kernel as a function.
void emitTexts(Writer &Out, llvm::ArrayRef<Constituent> Constituents, const FusionPlan &Plan,
               const EmitOptions &Options);

// Macros that the users' headers and commands define, and what these may make of the text of an output.

bool isMacroOutside(llvm::ArrayRef<Constituent> Constituents, llvm::StringRef Name);

/// Text of ours means what it says, whatever macros the headers of the users define; so does what it includes.
void writeOurs(Writer &To, llvm::ArrayRef<Constituent> Constituents, const EmitOptions &Options,
               llvm::function_ref<void(Writer &)> Emit, llvm::StringRef Included = {});

/// Macros of the text that some header defines, too, maybe another constituent's: these keep their meaning behind it.
/// And names of the text that are macros of another constituent's headers only: here they are none. Out: those to
/// restore behind the text.
std::set<std::string> saveMacros(Writer &To, llvm::ArrayRef<Constituent> Constituents, const Constituent &C);
void restoreMacros(Writer &To, const std::set<std::string> &Names);

/// Assertions that macros from outside, whose meaning decides what the text is, say what they did when it was read.
class MacroComparison {
public:
  MacroComparison(llvm::ArrayRef<Constituent> Constituents, const EmitOptions &Options)
      : Constituents(Constituents), Options(Options) {}

  /// What the assertions need, if there are any.
  void writePrelude(Writer &To) const;
  /// Those of a constituent, but for what others have asserted before.
  void write(Writer &To, const Constituent &C);

private:
  std::vector<MacroText> expected(const Constituent &C) const;

  llvm::ArrayRef<Constituent> Constituents;
  const EmitOptions &Options;
  std::set<std::pair<std::string, std::string>> Compared;
};

// The fused kernel itself: which thread of which block plays what.

/// `Name` is the namespace of the output; `Bound`: with the arguments that the plan fixes.
void emitKernel(Writer &Out, llvm::ArrayRef<Constituent> Constituents, const FusionPlan &Plan, const std::string &Name,
                bool Bound);

// The parts of the output that a host program sees.

/// What the fused kernel is given for a constituent: its type and name there, and the launcher's word for it behind the
/// constituent's name. Some are of no constituent.
struct AddedText {
  const char *Type, *Name, *Given;
};
const AddedText &textOf(AddedParameter Added);
inline bool isOfAll(AddedParameter Added) { return Added == AddedParameter::Pools || Added == AddedParameter::Place; }

/// The declaration of the `launch` of structures, up to `Tail`.
std::string launchSignature(llvm::ArrayRef<Constituent> Constituents, const std::string &Tail);

/// The declaration, up to `Tail`, of what launches a kernel alone by its arguments, and by the grid where that does not
/// follow from them. `Name`: the output's; `Space`: what leads to the kernel's namespace; `Prefix`: of the arguments'
/// names.
OutputText plainSignature(const Constituent &C, const FusionPlan &Plan, const std::string &Name,
                          const std::string &Space, const std::string &Tail, const std::string &Prefix = "");

/// What `launch` takes, with the stream last: of a kernel alone its arguments, else the launches' structures.
struct LaunchCall {
  std::vector<OutputText> Parameters, Arguments;
  std::vector<OutputText> Members; ///< Where a structure `launch` of a kernel alone has them, but for the stream.
  std::set<std::string> Names;
  /// A name that none of them has.
  std::string free(std::string Name) const;
};
LaunchCall launchCall(llvm::ArrayRef<Constituent> Constituents, const FusionPlan &Plan, const std::string &Name,
                      const std::string &Prefix = "");

/// How many elements such a launch has, in C++; `Grid`: the name of the grid, if it has one; `Arguments`: what stands
/// before the names of arguments.
std::string elementCount(const Constituent &C, const std::string &Grid = "", const std::string &Arguments = "");

/// How many of them a block takes at a time, where the launcher makes the grid from them.
unsigned elementsOfBlock(const Constituent &C, const FusionPlan &Plan, unsigned I);

/// The name of a constituent's launch, in the launcher.
std::string launchName(llvm::ArrayRef<Constituent> Constituents, const Constituent &C);
/// What a launch has beside the arguments, the stream last.
struct ShapeParameter {
  const char *Type, *Member; ///< `dim3`, `grid`
  std::string Name;          ///< That no argument has.
};
std::vector<ShapeParameter> plainShape(const Constituent &C, const FusionPlan &Plan);
/// The block that a launch has to say, since only a guess has said it; null where any is right, too.
const PartitionPlan *guessedBlock(const Constituent &C, const FusionPlan &Plan, unsigned I);
const PartitionPlan &partitionOf(const FusionPlan &Plan, unsigned I);
/// `dim3(32, 8)`
OutputText shapeOf(BlockShape Block);
/// How many multiprocessors the current device has, as `multiprocessors`.
void askMultiprocessors(Writer &Out);

/// The namespace of what the program names of a constituent. `Name`: the output's.
std::string argumentSpace(const std::string &Name, const Constituent &C);

/// A type as the header has it, which takes the value of the kernel's own.
void emitType(Writer &Out, const ArgumentType &T, const std::string &Space);

/// The argument structure, with the types that it needs, and the launch structure of constituent `I`, inside its
/// namespace.
void emitArguments(Writer &Out, llvm::ArrayRef<Constituent> Constituents, unsigned I, const FusionPlan &Plan,
                   const std::string &Name);

/// The host function that validates the arguments and launches `fused`.
void emitLauncher(Writer &Out, llvm::ArrayRef<Constituent> Constituents, const FusionPlan &Plan,
                  const EmitOptions &Options, llvm::ArrayRef<Given> Needs);

// `launch` with a way out: what launches the kernels themselves, where they cannot or shall not run as one.

/// What all of the header's ways out need.
void declareApart(Writer &Header, const EmitOptions &Options);
/// The overload of `launch` that is given a way out: of a kernel alone in its namespace, else beside `launch`.
void emitApart(Writer &Header, llvm::ArrayRef<Constituent> Constituents, const FusionPlan &Plan,
               const EmitOptions &Options);
/// In the source: the switch.
void defineApart(Writer &Source, const EmitOptions &Options);

} // namespace cufuse
