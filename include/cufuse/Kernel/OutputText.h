// Text of an output in which something is still open. What is open is no character: whatever a user writes is text.
#pragma once

#include <fmt/core.h>
#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/StringRef.h>

#include <concepts>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace cufuse {

class OutputText {
public:
  /// What is filled in where the text is emitted.
  enum class Slot {
    Path,     ///< The namespace that holds the constituent's text.
    Name,     ///< The name that a declaration gives.
    Argument, ///< What stands before the name of an argument of the constituent's launch.
    Grid,     ///< The grid of that launch.
    Factor,   ///< By which the kernel's grid-stride loop is unrolled.
  };

  OutputText() = default;
  OutputText(std::string Text);
  OutputText(const char *Text) : OutputText(std::string(Text)) {}
  OutputText(Slot Open) { Parts.push_back({Open, false, {}}); }
  /// A value of the configuration, which `structure` leaves out.
  template <typename T> static OutputText constant(const T &Value) {
    OutputText Result;
    Result.Parts.push_back({std::nullopt, true, fmt::format("{}", Value)});
    return Result;
  }

  OutputText &operator+=(const OutputText &Behind);
  friend OutputText operator+(OutputText Front, const OutputText &Behind) { return std::move(Front += Behind); }
  bool operator==(const OutputText &) const = default;

  bool empty() const { return Parts.empty(); }
  bool has(Slot Open) const;
  /// With a value in every such slot. The value may have that slot, too.
  OutputText with(Slot Open, const OutputText &Value) const;
  /// With every such stretch of what is not open taken out.
  OutputText without(llvm::StringRef Stretch) const { return replaced(Stretch, ""); }
  /// With every such stretch of what is not open replaced.
  OutputText replaced(llvm::StringRef Stretch, const std::string &By) const;

  /// Nothing may be open.
  std::string text() const;
  std::string structure() const;
  /// What is written already.
  std::string written() const;

private:
  struct Part {
    std::optional<Slot> Open;
    bool IsConstant;
    std::string Text;
    bool operator==(const Part &) const = default;
  };
  void append(const Part &P);
  std::vector<Part> Parts; ///< No two plain texts follow each other.
};

OutputText joined(llvm::ArrayRef<OutputText> List, const OutputText &Between);
/// `Head` and a list, with line breaks before column 120 and an indent of `Indent` behind them.
OutputText wrapped(const OutputText &Head, llvm::ArrayRef<OutputText> List, const OutputText &Tail, size_t Indent);

/// What `CUFUSE_NAME` means in a file of CUDA text, or whether it is defined.
struct Given {
  llvm::StringRef Name;
  std::optional<OutputText> Text;
  Given(llvm::StringRef Name, OutputText Text) : Name(Name), Text(std::move(Text)) {}
  template <std::same_as<bool> Bool>
  Given(llvm::StringRef Name, Bool IsDefined)
      : Name(Name), Text(IsDefined ? std::optional(OutputText()) : std::nullopt) {}
};

/// The text of a file of lib/Cuda/, without its last line break, as the preprocessor would leave it if `CUFUSE_…` were
/// all it knew: `#ifdef CUFUSE_NAME`, `#ifndef`, `#else` and `#endif` choose lines, and a value stands wherever it is
/// named. A line that is `CUFUSE_NAME;` becomes lines, or none.
OutputText emitted(llvm::StringRef File, llvm::ArrayRef<Given> Values = {});

namespace detail {

template <typename T> constexpr bool IsOutputText = std::is_same_v<std::decay_t<T>, OutputText>;
/// What the format string is checked with.
template <typename T> using Formatted = std::conditional_t<IsOutputText<T>, std::string, T>;
/// An argument as text, by its format specification.
using Argument = std::function<OutputText(llvm::StringRef Specification)>;

template <typename T> Argument argument(const T &Value) {
  return [&Value](llvm::StringRef Specification) {
    if constexpr (IsOutputText<T>)
      return Value;
    else
      return OutputText(fmt::format(fmt::runtime(fmt::format("{{:{}}}", Specification.str())), Value));
  };
}
OutputText filled(llvm::StringRef Format, llvm::ArrayRef<Argument> Arguments);

} // namespace detail

/// As fmt::format, but without names of arguments.
template <typename... Values>
OutputText outputText(fmt::format_string<detail::Formatted<Values>...> Format, const Values &...Arguments) {
  if constexpr ((!detail::IsOutputText<Values> && ...))
    return fmt::vformat(Format, fmt::make_format_args(Arguments...));
  else
    return detail::filled({fmt::string_view(Format).data(), fmt::string_view(Format).size()},
                          {detail::argument(Arguments)...});
}

} // namespace cufuse
