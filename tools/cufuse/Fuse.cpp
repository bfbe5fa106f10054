#include "Commands.h"
#include "Outputs.h"

#include "cufuse/Compile/Nvcc.h"
#include "cufuse/Driver/CheckPaths.h"
#include "cufuse/Driver/Depfile.h"
#include "cufuse/Driver/Describe.h"
#include "cufuse/Driver/FromDatabase.h"
#include "cufuse/Driver/Products.h"
#include "cufuse/Plan/ConfigNames.h"
#include "cufuse/Support/Error.h"

#include <llvm/ADT/SmallVectorExtras.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/raw_ostream.h>

#include <cmath>
#include <limits>

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
    Counts.push_back({Name, TRY(parseCount(Value, What, Least))});
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
      Request.RegisterBudgets.push_back(TRY(parseCount(Each.str(), "a number of registers")));
    }
    return llvm::Error::success();
  }
  auto Count = TRY(parseCount(Text.str(), "none, free, bound, split=N:N or a number of registers"));
  Limit = {RegisterPolicy::Count, Count, 0};
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

/// Has the option take the names of an enumeration, `one|of|these` in its help.
template <typename Enum> CLI::Option *takes(CLI::Option *Option, llvm::ArrayRef<Named<Enum>> Table) {
  const auto Names = llvm::map_to_vector(Table, [](const Named<Enum> &One) { return One.Name.str(); });
  return Option->option_text(llvm::join(Names, "|"))->transform([Table, Names](const std::string &Text) {
    for (const Named<Enum> &One : Table)
      if (One.Name == Text)
        return std::to_string(static_cast<int>(One.Value));
    throw CLI::ValidationError(fmt::format("'{}' is none of {}", Text, llvm::join(Names, ", ")));
  });
}

/// Also of none.
bool isFileName(llvm::StringRef Name) {
  return !Name.starts_with(".") &&
         llvm::all_of(Name, [](char C) { return llvm::isAlnum(C) || llvm::StringRef("_-.").contains(C); });
}

constexpr Named<Step> StepNames[] = {{Step::Parse, "parse"}, {Step::Collect, "collect"}, {Step::Check, "check"},
                                     {Step::Plan, "plan"},   {Step::Emit, "emit"},       {Step::Verify, "verify"}};

/// What is for products of matrices, too; the workload says the rest.
constexpr llvm::StringLiteral OfProducts[] = {
    "KERNELS",      "--vertical", "--build",  "--arch",        "--reassociate",        "--output",
    "--name",       "--prelude",  "--apart",  "--apart-below", "--no-line-directives", "--depfile",
    "--stop-after", "--dry-run",  "--explain"};

struct Arguments {
  std::vector<std::string> Options; ///< The names of those that were given.
  std::vector<std::string> Kernels, Blocks, Copies, Turns, Resident, Unroll, Bindings, Links;
  std::string Registers = "none", Recompute = "1", Vectorize = "1";
  DatabaseQuery Tuned;
  bool NoLines = false, DryRun = false, Explain = false;
  FuseRequest Request;
};

