#include "cufuse/Workload/PackArguments.h"

#include "cufuse/Support/Error.h"

#include "Reader.h"

#include <fmt/core.h>
#include <llvm/ADT/APFloat.h>
#include <llvm/ADT/SmallVectorExtras.h>
#include <llvm/ADT/StringExtras.h>

#include <bit>

namespace cufuse {

namespace {

using Integer = Number::Integer;

Numbers withBlock(const Numbers &Sizes, BlockShape Block) {
  Numbers Names = Sizes;
  Names["block.x"] = {Integer(Block.X)};
  Names["block.y"] = {Integer(Block.Y)};
  Names["block.z"] = {Integer(Block.Z)};
  return Names;
}

const auto &semanticsOf(const FieldFacts &Field) {
  if (Field.Kind == ScalarKind::BFloat)
    return llvm::APFloat::BFloat();
  return Field.Bytes == 2   ? llvm::APFloat::IEEEhalf()
         : Field.Bytes == 4 ? llvm::APFloat::IEEEsingle()
                            : llvm::APFloat::IEEEdouble();
}

/// The value's bits as the field holds them; nothing if the field cannot.
std::optional<std::uint64_t> bitsOf(const Number &Value, const FieldFacts &Field) {
  switch (Field.Kind) {
  case ScalarKind::Float:
  case ScalarKind::BFloat: {
    llvm::APFloat Rounded(Value.real());
    bool Loses = false;
    if (Rounded.convert(semanticsOf(Field), llvm::APFloat::rmNearestTiesToEven, &Loses) & llvm::APFloat::opOverflow)
      return std::nullopt;
    return Rounded.bitcastToAPInt().getZExtValue();
  }
  case ScalarKind::Bool:
  case ScalarKind::Signed:
  case ScalarKind::Unsigned: {
    if (!Value.isInteger())
      return std::nullopt;
    const unsigned Bits = Field.Kind == ScalarKind::Bool ? 1 : 8 * static_cast<unsigned>(Field.Bytes);
    const IntegerRange Range(Bits, Field.Kind == ScalarKind::Signed);
    if (Value.integer() < Range.Min || Value.integer() > Range.Max)
      return std::nullopt;
    return static_cast<std::uint64_t>(Value.integer());
  }
  case ScalarKind::Pointer:
  case ScalarKind::Opaque:
    break;
  }
  return std::nullopt;
}

class Packer {
public:
  Packer(const WorkloadKernel &Kernel, llvm::ArrayRef<BufferSpec> Buffers, BlockShape Block)
      : Kernel(Kernel), Buffers(Buffers), Names(withBlock(Kernel.Sizes, Block)) {}

  KernelArgument argument(const ParameterFacts &Parameter) {
    KernelArgument Packed;
    Packed.Bytes.resize(Parameter.Bytes);
    std::vector<const WorkloadArgument *> Given;
    for (const WorkloadArgument &A : Kernel.Arguments)
      if (A.Parameter == Parameter.Name)
        Given.push_back(&A);
    if (Given.empty()) {
      Wrong.add(Kernel.Where, fmt::format("{}: no argument for '{}' ({})", Kernel.Name, Parameter.Name, Parameter.Type),
                fmt::format("add `{}: …` to `arguments`", Parameter.Name));
      return Packed;
    }
    if (!checkPaths(Parameter, Given))
      return Packed;
    for (const FieldFacts &Field : Parameter.Fields) {
      const auto At =
          llvm::find_if(Given, [&](const WorkloadArgument *A) { return A->Value && A->Path == Field.Path; });
      if (At != Given.end())
        put(**At, Parameter, Field, Packed);
      else
        Wrong.add(Given[0]->Where, fmt::format("'{}' has no value", spelled(Parameter, Field.Path)));
    }
    return Packed;
  }

  void checkParameters(const KernelFacts &Facts) {
    const auto Known = namesOfAll(Facts.Parameters);
    for (const WorkloadArgument &A : Kernel.Arguments)
      if (!llvm::is_contained(Known, A.Parameter))
        Wrong.add(A.Where, fmt::format("{} has no parameter '{}'", Facts.Name, A.Parameter),
                  suggestion(A.Parameter, Known));
  }

  ConstituentLaunch launch() {
    ConstituentLaunch Result;
    // CUDA C++ Programming Guide, technical specifications.
    constexpr std::array<Integer, 3> MaxGrid = {0x7fffffff, 65535, 65535};
    for (size_t I = 0; I < Kernel.Grid.size(); ++I)
      if (auto Size = integer(Kernel.Grid[I], 1, MaxGrid[I], fmt::format("blocks in {}", "xyz"[I])))
        Result.Grid[I] = static_cast<std::uint32_t>(*Size);
    if (Kernel.DynamicBytes)
      if (auto Bytes = integer(*Kernel.DynamicBytes, 0, 0x7fffffff, "bytes of shared memory"))
        Result.DynamicBytes = static_cast<std::uint64_t>(*Bytes);
    return Result;
  }

