#include "Commands.h"

#include "cufuse/Driver/Describe.h"
#include "cufuse/Driver/FromDatabase.h"
#include "cufuse/Fusion/ConfigNames.h"
#include "cufuse/Support/FileStore.h"

#include <llvm/Support/raw_ostream.h>

namespace cufuse {

namespace {

/// `NAME=VALUE` or `VALUE`. Template arguments may hold `=` only inside brackets.
std::pair<std::string, std::string> splitChoice(const std::string &Text) {
  const size_t At = Text.rfind('=');
  return At == std::string::npos ? std::pair(std::string(), Text) : std::pair(Text.substr(0, At), Text.substr(At + 1));
}

llvm::Expected<unsigned> parseCount(const std::string &Text, const char *What, unsigned Least = 1) {
  unsigned Count = 0;
  if (llvm::StringRef(Text).getAsInteger(10, Count) || Count < Least || Count > MaxCount)
    return badUsage(fmt::format("'{}' is not {}", Text, What), fmt::format("use {} to {}", Least, MaxCount));
  return Count;
}

llvm::Error parseCounts(const std::vector<std::string> &Texts, const char *What, std::vector<Choice<unsigned>> &Counts,
                        unsigned Least = 1) {
  for (const std::string &Text : Texts) {
    const auto [Name, Value] = splitChoice(Text);
    auto Count = parseCount(Value, What, Least);
    if (!Count)
      return Count.takeError();
    Counts.push_back({Name, *Count});
  }
  return llvm::Error::success();
}

/// `none`, `free`, `bound`, a number, or `split=` and budgets.
llvm::Error parseRegisters(llvm::StringRef Text, FuseRequest &Request) {
  RegisterLimit &Limit = Request.Registers;
  for (const RegisterPolicy Whole : {RegisterPolicy::None, RegisterPolicy::Free, RegisterPolicy::Bound})
    if (Text == nameOf(Whole)) {
      Limit.Policy = Whole;
      return llvm::Error::success();
    }
  if (Text.consume_front((nameOf(RegisterPolicy::Split) + "=").str())) {
    Limit.Policy = RegisterPolicy::Split;
    llvm::SmallVector<llvm::StringRef> Budgets;
    Text.split(Budgets, ':');
    for (llvm::StringRef Each : Budgets) {
      auto Count = parseCount(Each.str(), "a number of registers");
      if (!Count)
        return Count.takeError();
      Request.RegisterBudgets.push_back(*Count);
    }
    return llvm::Error::success();
  }
  auto Count = parseCount(Text.str(), "none, free, bound, split=N:N or a number of registers");
  if (!Count)
    return Count.takeError();
  Limit = {RegisterPolicy::Count, *Count, 0};
  return llvm::Error::success();
}

/// `NAME.parameter=VALUE`
llvm::Error parseBindings(const std::vector<std::string> &Texts, FuseRequest &Request) {
  for (const std::string &Text : Texts) {
    const auto [Place, Value] = splitChoice(Text);
    const auto [Name, Parameter] = llvm::StringRef(Place).rsplit('.');
    if (Name.empty() || Parameter.empty() || Value.empty())
      return badUsage(fmt::format("'{}' is not NAME.parameter=VALUE", Text));
    Request.Bound.push_back({Name.str(), {Parameter.str(), Value}});
  }
  return llvm::Error::success();
}

/// A rule of Make: the output depends on everything that was read.
std::string dependencyRule(const std::string &Output, llvm::ArrayRef<LoadedKernel> Kernels) {
  auto Escaped = [](const std::string &Path) {
    std::string Text;
    for (char C : Path) {
      if (C == ' ' || C == '#')
        Text += '\\';
      if (C == '$')
        Text += '$';
      Text += C;
    }
    return Text;
  };
  std::string Rule = Escaped(Output) + ":";
  std::set<std::string> Seen;
  for (const LoadedKernel &Kernel : Kernels)
    for (const std::string &File : Kernel.Text.Dependencies)
      if (Seen.insert(File).second)
        Rule += " \\\n  " + Escaped(File);
  return Rule + "\n";
}

template <typename Enum> CLI::CheckedTransformer spellings(llvm::ArrayRef<Named<Enum>> Table) {
  std::map<std::string, Enum> Values;
  for (const Named<Enum> &One : Table)
    Values.emplace(One.Name.str(), One.Value);
  return CLI::CheckedTransformer(std::move(Values));
}

struct Arguments {
  std::vector<std::string> Kernels, Blocks, Copies, Turns, Resident, Unroll, Bindings, Links;
  std::string Registers = "none", Recompute = "1";
  DatabaseQuery Tuned;
  bool NoLines = false, DryRun = false, Explain = false;
  FuseRequest Request;
};

llvm::Expected<FuseRequest> request(const Arguments &Given, const Invocation &Invocation) {
  FuseRequest Request = Given.Request;
  Request.Flags.Written = Invocation.Flags;
  for (const std::string &Text : Given.Kernels) {
    auto Spec = parseKernelSpec(Text);
    if (!Spec)
      return Spec.takeError();
    Request.Kernels.push_back(*Spec);
  }
  for (const std::string &Text : Given.Blocks) {
    const auto [Name, Value] = splitChoice(Text);
    auto Shape = parseBlockShape(Value);
    if (!Shape)
      return Shape.takeError();
    Request.Blocks.push_back({Name, *Shape});
  }
  if (llvm::Error Error = parseCounts(Given.Copies, "a number of copies", Request.Copies))
    return std::move(Error);
  if (llvm::Error Error = parseCounts(Given.Turns, "a number of turns", Request.Turns))
    return std::move(Error);
  if (llvm::Error Error = parseCounts(Given.Resident, "a number of resident blocks", Request.Resident, 0))
    return std::move(Error);
  for (const std::string &Text : Given.Links) {
    auto Link = parseLink(Text);
    if (!Link)
      return Link.takeError();
    Request.Links.push_back(std::move(*Link));
  }
  if (Request.Vertical ? Request.Links.empty() : !Request.Links.empty() || !Request.Dead.empty())
    return badUsage("--vertical, and --link or --dead, go together",
                    "write --vertical A.cu:producer B.cu:consumer --link producer.out=consumer.in");
  if (Given.Recompute == "any")
    Request.Composition.Recompute.reset();
  else if (unsigned Times = 0; llvm::StringRef(Given.Recompute).getAsInteger(10, Times) || Times == 0)
    return badUsage(fmt::format("--recompute '{}' is neither a number of times nor 'any'", Given.Recompute));
  else
    Request.Composition.Recompute = Times;
  if (const unsigned Width = Request.Composition.Vectorize;
      Width == 0 || Width > 16 || (Width & (Width - 1)) != 0 || (Width > 1 && !Request.Vertical))
    return badUsage(fmt::format("--vectorize {} is not possible", Width),
                    "with --vertical, a thread may take 1, 2, 4, 8 or 16 elements");
  if (Request.Composition.Cooperative) {
    if (!Request.Vertical)
      return badUsage("--cooperative is for --vertical");
    if (Request.Shape != Geometry::Warps || Request.Order != ThreadOrder::Sequence ||
        Request.Grid != GridPolicy::Match || Request.Composition.Vectorize > 1)
      return badUsage("--cooperative goes without --geometry, --order, --grid-policy and --vectorize",
                      "the kernels follow each other in blocks that fill the GPU once");
  }
  if (Request.Composition.EvictLast && (!Request.Vertical || Request.Composition.Cooperative))
    return badUsage("--evict-last is for --vertical, without --cooperative");
  if (Request.Distinct && !Request.Vertical)
    return badUsage("--distinct is for --vertical", "kernels side by side may share memory");
  if (Request.Distinct && Request.Composition.Cooperative)
    return badUsage("--distinct goes without --cooperative", "kernels with a barrier between may share memory");
  if (Request.Vertical && !Request.Copies.empty())
    return badUsage("--copies is not for --vertical");
  if (Request.Vertical && !Request.Turns.empty())
    return badUsage("--turns is not for --vertical");
  if (llvm::Error Error = parseCounts(Given.Unroll, "a factor", Request.Unroll))
    return std::move(Error);
  if (llvm::Error Error = parseRegisters(Given.Registers, Request))
    return std::move(Error);
  if (llvm::Error Error = parseBindings(Given.Bindings, Request))
    return std::move(Error);
  Request.LineDirectives = !Given.NoLines;
  llvm::StringRef Name = Request.Name;
  if (!Name.empty() && (isdigit(Name[0]) || Name.find_if([](char C) { return !isalnum(C) && C != '_'; }) != Name.npos))
    return badUsage(fmt::format("'{}' is not a C++ name", Request.Name));
  if (!Request.Flags.BuildDirectory.empty() && !Request.Flags.Written.empty())
    return badUsage("flags are given by -p and after `--`", "use one of them");
  if (!llvm::StringRef(Request.Output).ends_with(".cu"))
    return badUsage(fmt::format("the output '{}' does not end in .cu", Request.Output),
                    "the header is written beside it, as .h");
  return Request;
}

llvm::Error run(const Arguments &Given, const Invocation &Invocation) {
  auto Request = request(Given, Invocation);
  if (!Request)
    return Request.takeError();
  Request->Command = Invocation.Command;
  auto Tools = findToolchain(Invocation.Program);
  if (!Tools)
    return Tools.takeError();
  Request->OtherInputs = Given.Tuned.Workloads;
  Request->OtherInputs.push_back(Given.Tuned.Path);
  if (!Given.Tuned.Path.empty()) {
    NvccCompiler Nvcc(Tools->Nvcc, /*CacheFolder=*/"");
    Request->Tuned = Given.Tuned;
    Request->Tuned->Tools = toolsHash(Nvcc, CUFUSE_VERSION);
  }
  auto Result = fuse(*Tools, *Request);
  if (!Result)
    return Result.takeError();

  if (Given.Explain)
    for (const std::string &Line : Result->Explanation)
      llvm::errs() << "cufuse: " << Line << '\n';
  switch (Request->StopAfter) {
  case Step::Parse:
    for (const LoadedKernel &Kernel : Result->Kernels)
      llvm::outs() << Kernel.Facts.Signature << '\n';
    break;
  case Step::Collect:
  case Step::Check:
    llvm::outs() << describe(Result->Kernels);
    break;
  case Step::Plan:
    llvm::outs() << describe(Result->Plan, Result->Kernels);
    break;
  case Step::Emit:
  case Step::Verify:
    llvm::outs() << Result->Fused.Source;
    break;
  case Step::Write:
    if (Given.DryRun) {
      llvm::outs() << describe(Result->Plan, Result->Kernels);
      break;
    }
    std::vector<OutputFile> Files = {{Request->Output, Result->Fused.Source},
                                     {Result->HeaderPath, Result->Fused.Header}};
    if (!Request->Depfile.empty())
      Files.push_back({Request->Depfile, dependencyRule(Request->Output, Result->Kernels)});
    if (llvm::Error Error = writeFiles(Files))
      return Error;
    for (const std::string &Fact : Result->Tuned)
      llvm::outs() << Fact << '\n';
    break;
  }
  return llvm::Error::success();
}

} // namespace

std::function<llvm::Error()> addFuse(CLI::App &App, const Invocation &Invocation) {
  auto Given = std::make_shared<Arguments>();
  CLI::App &Command = *App.add_subcommand("fuse", "Write one kernel that plays several side by side.");
  Command.add_option("KERNELS", Given->Kernels, "FILE.cu:KERNEL or FILE.cu:@LINE; nvcc's flags for them go after `--`")
      ->required();
  Command.add_flag("--vertical", Given->Request.Vertical,
                   "Consumers inlined where their producer stores, instead of kernels side by side");
  Command
      .add_option("--link", Given->Links,
                  "PRODUCER.OUT=CONSUMER.IN: what one stores is what the other loads; A.n=B.n or A.m*n=B.count: an "
                  "argument of both")
      ->take_all()
      ->allow_extra_args(false);
  Command.add_option("--dead", Given->Request.Dead, "[PRODUCER.]OUT: an intermediate that nothing else reads")
      ->take_all()
      ->allow_extra_args(false);
  Command.add_flag(
      "--distinct", Given->Request.Distinct,
      "With --vertical: pointers lead to distinct memory, as if all were __restrict__; the launcher refuses "
      "equal ones");
  Command.add_option(
      "--vectorize", Given->Request.Composition.Vectorize,
      "With --vertical, of pointwise kernels: elements that a thread takes at a time (1), in accesses of "
      "up to 16 bytes");
  Command.add_option(
      "--recompute", Given->Recompute,
      "With --vertical: how often an element of an intermediate may be computed where a kernel that is not "
      "pointwise loads it (1), or any");
  Command.add_flag(
      "--evict-last", Given->Request.Composition.EvictLast,
      "With --vertical, of kernels by row: rows are loaded with L2's priority evict_last, which can be faster for "
      "what is much larger than L2, and leaves less of L2 to the kernels after it");
  Command.add_flag("--cooperative", Given->Request.Composition.Cooperative,
                   "With --vertical: one after the other in a cooperative launch, with a barrier of the whole grid "
                   "between; intermediates stay in memory, and any element may be loaded");
  Command.add_option("-o,--output", Given->Request.Output, "OUT.cu; the launcher's header is OUT.h beside it")
      ->required();
  Command.add_option("-p,--build", Given->Request.Flags.BuildDirectory, "Folder with compile_commands.json");
  Command.add_option("--arch", Given->Request.Flags.Arch,
                     "Architecture, like sm_80 or sm_90a (default: from the flags, else sm_90a)");
  Command
      .add_option("--block", Given->Blocks,
                  "[NAME=]256, 32x8 or 8x8x4: block of a kernel (default: from its launches or launch bounds)")
      ->take_all()
      ->allow_extra_args(false);
  Command.add_option("--copies", Given->Copies, "[NAME=]COUNT: blocks of a kernel in one fused block")
      ->take_all()
      ->allow_extra_args(false);
  Command
      .add_option("--turns", Given->Turns,
                  "[NAME=]COUNT: times that a block plays a kernel, for --geometry threads in one shot")
      ->take_all()
      ->allow_extra_args(false);
  Command
      .add_option(
          "--geometry", Given->Request.Shape,
          "warps: kernels side by side in every block (default); blocks: every block plays one of them; threads: "
          "the same threads play one after the other")
      ->transform(spellings<Geometry>(GeometryNames));
  Command
      .add_option(
          "--order", Given->Request.Order,
          "For threads: sequence, alternating (a block of each in turn) or opposite (half of the blocks play the "
          "kernels backwards)")
      ->transform(spellings<ThreadOrder>(ThreadOrderNames));
  Command
      .add_option(
          "--grid-policy", Given->Request.Grid,
          "match: a fused block per block of the largest kernel, or of every kernel for blocks (default); stride: "
          "fill the GPU once, and loop; pool: the same, each taking the next block that is left")
      ->transform(spellings<GridPolicy>(GridPolicyNames));
  Command
      .add_option("--resident", Given->Resident,
                  "COUNT: fused blocks per multiprocessor for stride and pool (default: what fits); [NAME=]COUNT for "
                  "blocks: those that play a kernel (default: 1), 0 for one that follows in as many as it has itself")
      ->take_all()
      ->allow_extra_args(false);
  Command.add_option(
      "--registers", Given->Registers,
      "none, free (one resident block is enough), bound (as many resident blocks as alone), a number per "
      "thread, or split=N:N, a number for each kernel");
  Command.add_option("--unroll", Given->Unroll, "[NAME=]FACTOR: unroll a kernel's grid-stride loop")
      ->take_all()
      ->allow_extra_args(false);
  Command
      .add_option("--bind", Given->Bindings,
                  "NAME.PARAMETER=VALUE: compile for this argument; the launcher takes the general kernel for another")
      ->take_all()
      ->allow_extra_args(false);
  CLI::Option *FromDatabase =
      Command
          .add_option(
              "--from-db", Given->Tuned.Path,
              "The configuration that `cufuse tune` found for these kernels and flags; status 4 where that was not "
              "to fuse, 1 where there is none")
          ->type_name("FILE.db");
  for (const char *Choice : {"--vertical", "--block", "--copies", "--turns", "--geometry", "--order", "--grid-policy",
                             "--resident", "--registers", "--unroll", "--bind"})
    FromDatabase->excludes(Choice);
  Command.add_option("--gpu", Given->Tuned.Gpu, "With --from-db: tuned on this one, as `NVIDIA H200` (default: any)")
      ->needs(FromDatabase);
  CLI::Option *Workload = Command
                              .add_option("--workload", Given->Tuned.Workloads,
                                          "With --from-db: tuned for these workload files, in order (default: any)")
                              ->type_name("FILE.yaml")
                              ->allow_extra_args(false)
                              ->needs(FromDatabase);
  Command.add_option("--set", Given->Tuned.Settings, "A size of the workload, as it was tuned")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false)
      ->needs(Workload);
  Command.add_option("--name", Given->Request.Name, "Namespace of the result (default: the kernels' names)");
  Command.add_flag("--no-line-directives", Given->NoLines, "Leave out #line");
  Command.add_option("--depfile", Given->Request.Depfile, "Write what the output depends on, as a rule of Make");
  const std::map<std::string, Step> Steps = {{"parse", Step::Parse}, {"collect", Step::Collect},
                                             {"check", Step::Check}, {"plan", Step::Plan},
                                             {"emit", Step::Emit},   {"verify", Step::Verify}};
  Command.add_option("--stop-after", Given->Request.StopAfter, "Print what this step made, and write nothing")
      ->transform(CLI::CheckedTransformer(Steps));
  Command.add_flag("--dry-run", Given->DryRun, "Do everything but write; print the plan");
  Command.add_flag("--explain", Given->Explain, "Say on stderr what was decided, and why");
  return [Given, &Invocation] { return run(*Given, Invocation); };
}

} // namespace cufuse