/// Options that do not go together. Each is checked here and nowhere else.
llvm::Error checkCombination(const FuseRequest &R) {
  const VerticalOptions &C = R.Composition;
  const unsigned Width = C.Vectorize;
  const bool OtherLaunch = R.Shape != Geometry::Warps || R.Grid != GridPolicy::Match || Width > 1;
  const char *const ByLinks = "link the kernels with --link: these options are for kernels that depend on each other";
  const std::string OfAll = C.option();
  const struct {
    bool IsWrong;
    std::string Fact;
    const char *Remedy;
  } Rules[] = {
      {!R.Vertical && !R.Dead.empty(), "--dead needs --link", "write --link PRODUCER.out=CONSUMER.in, or --auto-link"},
      {!R.Groups.empty() && R.Groups.back() == 0, "'+' stands between kernels", "write A B + C D"},
      {!R.Groups.empty() && R.Links.empty(), "'+' needs --link", "write --link PRODUCER.out=CONSUMER.in"},
      {!R.Groups.empty() && (R.AutoLink || C.inMemoryOfAll()),
       "'+' goes without --auto-link, --cooperative, --last-block and --first-block",
       "leave them out: write --link PRODUCER.out=CONSUMER.in"},
      {C.Cooperative + C.LastBlock + C.FirstBlock > 1, OfAll + " goes without the others of them",
       "say one of --cooperative, --last-block and --first-block"},
      {!R.Vertical && Width > 1, "--vectorize needs --link", ByLinks},
      {!R.Vertical && C.inMemoryOfAll(), OfAll + " needs --link", ByLinks},
      {!R.Vertical && C.EvictLast, "--evict-last needs --link", ByLinks},
      {!R.Vertical && C.InRegisters, "--in-registers needs --link", ByLinks},
      {!R.Vertical && C.Reassociate, "--reassociate needs --link", ByLinks},
      {!R.Vertical && R.Distinct, "--distinct needs --link", "leave it out: kernels side by side may share memory"},
      {Width == 0 || Width > 16 || (Width & (Width - 1)) != 0, "--vectorize is not 1, 2, 4, 8 or 16",
       "a thread takes that many elements at a time"},
      {C.inMemoryOfAll() && OtherLaunch, OfAll + " goes without --geometry, --grid-policy and --vectorize",
       "leave them out: the kernels follow each other in blocks that fill the GPU once"},
      {C.inMemoryOfAll() && C.EvictLast, "--evict-last goes without " + OfAll, "leave out one of them"},
      {C.inMemoryOfAll() && C.InRegisters, "--in-registers goes without " + OfAll, "leave out one of them"},
      {C.inMemoryOfAll() && C.Reassociate, "--reassociate goes without " + OfAll, "leave out one of them"},
      {C.EvictLast && C.Reassociate, "--evict-last goes without --reassociate", "leave out one of them"},
      {C.inMemoryOfAll() && R.Distinct, "--distinct goes without " + OfAll,
       "leave it out: kernels that begin when others have ended may share memory"},
      {!isFileName(R.Prelude), "--prelude is the name of a file beside the output",
       "leave out the folder, and what is no letter, digit, '_', '-' or '.'"},
      {!R.Prelude.empty() && R.Name == "cufuse", "--prelude has the namespace 'cufuse'", "choose another --name"},
      {R.ApartBelow > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()),
       "--apart-below is a number of elements", "give one, 0 or more"},
      {!R.Depfile.empty() &&
           (llvm::StringRef(R.Output).contains(';') ||
            llvm::any_of(R.Kernels, [](const KernelSpec &K) { return llvm::StringRef(K.File).contains(';'); })),
       "--depfile cannot name a file with ';', at which Make begins a recipe", "rename it"},
      {R.ApartBelow > 0 && !R.Apart, "--apart-below needs --apart", "write --apart, too"},
      {R.Overlap && (R.Vertical || OtherLaunch || R.Apart || !R.Groups.empty() || !R.Copies.empty() ||
                     !R.Turns.empty() || !R.Resident.empty() || R.Tuned || R.StopAfter != Step::Write ||
                     R.Registers.Policy == RegisterPolicy::Split),
       "--overlap goes with --block, --bind, --unroll and --registers alone", "leave out the other options"},
      {R.Overlap && R.Kernels.size() < 2, "--overlap needs two kernels or more", "name them in their order"},
      {R.Vertical && !R.Turns.empty(), "--turns goes without --link", "leave it out"},
  };
  for (const auto &Rule : Rules)
    if (Rule.IsWrong)
      return badUsage(Rule.Fact, Rule.Remedy);
  return llvm::Error::success();
}