  Complaints Wrong;

private:
  static std::string spelled(const ParameterFacts &Parameter, const std::string &Path) {
    return Parameter.Name + (Path.empty() || Path[0] == '[' ? "" : ".") + Path;
  }

  /// Is every value one of a scalar of the parameter?
  bool checkPaths(const ParameterFacts &Parameter, llvm::ArrayRef<const WorkloadArgument *> Given) {
    const auto Known = llvm::map_to_vector(Parameter.Fields, [](const FieldFacts &Field) { return Field.Path; });
    bool Right = true;
    for (const WorkloadArgument *A : Given) {
      if (!A->Value ? A->Path.empty() && Known.empty() : llvm::is_contained(Known, A->Path))
        continue;
      Right = false;
      if (A->Path.empty())
        Wrong.add(A->Where, fmt::format("'{}' is {}", Parameter.Name, Parameter.Type),
                  Known.empty()      ? "write {}"
                  : Known[0].empty() ? "give its value"
                                     : "give " + llvm::join(Known, ", "));
      else
        Wrong.add(A->Where, fmt::format("{} has no '{}'", Parameter.Type, A->Path),
                  Known.empty() || Known[0].empty() ? "" : suggestion(A->Path, Known));
    }
    return Right;
  }

  void put(const WorkloadArgument &A, const ParameterFacts &Parameter, const FieldFacts &Field,
           KernelArgument &Packed) {
    const std::string Name = spelled(Parameter, Field.Path);
    if (Field.Kind == ScalarKind::Opaque)
      return Wrong.add(A.Where, fmt::format("'{}' is {}, whose value cannot be given here", Name, Field.Type));
    if (Field.Kind == ScalarKind::Pointer)
      return putAddress(*A.Value, Name, Field, Packed);
    const auto Value = number(*A.Value);
    if (!Value)
      return;
    const auto Bits = bitsOf(*Value, Field);
    if (!Bits)
      return Wrong.add(A.Where, fmt::format("'{}' is {}, which cannot be {}", Name, Field.Type, Value->str()));
    for (unsigned I = 0; I < Field.Bytes; ++I)
      Packed.Bytes[Field.Offset + I] = static_cast<std::uint8_t>(*Bits >> (8 * I));
  }

  void putAddress(const Expression &E, const std::string &Name, const FieldFacts &Field, KernelArgument &Packed) {
    if (E.What == Expression::Name && E.Text == "nullptr")
      return; // the bytes are zero
    const BufferSpec *Buffer = nullptr;
    const auto Elements = offset(E, Buffer);
    if (!Buffer)
      return Wrong.add(E.Where, fmt::format("'{}' is {}: its value is a buffer", Name, Field.Type),
                       "write BUFFER, BUFFER + elements or nullptr");
    if (!Elements)
      return;
    if (*Elements < 0 || *Elements >= static_cast<Integer>(Buffer->Count))
      return Wrong.add(E.Where, fmt::format("'{}' has {} elements, '{}' would start at element {}", Buffer->Name,
                                            Buffer->Count, Name, Number{*Elements}.str()));
    Packed.Addresses.push_back({static_cast<std::uint32_t>(Field.Offset), Buffer->Name,
                                static_cast<std::uint64_t>(*Elements) * bytesOf(Buffer->Type)});
  }

  /// Of `buffer + a - b`: the buffer, and a − b.
  std::optional<Integer> offset(const Expression &E, const BufferSpec *&Buffer) {
    if (E.What == Expression::Name) {
      if (const auto Known = Kernel.Buffers.find(E.Text); Known != Kernel.Buffers.end())
        Buffer = llvm::find_if(Buffers, [&](const BufferSpec &B) { return B.Name == Known->second; });
      return Integer(0);
    }
    if (E.What != Expression::Add && E.What != Expression::Subtract)
      return std::nullopt;
    const auto Left = offset(E.Operands[0], Buffer);
    if (!Left || !Buffer)
      return std::nullopt;
    const auto Right = number(E.Operands[1]);
    if (!Right)
      return std::nullopt;
    if (!Right->isInteger()) {
      Wrong.add(E.Operands[1].Where, "elements are counted in integers");
      return std::nullopt;
    }
    const Number Sum{*Left};
    return Sum.integer() + (E.What == Expression::Add ? Right->integer() : -Right->integer());
  }

