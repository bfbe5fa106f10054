// What a fused file needs of one kernel's file, as text: plain data, so that emitting a configuration needs no Clang.
#pragma once

#include "cufuse/Kernel/KernelFacts.h"
#include "cufuse/Kernel/OutputText.h"

#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/StringSet.h>

#include <map>
#include <set>
#include <string>
#include <vector>

namespace cufuse {

/// A condition of a kernel whose value is known in a turn of a loop whose elements are all below the kernel's bound.
struct KnownCondition {
  enum class Kind {
    Holds, ///< Of an `if`.
    Fails, ///< Of an `if`.
    Once,  ///< Of a loop: it holds the first time.
  };
  Kind What = Kind::Holds;
  unsigned Statement = 0; ///< The number of the `if` or loop (ControlStatements.h).
  bool operator==(const KnownCondition &) const = default;
};

/// What vertical fusion changes in a kernel's text.
struct LinkedText {
  std::vector<std::string> Parameters; ///< Get the type `cufuse_linked_NAME`, which whoever emits the text declares.
  std::vector<unsigned> RowLoops;    ///< Their numbers. They ask `cufuse_row`, a `const CufuseRow`, whether they go on.
  std::vector<KnownCondition> Known; ///< Ask `cufuse_turn`, a `CufuseTurn`, where no macro writes them.
  bool AsElement = false;            ///< Its block is one thread: what it calls has the block's place from it.
  bool AsksElement = false;          ///< Row loops ask in each turn for their element, too.
  bool OfLanes = false;              ///< The text plays several blocks of one warp or less: shared memory is of each.
};

/// A call of a function that is handed pointers, by a kernel ("") or by another function.
struct HandedOn {
  std::string Caller, Callee; ///< As `Piece::Function`.
  /// Parameters of the callee, and those of the caller from which they come.
  std::vector<std::pair<std::string, std::string>> Pointers = {};
  bool operator==(const HandedOn &) const = default;
};

/// A change of the user's text.
struct Edit {
  /// Where it is made.
  enum class When {
    Always,
    Unrolled, ///< Where the grid-stride loop is unrolled, in place of the others inside it.
    Linked,   ///< The parameter is linked, or where none is named, any is.
    RowLoop,  ///< The statement is a loop over the row.
    RowTurn,  ///< And it asks for the element of a turn.
    Rows,     ///< Some loop is.
    Known,    ///< The condition is known so.
    Turns,    ///< Some condition is known.
    Element,  ///< The kernel's block is one thread, for one element.
    Lanes,    ///< The text plays several blocks, each of lanes of a warp.
  };
  unsigned At = 0, Length = 0; ///< In bytes, from the beginning of the piece.
  OutputText Text;
  When Made = When::Always;
  std::string Parameter = {};  ///< Of `Linked`: the kernel's or, in a function that is handed pointers, its own.
  KnownCondition Control = {}; ///< Of `Known`; its number alone, of `RowLoop`.
  /// It cannot be made: where it should be, that is refused.
  std::optional<Blocker> Cannot = {};

  bool isMade(const LinkedText &Linked, bool Unrolled) const;
};

/// A macro as it stood before an `#include`.
struct MacroLine {
  std::string Name;
  std::string Text;       ///< The directive.
  bool OfCommand = false; ///< The kernel's command line says it, and not all kernels' do.
  bool operator==(const MacroLine &Other) const { return Text == Other.Text; }
};

struct IncludeLine {
  std::string Text;                    ///< `#include …`
  std::string Path;                    ///< The file it names.
  SourcePlace Where;                   ///< In the kernel's file.
  std::vector<MacroLine> Defines = {}; ///< What must stand before it: something behind it asks for these.
  std::vector<std::string> Reads = {}; ///< Files of the user that are read with it.
  bool ForArguments = false;           ///< The types of the arguments come from it.
  bool InLinkage = false;              ///< It stands inside `extern "C"`, without which it means something else.
  unsigned Packing = 0;                ///< The bytes of the `#pragma pack` that it stands under; 0 for none.
  bool ForDevice = false;              ///< Only the device reads it.
  bool ForNvcc = false;                ///< Other compilers need not read it.
  bool IsUnneeded = false;             ///< Nothing is seen that needs it: it is left out if the output is right so.
  bool MayBeAnother = false;           ///< The output's build may find another file by that name.