llvm::Expected<FuseRequest> request(const Arguments &Given, const Invocation &Invocation) {
  FuseRequest Request = Given.Request;
  Request.Flags.Written = Invocation.Flags;
  const llvm::StringRef Only = Given.Kernels.front();
  const bool IsWorkload = Given.Kernels.size() == 1 && (Only.ends_with(".yaml") || Only.ends_with(".yml"));
  const bool HasGroups = llvm::is_contained(Given.Kernels, "+");
  unsigned Group = 0;
  for (const std::string &Option : Given.Options)
    if (IsWorkload && !llvm::is_contained(OfProducts, Option))
      return badUsage(Option + " goes without products of matrices",
                      "leave it out: the workload says how they are linked and launched");
  if (IsWorkload)
    TRY(requestProducts(Given.Kernels.front(), Request));
  for (const std::string &Text : Given.Kernels) {
    if (IsWorkload)
      break;
    if (Text == "+") {
      if (Request.Groups.empty() || Request.Groups.back() != Group++)
        return badUsage("'+' stands between kernels", "write A B + C D");
      continue;
    }
    if (HasGroups)
      Request.Groups.push_back(Group);
    Request.Kernels.push_back(TRY(parseKernelSpec(Text)));
  }
  for (const std::string &Text : Given.Blocks) {
    const auto [Name, Value] = splitChoice(Text);
    Request.Blocks.push_back({Name, TRY(parseBlockShape(Value))});
  }
  TRY(parseCounts(Given.Copies, "a number of copies", Request.Copies));
  TRY(parseCounts(Given.Turns, "a number of turns", Request.Turns));
  TRY(parseCounts(Given.Resident, "a number of resident blocks", Request.Resident, 0));
  for (const std::string &Text : Given.Links) {
    Request.Links.push_back(TRY(parseLink(Text)));
  }
  if (llvm::StringRef(Given.Vectorize).getAsInteger(10, Request.Composition.Vectorize))
    Request.Composition.Vectorize = 0;
  if (Given.Recompute == "any")
    Request.Composition.Recompute.reset();
  else if (unsigned Times = 0; llvm::StringRef(Given.Recompute).getAsInteger(10, Times) || Times == 0)
    return badUsage(fmt::format("--recompute '{}' is neither a number of times nor 'any'", Given.Recompute));
  else
    Request.Composition.Recompute = Times;
  if (Request.Products.empty()) // the workload links these
    Request.AutoLink |= Request.Vertical && (Request.Links.empty() || Request.Groups.empty());
  Request.Vertical |= Request.AutoLink || !Request.Links.empty();
  TRY(checkCombination(Request));
  TRY(parseCounts(Given.Unroll, "a factor", Request.Unroll));
  TRY(parseRegisters(Given.Registers, Request));
  TRY(parseBindings(Given.Bindings, Request));
  Request.LineDirectives = !Given.NoLines;
  TRY(checkOutputNames(Request.Output, Request.Name));
  if (!Request.Flags.BuildDirectory.empty() && !Request.Flags.Written.empty())
    return badUsage("flags are given by -p and after `--`", "use one of them");
  return Request;
}

/// The same with each value of the lists that --block, --copies and --vectorize may have, and what tells it from the
/// others.
std::vector<std::pair<Arguments, std::string>> alternatives(const Arguments &Given) {
  std::vector<std::pair<Arguments, std::string>> All = {{Given, ""}};
  auto Lists = [](Arguments &Of) {
    std::vector<std::string *> Texts = {&Of.Vectorize};
    for (auto *Choices : {&Of.Copies, &Of.Blocks})
      if (Choices->size() == 1)
        Texts.insert(Texts.begin(), &Choices->front());
    return Texts;
  };
  for (size_t I = 0; I < Lists(All.front().first).size(); ++I) {
    std::vector<std::pair<Arguments, std::string>> Longer;
    for (auto &[Each, Suffix] : All) {
      const auto [Name, List] = splitChoice(*Lists(Each)[I]);
      const std::vector<std::string> Values = CLI::detail::split(List, ',');
      for (const std::string &Value : Values) {
        auto &[One, Own] = Longer.emplace_back(Each, Suffix + (Values.size() > 1 ? "_" + Value : ""));
        *Lists(One)[I] = Name.empty() ? Value : Name + "=" + Value;
      }
    }
    All = std::move(Longer);
  }
  return All;
}

/// Several outputs, and what launches them.
llvm::Error writeSeveral(SeveralOutputs Outputs, const FuseRequest &Whole, FileTime Began, const std::string &Toolkit) {
  if (!Whole.Depfile.empty()) {
    std::vector<LoadedKernel> Kernels;
    for (const FuseResult &Result : Outputs.Results)
      llvm::append_range(Kernels, Result.Kernels);
    Outputs.Files.push_back({Whole.Depfile, dependencyRule(Whole, Kernels, Toolkit)});
  }
  TRY(checkOutputs(llvm::map_to_vector(Outputs.Files, [](const OutputFile &File) { return File.Path; }), {}));
  TRY(writeOutputs(Outputs.Files, Whole, Began));
  if (!Whole.Depfile.empty())
    return llvm::Error::success();
  for (const auto &[Request, Result] : llvm::zip(Outputs.Requests, Outputs.Results))
    llvm::outs() << written(Request, Result);
  FuseResult &First = Outputs.Results.front();
  First.HeaderPath = headerOf(Whole.Output);
  llvm::outs() << written(Whole, First);
  return llvm::Error::success();
}

