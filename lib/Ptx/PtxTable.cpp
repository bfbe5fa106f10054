#include "cufuse/Ptx/PtxTable.h"

#include <llvm/ADT/StringMap.h>

namespace cufuse {

namespace {

using R = PtxRegister::Kind;
constexpr PtxRegister Registers[] = {
    {"tid", R::Block, "10.1"},
    {"ntid", R::Block, "10.2"},
    {"laneid", R::Any, "10.3"},
    {"warpid", R::Block, "10.4"},
    {"nwarpid", R::Refused, "10.5"},
    {"ctaid", R::Block, "10.6"},
    {"nctaid", R::Block, "10.7"},
    {"smid", R::Any, "10.8"},
    {"nsmid", R::Any, "10.9"},
    {"gridid", R::Refused, "10.10"},
    {"is_explicit_cluster", R::Refused, "10.11"},
    {"clusterid", R::Refused, "10.12"},
    {"nclusterid", R::Refused, "10.13"},
    {"cluster_ctaid", R::Refused, "10.14"},
    {"cluster_nctaid", R::Refused, "10.15"},
    {"cluster_ctarank", R::Refused, "10.16"},
    {"cluster_nctarank", R::Refused, "10.17"},
    {"lanemask_eq", R::Any, "10.18"},
    {"lanemask_le", R::Any, "10.19"},
    {"lanemask_lt", R::Any, "10.20"},
    {"lanemask_ge", R::Any, "10.21"},
    {"lanemask_gt", R::Any, "10.22"},
    {"clock", R::Any, "10.23"},
    {"clock_hi", R::Any, "10.23"},
    {"clock64", R::Any, "10.24"},
    {"pm0", R::Any, "10.25"},
    {"pm1", R::Any, "10.25"},
    {"pm2", R::Any, "10.25"},
    {"pm3", R::Any, "10.25"},
    {"pm4", R::Any, "10.25"},
    {"pm5", R::Any, "10.25"},
    {"pm6", R::Any, "10.25"},
    {"pm7", R::Any, "10.25"},
    {"pm0_64", R::Any, "10.26"},
    {"pm1_64", R::Any, "10.26"},
    {"pm2_64", R::Any, "10.26"},
    {"pm3_64", R::Any, "10.26"},
    {"pm4_64", R::Any, "10.26"},
    {"pm5_64", R::Any, "10.26"},
    {"pm6_64", R::Any, "10.26"},
    {"pm7_64", R::Any, "10.26"},
    // Where cooperative groups keep the grid's own barrier; nothing else of the driver's is known to be the same.
    {"envreg1", R::Any, "10.27"},
    {"envreg2", R::Any, "10.27"},
    {"globaltimer", R::Any, "10.28"},
    {"globaltimer_lo", R::Any, "10.28"},
    {"globaltimer_hi", R::Any, "10.28"},
    {"reserved_smem_offset_begin", R::Refused, "10.29"},
    {"reserved_smem_offset_end", R::Refused, "10.29"},
    {"reserved_smem_offset_cap", R::Refused, "10.29"},
    {"reserved_smem_offset_0", R::Refused, "10.29"},
    // Cooperative groups read it in every group; that only one kernel uses what is there, MultiWarpTiles sees to.
    {"reserved_smem_offset_1", R::Any, "10.29"},
    {"total_smem_size", R::Refused, "10.30"},
    {"aggr_smem_size", R::Refused, "10.31"},
    {"dynamic_smem_size", R::Refused, "10.32"},
    {"current_graph_exec", R::Refused, "10.33"},
};

using F = PtxFamily::Kind;
struct Group {
  F What;
  const char *Section;
  const char *Names; ///< With blanks between them.
};
constexpr Group Groups[] = {
    {F::Plain, "9.7.1",
     "add sub mul mad mul24 mad24 sad div rem abs neg min max popc clz bfind fns brev bfe bfi szext bmsk dp4a dp2a"},
    {F::Plain, "9.7.2", "addc subc madc"},
    {F::Plain, "9.7.3", "testp copysign fma rcp sqrt rsqrt sin cos lg2 ex2 tanh"},
    {F::Plain, "9.7.6", "set setp selp slct"},
    {F::Plain, "9.7.8", "and or xor not cnot lop3 shf shl shr"},
    {F::Plain, "9.7.9",
     "mov prmt ld ldu st multimem prefetch prefetchu applypriority discard createpolicy isspacep cvta cvt "
     "cp.async.bulk.prefetch cp.async.commit_group cp.async.wait_group cp.async.wait_all cp.async.bulk.commit_group "
     "cp.async.bulk.wait_group cp.async.mbarrier tensormap.replace"},
    {F::Warp, "9.7.9.6", "shfl"},
    {F::Copy, "9.7.9.25", "cp.async cp.async.bulk cp.reduce.async.bulk st.async red.async multimem.cp"},
    {F::Refused, "9.7.9", "mapa getctarank"},
    {F::Plain, "9.7.10", "tex tld4 txq istypep"},
    {F::Plain, "9.7.11", "suld sust sured suq"},
    {F::Plain, "9.7.12", "bra brx"},
    {F::Call, "9.7.12", "call"},
    {F::End, "9.7.12", "ret exit"},
    {F::Barrier, "9.7.13.1", "bar barrier"},
    {F::Warp, "9.7.13.2", "bar.warp"},
    {F::Refused, "9.7.13.3", "barrier.cluster"},
    {F::Plain, "9.7.13", "membar fence atom red"},
    {F::Warp, "9.7.13", "vote match activemask redux elect"},
    // A launch without programmatic dependence, as ours is, waits for nothing; others may wait for it.
    {F::Plain, "9.7.13.13", "griddepcontrol.wait"},
    {F::Refused, "9.7.13.13", "griddepcontrol"},
    {F::Plain, "9.7.13.15", "mbarrier"},
    {F::Copy, "9.7.13.16", "tensormap.cp_fenceproxy"},
    {F::Refused, "9.7.13.17", "clusterlaunchcontrol"},
    {F::Warp, "9.7.14", "wmma mma ldmatrix stmatrix movmatrix"},
    {F::Refused, "9.7.15", "wgmma"},
    {F::Refused, "9.7.16", "tcgen05"},
    {F::Plain, "9.7.17", "stacksave stackrestore alloca"},
    {F::Plain, "9.7.18",
     "vadd vsub vabsdiff vmin vmax vshl vshr vmad vset vadd2 vsub2 vavrg2 vabsdiff2 vmin2 vmax2 vset2 vadd4 vsub4 "
     "vavrg4 vabsdiff4 vmin4 vmax4 vset4"},
    {F::Plain, "9.7.19", "brkpt nanosleep pmevent trap"},
    {F::Registers, "9.7.19.5", "setmaxnreg"},
};

const llvm::StringMap<PtxFamily> &families() {
  static const llvm::StringMap<PtxFamily> All = [] {
    llvm::StringMap<PtxFamily> Map;
    for (const Group &G : Groups)
      for (llvm::StringRef Rest = G.Names; !Rest.empty();) {
        llvm::StringRef Name;
        std::tie(Name, Rest) = Rest.split(' ');
        const auto At = Map.try_emplace(Name).first;
        At->second = {At->getKeyData(), G.What, G.Section};
      }
    return Map;
  }();
  return All;
}

} // namespace

const PtxRegister *findPtxRegister(llvm::StringRef Name) {
  static const llvm::StringMap<const PtxRegister *> All = [] {
    llvm::StringMap<const PtxRegister *> Map;
    for (const PtxRegister &Each : Registers)
      Map[Each.Name] = &Each;
    return Map;
  }();
  return All.lookup(Name);
}

const PtxFamily *findPtxFamily(llvm::StringRef Opcode) {
  static const PtxFamily Multicast = {".multicast::cluster", F::Refused, "9.7.9.25"};
  if (Opcode.contains(".multicast::cluster"))
    return &Multicast;
  for (llvm::StringRef Prefix = Opcode; !Prefix.empty();) {
    if (const auto At = families().find(Prefix); At != families().end())
      return &At->second;
    const size_t Dot = Prefix.rfind('.');
    Prefix = Prefix.take_front(Dot == llvm::StringRef::npos ? 0 : Dot);
  }
  return nullptr;
}

} // namespace cufuse
