#include "Reader.h"

#include "cufuse/Kernel/LinkText.h"

#include <fmt/core.h>
#include <llvm/ADT/STLExtras.h>

namespace cufuse {

namespace {

/// What an argument is: a number, or an element of a buffer.
struct Value {
  std::string Buffer; ///< Empty: a number.
  Number Plus;        ///< The number, or the element.
  friend bool operator==(const Value &, const Value &) = default;
};

class LinkResolver {
public:
  LinkResolver(const WorkloadFile &File, const Numbers &Sizes, Workload &Result, Complaints &Wrong)
      : File(File), Sizes(Sizes), Result(Result), Wrong(Wrong) {}

  void run() {
    if (File.Links.empty()) {
      if (!File.Dead.empty())
        Wrong.add(File.Dead.front().Where, "there are no links, and so no intermediates");
      return;
    }
    for (const WorkloadText &Link : File.Links)
      resolveLink(Link);
    for (const WorkloadText &Dead : File.Dead)
      resolveDead(Dead);
    checkContents();
    if (Wrong.messages().empty() && llvm::none_of(Result.Links, [](const WorkloadLink &Link) { return Link.IsArray; }))
      Wrong.add(File.Links.front().Where, "the links join numbers alone",
                "link what a kernel stores to the parameter that the next one reads it from");
  }

private:
  /// Where `Part`, a piece of the text, stands.
  static SourcePlace placeOf(const WorkloadText &In, llvm::StringRef Part) {
    SourcePlace Where = In.Where;
    if (const size_t At = In.Text.find(Part.str()); At != std::string::npos)
      Where.Column += static_cast<unsigned>(At);
    return Where;
  }

  std::optional<unsigned> kernel(const std::string &Name, const WorkloadText &In) {
    for (unsigned I = 0; I < File.Kernels.size(); ++I)
      if (File.Kernels[I].Name == Name)
        return I;
    Wrong.add(placeOf(In, Name), fmt::format("'{}' is none of the kernels", Name),
              suggestion(Name, namesOfAll(File.Kernels)));
    return std::nullopt;
  }

  const WorkloadArgument *argument(unsigned Kernel, const std::string &Parameter, const WorkloadText &In) {
    std::vector<std::string> Known;
    for (const WorkloadArgument &A : File.Kernels[Kernel].Arguments) {
      if (A.Parameter == Parameter && A.Path.empty() && A.Value)
        return &A;
      if (A.Path.empty())
        Known.push_back(A.Parameter);
    }
    Wrong.add(placeOf(In, Parameter),
              fmt::format("{} has no argument '{}' to link", File.Kernels[Kernel].Name, Parameter),
              suggestion(Parameter, Known));
    return nullptr;
  }

  bool isBuffer(const std::string &Name) const {
    return llvm::any_of(File.Buffers, [&](const WorkloadBuffer &B) { return B.Name == Name; });
  }

  /// Of `buffer`, `buffer + a - b` or a number. Names have been checked.
  std::optional<Value> valueOf(const Expression &E) {
    if (E.What == Expression::Name && isBuffer(E.Text))
      return Value{E.Text, {Number::Integer(0)}};
    const bool HasBuffer = llvm::any_of(namesIn(E), [&](const Expression *Name) { return isBuffer(Name->Text); });
    if (HasBuffer && (E.What == Expression::Add || E.What == Expression::Subtract)) {
      auto Left = valueOf(E.Operands[0]), Right = valueOf(E.Operands[1]);
      if (!Left || !Right || !Right->Buffer.empty() || !Left->Plus.isInteger() || !Right->Plus.isInteger())
        return std::nullopt;
      const auto Plus = Right->Plus.integer();
      Left->Plus = {Left->Plus.integer() + (E.What == Expression::Add ? Plus : -Plus)};
      return Left;
    }
    for (const Expression *Name : namesIn(E))
      if (llvm::StringRef(Name->Text).starts_with("block.")) {
        Wrong.add(Name->Where, "a linked argument is the same for every block", "write it without `block`");
        return std::nullopt;
      } else if (!Sizes.count(Name->Text)) {
        return std::nullopt; // said already, or nullptr
      }
    auto Result = Wrong.value(evaluate(E, Sizes));
    return Result ? std::optional<Value>({"", *Result}) : std::nullopt;
  }

  static std::string shown(const Value &V) {
    return V.Buffer.empty() ? V.Plus.str() : V.Plus == Number() ? V.Buffer : V.Buffer + " + " + V.Plus.str();
  }