/// Outputs of which the launch takes one.
llvm::Error runBySize(llvm::ArrayRef<std::pair<Arguments, std::string>> All, const Invocation &Invocation) {
  std::vector<FuseRequest> Requests;
  for (const auto &[Given, Suffix] : All) {
    auto Request = TRY(request(Given, Invocation));
    Request.Command = Invocation.Command;
    Requests.push_back(std::move(Request));
  }
  const FuseRequest Whole = Requests.front();
  if (!Whole.Vertical || Whole.Name.empty() || Whole.StopAfter != Step::Write || All.front().first.DryRun)
    return badUsage("a list of blocks is for kernels with links and a --name, without --dry-run and --stop-after",
                    "say one block");
  for (const auto &[Request, Each] : llvm::zip(Requests, All)) {
    Request.Name += Each.second;
    Request.Output.insert(Request.Output.size() - llvm::StringRef(".cu").size(), Each.second);
    if (!Request.Depfile.empty()) // there is one for all
      Request.Depfile += Each.second;
    Request.Apart = false;
    Request.ApartBelow = 0;
  }
  auto Tools = TRY(findToolchain(Invocation.Program, sayNote));
  const FileTime Began = beginning(Whole);
  auto Fused = TRY(fuseBySize(Tools, std::move(Requests), Whole, sayNote));
  if (const std::string &Note = Fused.Results.front().Kernels.front().Text.Note; !Note.empty())
    sayNote(Note);
  return writeSeveral(std::move(Fused), Whole, Began, Tools.CudaPath);
}

llvm::Error run(const Arguments &Given, const Invocation &Invocation) {
  if (const auto All = alternatives(Given); All.size() > 1)
    return runBySize(All, Invocation);
  auto Request = TRY(request(Given, Invocation));
  Request.Command = Invocation.Command;
  if (Request.Overlap && Given.DryRun)
    return badUsage("--overlap goes without --dry-run", "leave it out");
  if (!std::isfinite(Given.Tuned.RequiredSpeedup) || Given.Tuned.RequiredSpeedup < 0)
    return badUsage(fmt::format("--require-speedup {} is not possible", Given.Tuned.RequiredSpeedup),
                    "give a number, 0 or more");
  auto Tools = TRY(findToolchain(Invocation.Program, sayNote));
  const FileTime Began = beginning(Request);
  if (Request.Overlap)
    return writeSeveral(TRY(fuseOverlapped(Tools, Request, sayNote)), Request, Began, Tools.CudaPath);
  llvm::append_range(Request.OtherInputs, Given.Tuned.Workloads);
  Request.OtherInputs.push_back(Given.Tuned.Path);
  if (!Given.Tuned.Path.empty()) {
    NvccCompiler Nvcc(Tools.Nvcc, Tools.Cache);
    Request.Tuned = Given.Tuned;
    Request.Tuned->Tools = toolsHash(Nvcc, CUFUSE_VERSION);
  }
  auto Result = TRY(fuse(Tools, Request, sayNote));

  if (Given.Explain)
    for (const std::string &Line : Result.Explanation)
      llvm::errs() << "cufuse: " << Line << '\n';
  for (const LoadedKernel &Kernel : Result.Kernels)
    if (!Kernel.Text.Note.empty())
      sayNote(Kernel.Text.Note);
  switch (Request.StopAfter) {
  case Step::Parse:
    for (const LoadedKernel &Kernel : Result.Kernels)
      llvm::outs() << Kernel.Facts.Signature << '\n';
    break;
  case Step::Collect:
  case Step::Check:
    llvm::outs() << describe(Result.Kernels);
    break;
  case Step::Plan:
    llvm::outs() << describe(Result.Plan, Result.Kernels);
    break;
  case Step::Emit:
  case Step::Verify:
    llvm::outs() << Result.Fused.Source;
    break;
  case Step::Write:
    if (Given.DryRun) {
      llvm::outs() << describe(Result.Plan, Result.Kernels);
      break;
    }
    std::vector<OutputFile> Files = {{Request.Output, Result.Fused.Source}, {Result.HeaderPath, Result.Fused.Header}};
    if (!Request.Depfile.empty())
      Files.push_back({Request.Depfile, dependencyRule(Request, Result.Kernels, Tools.CudaPath)});
    if (!Request.Prelude.empty())
      Files.push_back({preludeOf(Request), preludeText()});
    TRY(writeOutputs(Files, Request, Began));
    for (const std::string &Fact : Result.Tuned)
      llvm::outs() << Fact << '\n';
    if (Request.Depfile.empty())
      llvm::outs() << written(Request, Result);
    break;
  }
  return llvm::Error::success();
}

} // namespace

