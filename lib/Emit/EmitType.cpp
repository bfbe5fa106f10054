#include "Parts.h"

#include "EmittedCuda.h"

#include <fmt/core.h>

namespace cufuse {

void emitType(Writer &Out, const ArgumentType &T, const std::string &Space) {
  for (const std::string &Namespace : T.Namespaces)
    Out.line("namespace {} {{", Namespace);
  if (T.Packing)
    Out.line("#pragma pack(push, {})", T.Packing);
  std::vector<OutputText> Fields;
  std::string Same, Places;
  for (const ArgumentType::Field &Field : T.Fields ? *T.Fields : std::vector<ArgumentType::Field>()) {
    Fields.push_back(outputText("  {};", Field.Declaration.with(OutputText::Slot::Path, Space)));
    if (!Field.Offset)
      continue;
    Same += fmt::format(" &&\n                      __builtin_offsetof(Value, {}) == {}", Field.Name, *Field.Offset);
    Places += fmt::format(" &&\n                  __builtin_offsetof({}, {}) == {}", T.Name, Field.Name, *Field.Offset);
  }
  if (!T.Fields) {
    Fields.push_back(fmt::format("  alignas({}) unsigned char ofValue[{}];", T.Alignment, T.Bytes));
    Fields.push_back(
        fmt::format("  {0}() = default;\n  template <typename T> {0}(const T &value) {{ *this = value; }}", T.Name));
  }
  if (T.IsPointer)
    Fields.push_back(fmt::format("  {}(std::nullptr_t) : ofValue{{}} {{}}", T.Name));
  Out.write(
      emitted(cuda::ArgumentType,
              {{"HEAD", (T.Fields && T.IsAligned ? fmt::format("alignas({}) ", T.Alignment) : "") + T.Name},
               {"NAME", T.Name},
               {"FIELDS", joined(Fields, "\n")},
               {"TAKEN", llvm::StringRef(T.Kind).starts_with("is_enum") ? "const T &"
                                                                        : "T &&"}, // a bit-field may be an enumerator
               {"KIND", T.Kind},
               {"BYTES", std::to_string(T.Bytes)},
               {"ALIGNMENT", std::to_string(T.Alignment)},
               {"SAME", Same},
               {"PLACES", Places}}));
  if (T.Packing)
    Out.write("#pragma pack(pop)");
  for (size_t I = 0; I < T.Namespaces.size(); ++I)
    Out.write("}");
}

} // namespace cufuse
