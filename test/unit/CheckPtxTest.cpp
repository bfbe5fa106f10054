// What the check of compiled outputs sees in PTX, and what it refuses.
#include "cufuse/Ptx/CheckPtx.h"
#include "cufuse/Ptx/PtxTable.h"
#include "cufuse/Support/Error.h"

#include <gmock/gmock.h>

namespace cufuse {
namespace {

using testing::HasSubstr;

/// Two partitions of 256 and 128 threads, with barriers 1 and 2.
PtxExpectation plan() {
  PtxExpectation Plan;
  Plan.Name = "f";
  Plan.Threads = 384;
  Plan.Barriers = {{1, {256}}, {2, {128}}};
  Plan.Registers = {"ctaid.x", "tid.x"};
  return Plan;
}

std::string assembly(const std::string &Text) { return "\t// begin inline asm\n\t" + Text + "\n\t// end inline asm\n"; }

/// A fused kernel with these statements, and what else the file holds.
std::string ptx(const std::string &Body, const std::string &Others = "", const std::string &Directives = "") {
  return ".version 9.0\n.target sm_90a\n.address_size 64\n\n.file 1 \"one.cu\"\n" + Others +
         "\n.visible .entry _ZN1f5fusedEPi(\n\t.param .u64 _ZN1f5fusedEPi_param_0\n)\n.maxntid 384, 1, 1\n" +
         Directives + "{\n\t.reg .pred \t%p<4>;\n\t.reg .b32 \t%r<20>;\n\t.reg .b64 \t%rd<4>;\n\t.reg .f32 \t%f<4>;\n" +
         Body + "\tret;\n\n}\n";
}

/// "" where all is as planned.
std::string said(const std::string &Text, const PtxExpectation &Plan = plan()) {
  auto Seen = checkPtx(Text, Plan, "x.ptx");
  return Seen ? "" : textOf(Seen.takeError());
}

TEST(CheckPtx, WhatPartitionsDoIsAsPlanned) {
  auto Seen = checkPtx(ptx("\tmov.u32 \t%r1, %tid.x;\n\tmov.u32 \t%r2, %ctaid.x;\n\tmov.u32 %r3, %laneid;\n" +
                           assembly("barrier.cta.sync 1, 256;") + assembly("barrier.cta.red.popc.u32 %r4, 2, 128, p;") +
                           "\t@%p1 bra \t$L__BB0_1;\n\t$L__BB0_1:\n"),
                       plan(), "x.ptx");
  ASSERT_TRUE(bool(Seen)) << textOf(Seen.takeError());
  EXPECT_THAT(*Seen, testing::ElementsAre("%ctaid.x", "%laneid", "%tid.x", "1 kernel of f", "barrier 1", "barrier 2"));
}

TEST(CheckPtx, BarriersHaveANumberAndACountOfThePlan) {
  for (const char *Other :
       {"bar.sync \t0;", "barrier.sync 0;", "bar.sync 1;", "barrier.cta.sync 1, 128;", "barrier.cta.sync 3, 128;",
        "bar.arrive 1, 256;", "barrier.cta.sync.aligned 0, 384;", "bar.red.popc.u32 %r1, 0, %p1;",
        "bar.red.and.pred %p2, 0, !%p1;", "barrier.cta.sync %r1, %r2;"}) {
    EXPECT_THAT(said(ptx(std::string("\t") + Other + "\n")), HasSubstr("is no barrier of the plan")) << Other;
    EXPECT_THAT(said(ptx(assembly(Other))), HasSubstr("is no barrier of the plan")) << Other;
  }
}

TEST(CheckPtx, BarriersInRegistersAreFollowedToTheirConstants) {
  const std::string Sync = assembly("barrier.cta.sync %r1, %r2;");
  EXPECT_EQ(said(ptx("\tmov.u32 %r1, 2;\n\tmov.b32 %r2, 128;\n" + Sync)), "");
  EXPECT_NE(said(ptx("\tmov.u32 %r1, 3;\n\tmov.b32 %r2, 128;\n" + Sync)), "");
  EXPECT_NE(said(ptx("\tmov.u32 %r1, 2;\n\tmov.b32 %r2, 128;\n\tadd.s32 %r1, %r1, 1;\n" + Sync)), "");
  PtxExpectation Named = plan();
  Named.NamedBarriers = {3};
  EXPECT_EQ(said(ptx("\tmov.u32 %r1, 3;\n" + Sync), Named), "");
  EXPECT_EQ(said(ptx(Sync), Named), "");
  EXPECT_NE(said(ptx("\tmov.u32 %r1, 4;\n" + Sync), Named), "");
}

TEST(CheckPtx, LanesMeetOnlyToComeToABarrierTogether) {
  const std::string Meet = "bar.warp.sync 0xffffffff; ", Sync = "barrier.cta.sync 1, 256;";
  EXPECT_EQ(said(ptx(assembly(Meet + Sync))), "");
  EXPECT_THAT(said(ptx(assembly(Meet + "barrier.cta.sync 1, 128;"))), HasSubstr("is no barrier of the plan"));
  for (const std::string &Other :
       {assembly(Meet), "\t" + Meet + Sync + "\n", assembly("@p " + Meet + Sync), assembly(Meet + "@p " + Sync),
        assembly(Meet) + assembly(Sync), assembly("bar.warp.sync 1; " + Sync), assembly(Meet + Meet + Sync),
        assembly(Meet + "add.s32 %r1, %r1, 1; " + Sync)})
    EXPECT_THAT(said(ptx(Other)), HasSubstr("bar.warp.sync needs several lanes")) << Other;
}

TEST(CheckPtx, TheWholeBlocksBarrierIsThePlans) {
  PtxExpectation Whole = plan();
  Whole.BlockBarrier = true;
  EXPECT_EQ(said(ptx("\tbar.sync \t0;\n\tbarrier.red.or.pred %p1, 0, %p2;\n"), Whole), "");
  EXPECT_NE(said(ptx("\tbar.sync \t0, 64;\n"), Whole), "");
  EXPECT_NE(said(ptx("\tbar.sync \t1;\n"), Whole), "");
}

TEST(CheckPtx, RegistersOfTheBlockAreReadAsPlanned) {
  for (const char *Register : {"%tid.y", "%ntid.x", "%nctaid.x", "%ctaid.z", "%warpid", "%nwarpid", "%gridid",
                               "%clusterid.x", "%nclusterid.x", "%cluster_ctarank", "%is_explicit_cluster",
                               "%dynamic_smem_size", "%aggr_smem_size", "%total_smem_size", "%current_graph_exec"})
    EXPECT_THAT(said(ptx(std::string("\tmov.u32 %r1, ") + Register + ";\n")), HasSubstr(Register));
  EXPECT_THAT(said(ptx("\tmov.v4.u32 {%r1, %r2, %r3, %r4}, %tid;\n")), HasSubstr("%tid is read"));
}

TEST(CheckPtx, AssemblyReadsNoRegisterOfTheBlock) {
  EXPECT_EQ(said(ptx("\tmov.u32 %r1, %tid.x;\n" + assembly("mov.u32 %r2, %smid;"))), "");
  EXPECT_THAT(said(ptx(assembly("mov.u32 %r1, %tid.x;"))), HasSubstr("%tid.x is read in assembly"));
}

TEST(CheckPtx, WhatTheTablesDoNotKnowIsRefused) {
  EXPECT_THAT(said(ptx("\tmov.u32 %r1, %newid;\n")), HasSubstr("the register %newid is not known"));
  EXPECT_THAT(said(ptx("\tnewbarrier.sync 0;\n")), HasSubstr("newbarrier.sync is not known"));
  EXPECT_THAT(said(ptx("\t.newdirective x;\n")), HasSubstr(".newdirective"));
  EXPECT_EQ(said(ptx(assembly("{.reg.pred %mine; setp.ne.s32 %mine, %r1, 0; }"))), "");
}

TEST(CheckPtx, AssemblyDoesNotEndTheThread) {
  EXPECT_THAT(said(ptx(assembly("ret;"))), HasSubstr("ret in assembly ends the fused kernel's thread"));
  EXPECT_THAT(said(ptx(assembly("{ .reg .pred q; @q ret.uni; }"))), HasSubstr("ret.uni in assembly"));
  EXPECT_THAT(said(ptx(assembly("exit;"))), HasSubstr("exit in assembly"));
  EXPECT_EQ(said(ptx("\ttrap;\n\t@%p1 ret;\n")), "");
  PtxExpectation Leaving = plan();
  Leaving.Exits = true;
  EXPECT_EQ(said(ptx(assembly("exit;")), Leaving), "");
  EXPECT_NE(said(ptx(assembly("@%p1 exit;")), Leaving), "");
  EXPECT_NE(said(ptx(assembly("ret;")), Leaving), "");
}

TEST(CheckPtx, ClustersTheGridAndTensorMemoryAreRefused) {
  for (const char *Other :
       {"barrier.cluster.arrive.release;", "mapa.shared::cluster.u32 %r1, %r2, 0;", "griddepcontrol.launch_dependents;",
        "clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 [%r1], [%r2];",
        "wgmma.fence.sync.aligned;", "spcompress.b32 %r1, %r2;",
        "tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned.b32;", "setmaxnreg.inc.sync.aligned.u32 232;",
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%r1], [%r2], 4, [%r3], "
        "1;"})
    EXPECT_THAT(said(ptx(assembly(Other))), HasSubstr("not as planned")) << Other;
}

TEST(CheckPtx, GroupsMayAskForAClusterWhereThatIsPlanned) {
  PtxExpectation Groups = plan();
  Groups.Registers.insert(ClusterRank);
  const std::string Waits = "\tmov.u32 %r1, %cluster_ctarank;\n\tbarrier.cluster.wait;\n";
  EXPECT_EQ(said(ptx(Waits), Groups), "");
  EXPECT_NE(said(ptx(Waits)), "");
  EXPECT_NE(said(ptx(assembly("barrier.cluster.wait;")), Groups), "");
}

TEST(CheckPtx, BudgetsOfRegistersAreThePlans) {
  PtxExpectation Split = plan();
  Split.Budgets = {232};
  EXPECT_EQ(said(ptx(assembly("setmaxnreg.inc.sync.aligned.u32 232;")), Split), "");
  EXPECT_NE(said(ptx(assembly("setmaxnreg.dec.sync.aligned.u32 40;")), Split), "");
}

TEST(CheckPtx, PrimitivesAndCopiesHaveToBeKnownOf) {
  const std::string Votes = ptx(assembly("vote.sync.ballot.b32 %r1, %p1, -1;")),
                    Copies = ptx(assembly("cp.async.ca.shared.global [%r1], [%r2], 4;"));
  EXPECT_THAT(said(Votes), HasSubstr("vote.sync.ballot.b32 needs several lanes"));
  EXPECT_THAT(said(Copies), HasSubstr("copies asynchronously"));
  PtxExpectation Known = plan();
  Known.Warps = Known.Copies = true;
  EXPECT_EQ(said(Votes, Known), "");
  EXPECT_EQ(said(Copies, Known), "");
}

TEST(CheckPtx, WhatALaunchWritesIsNotReadAsIfNothingDid) {
  PtxExpectation Waits = plan();
  Waits.Coherent = true;
  EXPECT_EQ(said(ptx("\tld.global.f32 \t%f1, [%rd1];\n"), Waits), "");
  const std::string Table = "\tmov.u64 %rd1, __cudart_i2opi_f;\n", Next = "\tadd.s64 %rd1, %rd1, 4;\n",
                    FromTable = "\tld.global.nc.u32 %r1, [%rd1];\n";
  EXPECT_EQ(said(ptx(Table + FromTable + Next), Waits), "");
  EXPECT_NE(said(ptx(Table + FromTable + Next + "\tmov.u64 %rd1, %rd2;\n"), Waits), "");
  EXPECT_NE(said(ptx(Next + FromTable), Waits), "");
  for (const char *Load : {"ld.global.nc.f32", "ld.global.L1::no_allocate.nc.v4.f32", "ldu.global.f32"}) {
    const std::string Text = ptx(std::string("\t") + Load + " \t%f1, [%rd1];\n");
    EXPECT_EQ(said(Text), "") << Load;
    EXPECT_THAT(said(Text, Waits), HasSubstr("may read what another kernel")) << Load;
  }
}

TEST(CheckPtx, EveryFunctionThatIsNamedIsRead) {
  const std::string Helper = ".visible .func _Z6helperv()\n{\n\tbar.sync 0;\n\tret;\n}\n";
  EXPECT_EQ(said(ptx("", Helper)), "");
  EXPECT_NE(said(ptx("\tcall.uni \n\t_Z6helperv, \n\t(\n\t);\n", Helper)), "");
  const std::string Table = Helper + ".visible .global .align 8 .u64 table[2] = {_Z6helperv, 0};\n";
  EXPECT_NE(said(ptx("\tmov.u64 %r1, table;\n\tld.global.u64 %r2, [%r1];\n\tcall %r2, ();\n", Table)), "");
  EXPECT_THAT(said(ptx("\tcall.uni _Z5otherv, ();\n", ".extern .func _Z5otherv\n(\n)\n;\n")),
              HasSubstr("_Z5otherv is called and defined elsewhere"));
  EXPECT_EQ(said(ptx("\tcall.uni (%r1), vprintf, ();\n", ".extern .func (.param .b32 r) vprintf\n(\n)\n;\n")), "");
}

TEST(CheckPtx, TheKernelsDirectivesAreThePlans) {
  EXPECT_THAT(said(ptx("", "", ".explicitcluster\n.reqnctapercluster 2, 1, 1\n")), HasSubstr(".reqnctapercluster"));
  EXPECT_THAT(said(ptx("", "", ".blocksareclusters\n")), HasSubstr(".blocksareclusters"));
  EXPECT_THAT(said(ptx("", "", ".reqntid 64, 1, 1\n")), HasSubstr(".reqntid of 64 threads, where 384 were planned"));
  EXPECT_EQ(said(ptx("", "", ".minnctapersm 2\n.maxnreg 40\n")), "");
}

TEST(CheckPtx, MessagesHaveThePlaceInTheSourceAndInThePtx) {
  auto Seen = checkPtx(ptx("\t.loc\t1 7 3\n\tbar.sync 0;\n"), plan(), "x.ptx");
  ASSERT_FALSE(bool(Seen));
  llvm::handleAllErrors(Seen.takeError(), [](const Failure &F) {
    EXPECT_EQ(F.Code, ExitCode::BadInput);
    ASSERT_EQ(F.Messages.size(), 1u);
    EXPECT_EQ(F.Messages[0].Where.str(), "one.cu:7:3");
    EXPECT_THAT(F.Messages[0].Text, HasSubstr("'bar.sync 0' is no barrier of the plan (x.ptx:17, in _ZN1f5fusedEPi; "
                                              "PTX ISA 9.7.13.1)"));
    EXPECT_THAT(F.Messages[0].Remedy, HasSubstr("__syncthreads()"));
  });
}

TEST(CheckPtx, OtherKernelsOfTheFileAreNotLookedAt) {
  EXPECT_EQ(said(ptx("", ".visible .entry _Z5otherv()\n{\n\tbar.sync 0;\n\tret;\n}\n")), "");
  EXPECT_THAT(said(".version 9.0\n"), HasSubstr("'x.ptx' has no kernel of f"));
  EXPECT_THAT(said(ptx("") + ".visible .entry half("), HasSubstr("is no PTX"));
}

TEST(Expectation, TheLineHoldsAll) {
  PtxExpectation All = plan();
  EXPECT_EQ(expectationLine(All), "// cufuse-check 2: name=f threads=384 barriers=1:256,2:128 reads=ctaid.x,tid.x");
  All.Barriers[2].insert(64);
  All.NamedBarriers = {3, 4};
  All.Budgets = {24, 240};
  All.Tables = {"first", "second"};
  All.BlockBarrier = All.LibrariesReadThem = All.Exits = All.Warps = All.Copies = All.Coherent = true;
  EXPECT_EQ(llvm::cantFail(readExpectation(expectationLine(All) + "\n#include \"f.h\"\n")), All);
}

TEST(Expectation, WhatIsNotUnderstoodIsRefused) {
  for (const char *Line :
       {"", "// Kernels side by side", "// cufuse-check 1: name=f threads=1", "// cufuse-check 2: name=f",
        "// cufuse-check 2: name=f threads=1 allows=all", "// cufuse-check 2: name=f threads=1 more=1",
        "// cufuse-check 2: name=f threads=1 forbids=all", "// cufuse-check 2: name=f threads=x"})
    EXPECT_THAT(llvm::toString(readExpectation(Line).takeError()), HasSubstr("does not say what was planned")) << Line;
}

TEST(PtxTable, TheLongestNameCounts) {
  EXPECT_EQ(findPtxFamily("bar.sync")->What, PtxFamily::Kind::Barrier);
  EXPECT_EQ(findPtxFamily("bar.warp.sync")->What, PtxFamily::Kind::Warp);
  EXPECT_EQ(findPtxFamily("barrier.cluster.arrive")->What, PtxFamily::Kind::Refused);
  EXPECT_EQ(findPtxFamily("cp.async.wait_group")->What, PtxFamily::Kind::Plain);
  EXPECT_EQ(findPtxFamily("cp.async.ca.shared.global")->What, PtxFamily::Kind::Copy);
  EXPECT_EQ(findPtxFamily("bart.sync"), nullptr);
}

TEST(PtxTable, KnowsWhatLaterVersionsAdd) {
  EXPECT_EQ(findPtxFamily("clmad.lo.u64")->What, PtxFamily::Kind::Computes);
  EXPECT_EQ(findPtxFamily("tensormap.query.alloc_class_large")->What, PtxFamily::Kind::Plain);
  EXPECT_EQ(findPtxFamily("multimem.ld_reduce.relaxed")->What, PtxFamily::Kind::Plain);
  EXPECT_EQ(findPtxFamily("multimem.red.async.relaxed")->What, PtxFamily::Kind::Copy);
  EXPECT_EQ(findPtxFamily("fabric.try_put.async")->What, PtxFamily::Kind::Refused);
  EXPECT_EQ(findPtxRegister("sm_ctaid")->What, PtxRegister::Kind::Refused);
}

} // namespace
} // namespace cufuse