std::function<llvm::Error()> addFuse(CLI::App &App, const Invocation &Invocation) {
  auto Given = std::make_shared<Arguments>();
  FuseRequest &Request = Given->Request;
  CLI::App &Command = *App.add_subcommand("fuse", "Make one kernel of several.");
  Command.footer("Examples:\n"
                 "  cufuse fuse histogram.cu:'histogram<float>' im2col.cu:'im2colKernel<float>' \\\n"
                 "      --block 256 --block 256 --name fused -o fused.cu -- -std=c++17\n"
                 "  cufuse fuse bias.cu:addBias gelu.cu:gelu --link addBias.out=gelu.in --link addBias.n=gelu.n \\\n"
                 "      --dead addBias.out --block 256 -o fused.cu");
  // One option, of one value each time that it is given.
  auto Several = [](CLI::Option *Option, const char *Value) {
    return Option->option_text(Value)->take_all()->allow_extra_args(false);
  };
  auto In = [](const char *Group, std::initializer_list<CLI::Option *> Options) {
    for (CLI::Option *Each : Options)
      Each->group(Group);
  };

  Command
      .add_option("KERNELS", Given->Kernels,
                  "FILE.cu:KERNEL or FILE.cu:@LINE, two or more, with + between groups that run side by side; nvcc's "
                  "flags for them go after `--`")
      ->option_text("...")
      ->required();
  In("Kernels",
     {Command
          .add_option("-p,--build", Request.Flags.BuildDirectory, "Take the flags from FOLDER/compile_commands.json")
          ->option_text("FOLDER"),
      Command
          .add_option("--arch", Request.Flags.Arch, "Architecture, like sm_80 (default: from the flags, else sm_90a)")
          ->option_text("ARCH"),
      Several(Command.add_option(
                  "--block", Given->Blocks,
                  "A kernel's block: 256, 32x8 or 8x8x4 (default: from its launches or launch bounds); of a list, "
                  "128,256, the launch takes one by its size, as of --copies and --vectorize"),
              "[NAME=]SHAPE"),
      Several(Command.add_option("--unroll", Given->Unroll, "Unroll a kernel's grid-stride loop N times"), "[NAME=]N"),
      Several(Command.add_option("--bind", Given->Bindings,
                                 "Compile for this argument; the launcher takes the general kernel for others"),
              "NAME.PARAMETER=VALUE"),
      Command
          .add_option(
              "--registers", Given->Registers,
              "Per thread: none (ptxas decides), free (as one resident block allows), bound (HFUSE's bound), at "
              "most N, or split=N:N (for each kernel, sm_90a)")
          ->option_text("none|free|bound|N|split=N:N")});

  In("Independent kernels, side by side (horizontal)",
     {takes<Geometry>(
          Command.add_option("--geometry", Request.Shape,
                             "warps: each kernel has threads of every block; blocks: each has blocks of its own; "
                             "threads: the same threads run one after the other (default: warps)"),
          GeometryNames),
      takes<GridPolicy>(Command.add_option(
                            "--grid-policy", Request.Grid,
                            "match: as many blocks as the kernels need; stride: fill the GPU once, and loop; pool: the "
                            "same, but take the next block that is left (default: match)"),
                        GridPolicyNames),
      Several(Command.add_option("--copies", Given->Copies, "Blocks of a kernel in one fused block"), "[NAME=]N"),
      Several(Command.add_option("--turns", Given->Turns,
                                 "Blocks of a kernel that the same threads run in sequence, for --geometry threads"),
              "[NAME=]N"),
      Several(Command.add_option("--resident", Given->Resident,
                                 "Blocks per multiprocessor, for stride and pool (default: what fits); with --geometry "
                                 "blocks, those of one kernel (default: 1), 0 for one that has as many as it needs"),
              "[NAME=]N")});

  In("Dependent kernels, one after the other (vertical)",
     {Several(
          Command.add_option("--link", Given->Links,
                             "What one kernel stores is what the other loads; A.n=B.n, A.m*n=B.count: equal numbers"),
          "A.OUT=B.IN"),
      Command.add_flag(
          "--auto-link", Request.AutoLink,
          "And what the launches in the kernels' files hand to two kernels; it says which links these are"),
      Several(Command.add_option("--dead", Request.Dead, "An intermediate that nothing else reads is not stored"),
              "[NAME.]OUT"),
      Command.add_flag(
          "--distinct", Request.Distinct,
          "Pointers lead to distinct memory, as if all were __restrict__; the launcher refuses equal ones"),
      Command
          .add_option(
              "--vectorize", Given->Vectorize,
              "Of pointwise kernels: elements that a thread takes at a time (default: 1); in turn by threads: blocks")
          ->option_text("1|2|4|8|16"),
      Command
          .add_option("--recompute", Given->Recompute,
                      "How often an element may be computed where a kernel loads it (default: 1)")
          ->option_text("N|any"),
      Command.add_flag("--evict-last", Request.Composition.EvictLast,
                       "Of kernels by row: load rows with L2's priority evict_last"),
      Command.add_flag("--reassociate", Request.Composition.Reassociate,
                       "Of kernels by row: sums may be taken in another order, 16 bytes of a row at a time"),
      Command.add_flag("--in-registers", Request.Composition.InRegisters,
                       "Refuse what would hand intermediates on in memory"),
      Command.add_flag("--cooperative", Request.Composition.Cooperative,
                       "A cooperative launch with a barrier of the grid between the kernels; for any kernels"),
      Command.add_flag(
          "--last-block", Request.Composition.LastBlock,
          "The last block that has played the first kernel plays the others, of few blocks; for any kernels"),
      Command.add_flag(
          "--first-block", Request.Composition.FirstBlock,
          "The first block plays all kernels but the last, of few blocks, while the others wait; for any kernels"),
      Command.add_flag("--overlap", Request.Overlap,
                       "A launch of each kernel, which begins while the one before it ends; for any kernels")});
  // What --link says already; alone, it is --auto-link.
  Command.add_flag("--vertical", Request.Vertical)->group("");

  CLI::Option *FromDatabase = Command
                                  .add_option("--from-db", Given->Tuned.Path,
                                              "Fuse as `cufuse tune` found best; status 4 where that was not to fuse")
                                  ->option_text("FILE.db");
  for (const char *Choice : {"--vertical", "--link", "--auto-link", "--block", "--copies", "--turns", "--geometry",
                             "--grid-policy", "--resident", "--registers", "--unroll", "--bind"})
    FromDatabase->excludes(Choice);
  CLI::Option *Workload =
      Several(Command.add_option("--workload", Given->Tuned.Workloads,
                                 "The result for these workload files, in order (default: those tuned last)"),
              "FILE.yaml")
          ->needs(FromDatabase);
  In("A tuned configuration",
     {FromDatabase,
      Command
          .add_option("--gpu", Given->Tuned.Gpu, "The result for this GPU, like 'NVIDIA H200' (default: the latest)")
          ->option_text("NAME")
          ->needs(FromDatabase),
      Workload,
      Several(Command.add_option("--set", Given->Tuned.Settings, "A size of the workload, as it was tuned"),
              "NAME=VALUE")
          ->needs(Workload),
      Command
          .add_option("--require-speedup", Given->Tuned.RequiredSpeedup,
                      "How many times as fast as the best without fusion (default: 1.02)")
          ->option_text("FACTOR")
          ->needs(FromDatabase)});

  In("Output",
     {Command.add_option("-o,--output", Request.Output, "Where to write; the launcher's header is OUT.h beside it")
          ->option_text("OUT.cu (required)")
          ->required(),
      Command.add_option("--name", Request.Name, "Namespace of the result (default: the kernels' names)")
          ->option_text("NAME"),
      Command.add_option("--prelude", Request.Prelude, "What outputs share goes into this header, beside OUT.cu")
          ->option_text("NAME"),
      Command.add_flag("--apart", Request.Apart,
                       "`launch` takes what launches the kernels themselves, too, for where they cannot run as one"),
      Command.add_option("--apart-below", Request.ApartBelow, "And does so for less elements than these")
          ->option_text("N"),
      Command.add_flag("--no-line-directives", Given->NoLines, "Leave out #line"),
      Command.add_option("--depfile", Request.Depfile, "Write what the output depends on, as a rule of Make")
          ->option_text("FILE"),
      takes<Step>(Command.add_option("--stop-after", Request.StopAfter, "Print what this step made, and write nothing"),
                  StepNames),
      Command.add_flag("--dry-run", Given->DryRun, "Do everything but write; print the plan"),
      Command.add_flag("--explain", Given->Explain, "Say on stderr what was decided, and why")});
  return [Given, &Invocation, &Command] {
    for (const CLI::Option *Each : Command.get_options([](const CLI::Option *Option) { return Option->count() > 0; }))
      Given->Options.push_back(Each->get_name());
    return run(*Given, Invocation);
  };
}

} // namespace cufuse