  /// A value without buffers in it.
  std::optional<Number> number(const Expression &E) {
    for (const Expression *Name : namesIn(E))
      if (Kernel.Buffers.count(Name->Text) || Name->Text == "nullptr") {
        Wrong.add(Name->Where, fmt::format("'{}' is no number", Name->Text));
        return std::nullopt;
      }
    return Wrong.value(evaluate(E, Names));
  }
  std::optional<Integer> integer(const Expression &E, Integer Min, Integer Max, const std::string &What) {
    const auto Value = number(E);
    if (Value && Value->isInteger() && Value->integer() >= Min && Value->integer() <= Max)
      return Value->integer();
    if (Value)
      Wrong.add(E.Where, fmt::format("{}: {} {} are impossible", Kernel.Name, Value->str(), What));
    return std::nullopt;
  }

  const WorkloadKernel &Kernel;
  llvm::ArrayRef<BufferSpec> Buffers;
  Numbers Names;
};

/// As C++ spells a value of the field's type.
std::string inCxx(std::uint64_t Bits, const FieldFacts &Field) {
  switch (Field.Kind) {
  case ScalarKind::Bool:
    return Bits ? "true" : "false";
  case ScalarKind::Unsigned:
    return fmt::format("{}u{}", Bits, Field.Bytes == 8 ? "ll" : "");
  case ScalarKind::Signed: {
    const auto Value = static_cast<std::int64_t>(Bits);
    if (Value == std::numeric_limits<std::int64_t>::min()) // has no literal of its own type
      return "0x8000000000000000ull";
    return fmt::format("{}{}", Value, Field.Bytes == 8 ? "ll" : "");
  }
  default:
    return Field.Bytes == 4 ? fmt::format("{:a}f", std::bit_cast<float>(static_cast<std::uint32_t>(Bits)))
                            : fmt::format("{:a}", std::bit_cast<double>(Bits));
  }
}

} // namespace

llvm::Expected<PackedKernel> packKernel(const KernelFacts &Facts, const WorkloadKernel &Kernel,
                                        llvm::ArrayRef<BufferSpec> Buffers, BlockShape Block) {
  if (!llvm::is_contained(Kernel.Blocks, Block))
    return badInput(fmt::format("{}: its workload does not allow blocks of {}", Kernel.Name, Block.str()),
                    "add the shape to `block: {default: …, tunable: […]}`", Kernel.Where);
  Packer Pack(Kernel, Buffers, Block);
  PackedKernel Packed{Block, Pack.launch(), {}, Kernel.AnyGrid};
  Pack.checkParameters(Facts);
  for (const ParameterFacts &Parameter : Facts.Parameters)
    Packed.Arguments.push_back(Pack.argument(Parameter));
  TRY(Pack.Wrong.take());
  return Packed;
}

llvm::Expected<std::vector<std::pair<std::string, std::string>>> boundArguments(const KernelFacts &Facts,
                                                                                const WorkloadKernel &Kernel) {
  std::vector<std::pair<std::string, std::string>> Bound;
  Complaints Wrong;
  for (const auto &[Name, Where] : Kernel.Bindable) {
    const auto Parameter = llvm::find_if(Facts.Parameters, [&](const ParameterFacts &P) { return P.Name == Name; });
    if (Parameter == Facts.Parameters.end()) {
      Wrong.add(Where, fmt::format("{} has no parameter '{}'", Facts.Name, Name),
                suggestion(Name, namesOfAll(Facts.Parameters)));
      continue;
    }
    const FieldFacts *Field = Parameter->Fields.size() == 1 ? &Parameter->Fields[0] : nullptr;
    const bool Floating = Field && (Field->Kind == ScalarKind::Float || Field->Kind == ScalarKind::BFloat);
    if (!Field || !Field->Path.empty() || Field->Kind == ScalarKind::Pointer || Field->Kind == ScalarKind::Opaque ||
        (Floating && Field->Bytes == 2)) {
      Wrong.add(Where, fmt::format("'{}' is {}, which cannot be fixed at compile time", Name, Parameter->Type),
                "bind integers, booleans, float and double only");
      continue;
    }
    const auto Given = llvm::find_if(Kernel.Arguments, [&](const WorkloadArgument &A) { return A.Parameter == Name; });
    if (Given == Kernel.Arguments.end() || !Given->Value) {
      Wrong.add(Where, fmt::format("'{}' has no value to bind", Name));
      continue;
    }
    auto Value = Wrong.value(evaluate(*Given->Value, Kernel.Sizes));
    if (!Value)
      continue;
    if (const auto Bits = bitsOf(*Value, *Field))
      Bound.push_back({Name, inCxx(*Bits, *Field)});
    else
      Wrong.add(Given->Where, fmt::format("'{}' is {}, which cannot be {}", Name, Field->Type, Value->str()));
  }
  TRY(Wrong.take());
  return Bound;
}

} // namespace cufuse