  /// Would the file mean the same here and there?
  bool isReadLike(const IncludeLine &B) const {
    return Packing == B.Packing && InLinkage == B.InLinkage && Defines == B.Defines;
  }
};

/// A stretch of the output that belongs to one constituent.
struct Piece {
  enum class Kind {
    Code,   ///< The user's text: a declaration. Has a file and a line.
    Macro,  ///< A macro directive.
    Using,  ///< A using-declaration of ours, inside the namespaces.
    Shared, ///< The declaration of a variable or a kernel of the program, to stand at its own scope.
  };
  Kind What = Kind::Code;
  std::vector<std::string> Namespaces; ///< Enclosing, outermost first: `a`, `` (unnamed), `inline b`.
  OutputText Text;
  /// The same where the kernel's grid-stride loop is unrolled, in the piece that holds it.
  std::optional<OutputText> Unrolled = std::nullopt;
  SourcePlace Where = {}; ///< Of the user's text.
  /// Of a function that may stand at its own scope, global, as well: a macro that says that it does. `ForLibrary`: a
  /// library finds it there by its arguments' types, which nobody's file declares.
  std::string Once = {};
  bool ForLibrary = false;
  /// The text as written and all that may be changed in it, where that depends on what is linked.
  std::string Written = {};
  std::vector<Edit> Edits = {};
  bool IsShared = false;                  ///< Of ours, as in other outputs: a prelude has it.
  std::string Function = {};              ///< Which function that is handed pointers it declares.
  std::vector<IncludeLine> Includes = {}; ///< `#include "…"` that stand inside the text.
};

struct ParameterSpelling {
  OutputText Declaration;  ///< Of the fused kernel's parameter.
  OutputText Field;        ///< Of the argument structure.
  OutputText Element = {}; ///< Of a pointer: what it points to, without qualifiers.
};

/// A type of arguments that only the kernel's file knows, for the launcher's header.
struct ArgumentType {
  struct Field {
    OutputText Declaration; ///< The open path is where these types stand.
    std::string Name;
    std::optional<unsigned long long> Offset; ///< In bytes; none of a bit-field.
  };
  std::string Name;
  std::vector<std::string> Namespaces = {}; ///< Inside the constituent's.
  unsigned long long Bytes = 0, Alignment = 1;
  bool IsPointer = false;                        ///< Null is no byte set.
  std::string Kind;                              ///< Of `Value`, behind `std::`: `is_enum<Value>::value`, and its name.
  bool IsAligned = false;                        ///< Otherwise than its fields ask for.
  unsigned Packing = 0;                          ///< The bytes of its `#pragma pack`; 0 for none.
  std::optional<std::vector<Field>> Fields = {}; ///< None: it is bytes.
};

/// What the header and the fused kernel have in the place of a parameter of such a type.
struct OpaqueParameter {
  OutputText Declaration, Field; ///< As in ParameterSpelling, but the open path is where the argument types stand.
  OutputText Type;               ///< What it is to the body.
  bool IsPointer = false;
  bool IsOwn = false; ///< The body takes a reference, to an object that it may change.
};

struct ParameterText : ParameterSpelling {
  std::string Name; ///< As in KernelFacts.
  std::optional<OpaqueParameter> Opaque = {};
  std::string Given = {}; ///< In terms of the fused kernel's other parameters: it is none of its own.
};

/// Kernels of one text for different arguments: the fused kernel is a template, and the launcher chooses an instance.
struct TextVariants {
  std::string Parameters;                                     ///< `unsigned Turns, unsigned Full`; empty: no template.
  std::vector<std::pair<OutputText, std::string>> Conditions; ///< Of the launch; its template arguments.
  std::string Otherwise;                                      ///< Template arguments where none holds.
  OutputText Wide = {};                                       ///< What they call `wide`, or nothing.
  bool IsAlone = false; ///< The launch is checked for this choice: no other kernel may have a say in it.
};

/// What a call of a macro says. Without a call, that is not known: a library's may say otherwise to another compiler.
struct MacroText {
  std::string Call, Text;
};

/// Under this condition of the launch, in C++, it fails with cudaErrorInvalidConfiguration.
struct LaunchError {
  OutputText Condition;
  std::string Why; ///< A comment, or nothing.
};

/// From which the launcher makes the grid, if any grid is right.
struct LaunchElements {
  OutputText Count;       ///< In C++, of the launch.
  unsigned PerThread = 1; ///< That a thread takes at a time.
  unsigned PerBlock = 0;  ///< The same of a block, where that does not follow.
  bool AnyBlock = false;  ///< No proof has asked how large a block is.
};

/// Of a launch with a row for each block.
struct LaunchRows {
  OutputText Length;      ///< Of a row, in C++, of the launch.
  unsigned PerThread = 1; ///< Elements that a thread has next to each other.
};

/// Of a launch with a grid: a thread has its place in so many blocks that follow each other in a dimension.
struct LaunchTurns {
  unsigned Dimension = 0;
  unsigned Count = 1; ///< By the instance `Turns` > 1, where the launch has a multiple of so many.
};

/// What calls the kernels of a composition: a function of its block's indices and its parameters, or all that the fused
/// kernel does.
struct MainText {
  OutputText Comment, Parameters, Body;
};

/// Of ours for products of matrices.
struct ProductsText {
  OutputText Device;            ///< Stands before the kernels' text.
  OutputText Host;              ///< Stands before the launcher.
  std::vector<OutputText> Maps; ///< Calls that fill `CufuseMaps`, each of which returns an error.
  unsigned DynamicBytes = 0;    ///< Of shared memory.
  unsigned Cluster = 1;         ///< Blocks that are launched together, for each of the launch's.
  unsigned Clusters = 0;        ///< Of a cooperative launch: all there are.
};

struct KernelText {
  std::vector<IncludeLine> Includes;
  /// Headers whose functions use the block, as first included anywhere: to be read with the built-ins rebound, before
  /// the others, whose members may have the built-ins' names.
  std::vector<IncludeLine> Libraries;
  /// Headers that these include and that cannot be read so, for that reason: to be read before.
  std::vector<std::string> BeforeLibraries;
  std::vector<ArgumentType> Types; ///< Each behind those that it needs.
  std::vector<Piece> Body;         ///< The text, the kernel included, in the order of the file: for the device alone.
  std::vector<HandedOn> Calls;     ///< Of functions that are handed pointers.
  bool MovesPointers = false;      ///< It computes a pointer from another.
  unsigned SharedOfLanes = 0;      ///< Static shared variables of its that `Edit::When::Lanes` gives each block.
  std::vector<Piece> OnHost;       ///< The device's variables by name and size, which nvcc names in the host's code.
  std::vector<std::string> Usings; ///< Declarations at the top of the constituent's namespace.
  std::map<std::vector<std::string>, std::vector<std::string>> NestedUsings; ///< The same for namespaces inside it.
  std::vector<std::string> BodyMacros; ///< Defined by the pieces: to be undefined behind them.
  /// What the headers that stay included, and the command line, define; what it says for those that the text has.
  llvm::StringMap<MacroText> OutsideMacros;
  OutputText Callee; ///< The body as called from the constituent's namespace: `ns::kernel<float, 4>`.
  std::vector<ParameterText> Parameters;
  std::vector<LaunchError> LaunchErrors;
  std::vector<std::pair<std::string, std::string>> Apart; ///< Arguments that the launch fails with if they meet.
  std::optional<LaunchElements> Elements = {};            ///< None: the launch has a grid,
  std::optional<LaunchRows> Rows = {};                    ///< whose blocks may have a row each.
  TextVariants Variants;
  std::optional<LaunchTurns> Turns = {};
  /// With it, the launcher makes as many blocks as are resident, which go on by themselves.
  std::optional<ProductsText> Products = {};
  /// Of what the last block goes on with: the parameter that leads to what launches have each of its own.
  std::string Counted = {};
  bool IsComposed = false;           ///< Of several kernels, each of which depends on others.
  bool LoadsFresh = false;           ///< By `__ldg`, it may load what another of these kernels has stored.
  std::optional<MainText> Main = {}; ///< Of a composition that may be all that a fused kernel does.
  std::string Note;                  ///< What the user should know of how they became one, or nothing.
  bool HasHostShared = false;        ///< Something of the program: the output must be relocatable.
  /// Declarations of such variables, and definitions with the values that the source gives them: numbers and arrays of
  /// them. For a fused source that is run without the program's other objects.
  std::vector<std::pair<std::string, std::string>> SharedValues;
  /// Where the text may depend on the architecture: those for which it was read or compared, as `__CUDA_ARCH__`.
  std::set<unsigned> Architectures;
  bool HasConstants = false;             ///< The output defines `__constant__` variables.
  std::vector<std::string> Dependencies; ///< Files of the user that were read.
  std::vector<Blocker> Blockers;
};

/// `Written` with the edits that `Linked` asks for and, if `Unrolled`, those of unrolled loops. Nothing where two
/// overlap.
std::optional<OutputText> applyEdits(llvm::StringRef Written, llvm::ArrayRef<Edit> Edits, const LinkedText &Linked,
                                     bool Unrolled);

/// Gives an `#include` inside the piece another name.
void renameInclude(Piece &P, const std::string &Line, const std::string &Renamed);

/// Makes the edits of the piece; gives what cannot be made.
std::vector<Blocker> makeEdits(Piece &P, const LinkedText &Linked);

/// The text as other kernels want it. What cannot be changed so is added to its blockers.
KernelText withLinks(KernelText Text, const LinkedText &Linked);

} // namespace cufuse