  void resolveLink(const WorkloadText &Written) {
    const auto Parsed = llvm::expectedToOptional(parseLink(Written.Text));
    if (!Parsed)
      return Wrong.add(Written.Where, fmt::format("'{}' is no link", Written.Text),
                       "write PRODUCER.PARAMETER=CONSUMER.PARAMETER");
    const auto From = kernel(Parsed->From, Written), To = kernel(Parsed->To, Written);
    if (!From || !To)
      return;
    WorkloadLink Link{*From, *To, Parsed->Factors, Parsed->Parameter, false, Written.Where};
    if (Link.From == Link.To)
      return Wrong.add(Written.Where, fmt::format("'{}' links a kernel to itself", Written.Text));
    if (llvm::any_of(Result.Links, [&](const WorkloadLink &Other) {
          return Other.To == Link.To && Other.Parameter == Link.Parameter;
        }))
      return Wrong.add(Written.Where, fmt::format("{}.{} is linked twice", Parsed->To, Parsed->Parameter));
    const WorkloadArgument *Target = argument(Link.To, Link.Parameter, Written);
    const auto Wanted = Target ? valueOf(*Target->Value) : std::nullopt;
    std::optional<Value> Given;
    for (const std::string &Factor : Link.Factors) {
      unsigned Times = 0;
      const bool IsNumber = !llvm::StringRef(Factor).getAsInteger(10, Times);
      const WorkloadArgument *Source = IsNumber ? nullptr : argument(Link.From, Factor, Written);
      const auto Next = IsNumber ? Value{"", {Number::Integer(Times)}}
                        : Source ? valueOf(*Source->Value)
                                 : std::nullopt;
      if (!Next)
        return;
      if (Given &&
          (!Given->Plus.isInteger() || !Next->Plus.isInteger() || !Given->Buffer.empty() || !Next->Buffer.empty()))
        return Wrong.add(placeOf(Written, Factor), "integers alone are multiplied");
      Given = Given ? Value{"", {Given->Plus.integer() * Next->Plus.integer()}} : *Next;
    }
    if (!Wanted)
      return;
    if (!(*Given == *Wanted))
      return Wrong.add(
          Written.Where,
          fmt::format("'{}' links arguments that differ: {} and {}", Written.Text, shown(*Given), shown(*Wanted)),
          "give both kernels the same");
    Link.IsArray = !Given->Buffer.empty();
    Result.Links.push_back(std::move(Link));
  }

  void resolveDead(const WorkloadText &Written) {
    const auto [Name, Parameter] = llvm::StringRef(Written.Text).rsplit('.');
    if (Parameter.empty())
      return Wrong.add(Written.Where, fmt::format("'{}' is no intermediate", Written.Text), "write PRODUCER.PARAMETER");
    const auto Kernel = kernel(Name.str(), Written);
    const WorkloadArgument *A = Kernel ? argument(*Kernel, Parameter.str(), Written) : nullptr;
    const auto Array = A ? valueOf(*A->Value) : std::nullopt;
    if (!Array)
      return;
    if (llvm::none_of(Result.Links, [&](const WorkloadLink &Link) {
          return Link.IsArray && Link.From == *Kernel && Link.Factors.front() == Parameter;
        }))
      return Wrong.add(Written.Where, fmt::format("'{}' is no intermediate: no link leads from it", Written.Text));
    if (!llvm::is_contained(Result.Dead, Array->Buffer))
      Result.Dead.push_back(Array->Buffer);
  }

  /// What no kernel makes has its content from the file. What is dead is reset before each checked run, so that no run
  /// finds what another one has left there, and is not compared.
  void checkContents() {
    constexpr double NotMade = 77; // of every type, and not what kernels make of anything
    for (const WorkloadBuffer &Buffer : File.Buffers) {
      const bool IsDead = llvm::is_contained(Result.Dead, Buffer.Name);
      if (IsDead && (Buffer.Output || Buffer.HasInit))
        Wrong.add(Buffer.Where, fmt::format("'{}' is dead, and {}", Buffer.Name,
                                            Buffer.Output ? "so no output" : "so has no content to begin with"));
      if (!IsDead && !Buffer.Output && !Buffer.HasInit)
        Wrong.add(Buffer.Where,
                  fmt::format("'{}' is neither dead nor an output, so its content must be given", Buffer.Name),
                  "add `output: true`, `init: …`, or the kernel that makes it to `dead`");
      for (BufferSpec &Spec : Result.Buffers)
        if (IsDead && Spec.Name == Buffer.Name) {
          Spec.Init.What = Initializer::Constant;
          Spec.Init.A = NotMade;
          Spec.Accumulated = true;
        }
    }
  }

  const WorkloadFile &File;
  const Numbers &Sizes;
  Workload &Result;
  Complaints &Wrong;
};

} // namespace

void resolveLinks(const WorkloadFile &File, const Numbers &Sizes, Workload &Result, Complaints &Wrong) {
  LinkResolver(File, Sizes, Result, Wrong).run();
}

} // namespace cufuse
