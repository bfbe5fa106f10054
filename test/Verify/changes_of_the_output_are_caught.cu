// What each step of an emission could do wrong, done to its text: the comparison of the output with its inputs says it.
// RUN: %build/test/Verify/cufuse-mutate-output %cufuse %s > %t
// RUN: FileCheck %s < %t --implicit-check-not=missed: --implicit-check-not='not found:' --implicit-check-not='false alarm:'
// CHECK: caught: drop: a statement is lost
// CHECK-NEXT: caught: twice: a statement is there twice
// CHECK-NEXT: caught: swap: two statements are exchanged
// CHECK-NEXT: caught: operands: operands are exchanged
// CHECK-NEXT: caught: number: a number is another
// CHECK-NEXT: caught: literal: a literal has another type
// CHECK-NEXT: caught: compareWith: a comparison is another
// CHECK-NEXT: caught: lostElse: a branch is lost
// CHECK-NEXT: caught: step: a loop steps otherwise
// CHECK-NEXT: caught: leavesLoop: `break` is `continue`
// CHECK-NEXT: caught: choice: a choice is turned round
// CHECK-NEXT: caught: label: a case has another label
// CHECK-NEXT: caught: isSigned: a variable has another type
// CHECK-NEXT: caught: converted: a conversion is another
// CHECK-NEXT: caught: isVolatile: `volatile` is lost
// CHECK-NEXT: caught: dimension: another dimension is read
// CHECK-NEXT: caught: exchanged: built-ins are exchanged
// CHECK-NEXT: caught: rawBuiltin: a built-in is the block's own
// CHECK-NEXT: caught: lostBarrier: a barrier is lost
// CHECK-NEXT: caught: rawBarrier: a barrier is the whole block's
// CHECK-NEXT: caught: emptyBarrier: the partition's barrier does nothing
// CHECK-NEXT: caught: otherReduction: a reduction is another
// CHECK-NEXT: caught: leaves: a thread does not say that it leaves
// CHECK-NEXT: caught: leavesWith: what a thread does as it leaves is another
// CHECK-NEXT: caught: leavesAtEnd: a thread does not say that it leaves at the end
// CHECK-NEXT: caught: assembly: assembly is another
// CHECK-NEXT: caught: constraint: an operand of assembly is another
// CHECK-NEXT: caught: readRegister: a register of assembly is another
// CHECK-NEXT: caught: sharedSize: shared memory is larger
// CHECK-NEXT: caught: notShared: shared memory is local
// CHECK-NEXT: caught: dynamicPlace: dynamic shared memory lies elsewhere
// CHECK-NEXT: caught: dynamicType: dynamic shared memory has another type
// CHECK-NEXT: caught: dynamicInLambda: dynamic shared memory lies elsewhere in a lambda
// CHECK-NEXT: caught: dynamicInClass: dynamic shared memory has another type in a class
// CHECK-NEXT: caught: captured: a lambda captures otherwise
// CHECK-NEXT: caught: overload: a better overload is lost
// CHECK-NEXT: caught: otherNamespace: another namespace's function is called
// CHECK-NEXT: caught: usedName: another variable of the name is meant
// CHECK-NEXT: caught: macroValue: a macro has another value
// CHECK-NEXT: caught: layoutOf: a class has another layout
// CHECK-NEXT: caught: members: members are exchanged
// CHECK-NEXT: caught: bitField: a bit-field is wider
// CHECK-NEXT: caught: baseClass: a base class is another
// CHECK-NEXT: caught: initialiser: a member is initialised otherwise
// CHECK-NEXT: caught: destroyed: a destructor is lost
// CHECK-NEXT: caught: overridden: a virtual function is not overridden
// CHECK-NEXT: caught: operatorOf: an operator is another
// CHECK-NEXT: caught: enumerated: an enumerator has another value
// CHECK-NEXT: caught: specialised: a specialisation is lost
// CHECK-NEXT: caught: guided: a deduction guide is there
// CHECK-NEXT: caught: argument: a template argument is another
// CHECK-NEXT: caught: byDefault: a default argument is another
// CHECK-NEXT: caught: table: functions of a table are exchanged
// CHECK-NEXT: caught: inTable: a function of a table is another
// CHECK-NEXT: caught: values: a table has another value
// CHECK-NEXT: caught: variableTemplate: a variable template is another
// CHECK-NEXT: caught: calledByHelper: a helper calls something else
// CHECK-NEXT: caught: partition: a partition is another's
// CHECK-NEXT: caught: *: the fused kernel gives a kernel another's argument
// CHECK-NEXT: caught: *: a partition has another barrier

__global__ void unchanged(int *x) { x[threadIdx.x] = blockIdx.x; __syncthreads(); }

// drop: a statement is lost
//- x[0] += 2;
__global__ void drop(int *x) { x[0] = 1; x[0] += 2; }

// twice: a statement is there twice
//- x[0] += 2;
//+ x[0] += 2; x[0] += 2;
__global__ void twice(int *x) { x[0] = 1; x[0] += 2; }

// swap: two statements are exchanged
//- x[0] = x[1]; x[1] = x[2];
//+ x[1] = x[2]; x[0] = x[1];
__global__ void swap(int *x) { x[0] = x[1]; x[1] = x[2]; }

// operands: operands are exchanged
//- x[1] - x[2]
//+ x[2] - x[1]
__global__ void operands(int *x) { x[0] = x[1] - x[2]; }

// number: a number is another
//- x[0] = 3
//+ x[0] = 4
__global__ void number(int *x) { x[0] = 3; }

// literal: a literal has another type
//- 0.5f
//+ 0.5
__global__ void literal(int *x) { x[0] = x[1] * 0.5f; }

// compareWith: a comparison is another
//- x[1] < 3
//+ x[1] <= 3
__global__ void compareWith(int *x) { if (x[1] < 3) x[0] = 1; }

// lostElse: a branch is lost
//-  else x[0] = 2;
__global__ void lostElse(int *x) { if (x[1]) x[0] = 1; else x[0] = 2; }

// step: a loop steps otherwise
//- ++k
//+ k += 2
__global__ void step(int *x) { for (int k = 0; k < 8; ++k) x[k] = k; }

// leavesLoop: `break` is `continue`
//- break
//+ continue
__global__ void leavesLoop(int *x) { for (int k = 0; k < 8; ++k) { if (x[k]) break; x[k] = k; } }

// choice: a choice is turned round
//- x[2] : x[3]
//+ x[3] : x[2]
__global__ void choice(int *x) { x[0] = x[1] ? x[2] : x[3]; }

// label: a case has another label
//- case 1
//+ case 2
__global__ void label(int *x) { switch (x[1]) { case 1: x[0] = 5; break; default: x[0] = 6; } }

// isSigned: a variable has another type
//- unsigned v
//+ int v
__global__ void isSigned(int *x) { unsigned v = x[1]; x[0] = v / 3; }

// converted: a conversion is another
//- static_cast<unsigned>
//+ static_cast<int>
__global__ void converted(int *x) { x[0] = static_cast<unsigned>(x[1]) / 3; }

// isVolatile: `volatile` is lost
//- volatile int *p
//+ int *p
__global__ void isVolatile(int *x) { volatile int *p = x; x[1] = p[0]; }

// dimension: another dimension is read
//- threadIdx.x] = 1
//+ threadIdx.y] = 1
__global__ void dimension(int *x) { x[threadIdx.x] = 1; }

// exchanged: built-ins are exchanged
//- = blockIdx.x
//+ = threadIdx.x
__global__ void exchanged(int *x) { x[threadIdx.x] = blockIdx.x; }

// rawBuiltin: a built-in is the block's own
//- #define threadIdx cufuse_partition::threadIdx()
//+ #define threadIdx ::threadIdx
__global__ void rawBuiltin(int *x) { x[threadIdx.x] = 1; }

// lostBarrier: a barrier is lost
//-  __syncthreads(); x[0]
//+  x[0]
__global__ void lostBarrier(int *x) { x[threadIdx.x] = 1; __syncthreads(); x[0] = x[1]; }

// rawBarrier: a barrier is the whole block's
//-  __syncthreads(); x[0]
//+  ::__syncthreads(); x[0]
__global__ void rawBarrier(int *x) { x[threadIdx.x] = 1; __syncthreads(); x[0] = x[1]; }

// emptyBarrier: the partition's barrier does nothing
//- { cufuse_partition::sync(); }
//+ {}
__global__ void emptyBarrier(int *x) { x[threadIdx.x] = 1; __syncthreads(); x[0] = x[1]; }

// otherReduction: a reduction is another
//- cufuse_partition::syncAnd(
//+ cufuse_partition::syncOr(
__global__ void otherReduction(int *x) { x[threadIdx.x] = __syncthreads_and(x[threadIdx.x]); x[0] = __syncthreads_or(1); }

// leaves: a thread does not say that it leaves
//- return cufuse_partition::leave();
//+ return;
__global__ void leaves(int *x) { if (threadIdx.x > 9) return; __syncthreads(); x[0] = 1; }

// leavesWith: what a thread does as it leaves is another
//- return (void)(x[1] = 2), cufuse_partition::leave();
//+ return (void)(x[1] = 3), cufuse_partition::leave();
__global__ void leavesWith(int *x) { if (threadIdx.x > 9) return (void)(x[1] = 2); __syncthreads(); x[0] = 1; }

// leavesAtEnd: a thread does not say that it leaves at the end
//-   cufuse_partition::leave(); }
//+  }
__global__ void leavesAtEnd(int *x) { if (threadIdx.x > 9) return; __syncthreads(); x[0] = 1; }

// assembly: assembly is another
//- add.s32
//+ sub.s32
__global__ void assembly(int *x) { int y; asm("add.s32 %0, %1, 1;" : "=r"(y) : "r"(x[1])); x[0] = y; }

// constraint: an operand of assembly is another
//- "r"(x[1])
//+ "r"(x[2])
__global__ void constraint(int *x) { int y; asm("add.s32 %0, %1, 1;" : "=r"(y) : "r"(x[1])); x[0] = y; }

// readRegister: a register of assembly is another
//- "r"(threadIdx.x)
//+ "r"(blockDim.x)
__global__ void readRegister(int *x) { int y; asm("mov.u32 %0, %%tid.x;" : "=r"(y)); x[0] = y; }

// sharedSize: shared memory is larger
//- int s[32]
//+ int s[33]
__global__ void sharedSize(int *x) { __shared__ int s[32]; s[threadIdx.x] = x[0]; x[1] = s[0]; }

// notShared: shared memory is local
//- __shared__ int s
//+ int s
__global__ void notShared(int *x) { __shared__ int s[32]; s[threadIdx.x] = x[0]; x[1] = s[0]; }

// dynamicPlace: dynamic shared memory lies elsewhere
//- (cufuse_dynamicOffset)
//+ (0)
__global__ void dynamicPlace(int *x) { extern __shared__ int s[]; s[threadIdx.x] = x[0]; x[1] = s[0]; }

// dynamicType: dynamic shared memory has another type
//- int (&s)[] = cufuse_partition::dynamicShared<int[]>
//+ short (&s)[] = cufuse_partition::dynamicShared<short[]>
__global__ void dynamicType(int *x) { extern __shared__ int s[]; s[threadIdx.x] = x[0]; x[1] = s[0]; }

// dynamicInLambda: dynamic shared memory lies elsewhere in a lambda
//- return cufuse_partition::dynamicShared<int[]>(cufuse_dynamicOffset)
//+ return cufuse_partition::dynamicShared<int[]>(0)
__global__ void dynamicInLambda(int *x) { extern __shared__ int s[]; auto f = [=] { return s[1]; }; s[1] = x[0]; x[1] = f(); }

// dynamicInClass: dynamic shared memory has another type in a class
//- return cufuse_partition::dynamicShared<int[]>
//+ return cufuse_partition::dynamicShared<short[]>
__global__ void dynamicInClass(int *x) {
  extern __shared__ int s[];
  struct Reader { __device__ int read() { return s[1]; } };
  s[1] = x[0];
  x[1] = Reader().read();
}

// captured: a lambda captures otherwise
//- [=]
//+ [&]
__global__ void captured(int *x) { int v = 1; auto f = [=]() mutable { return ++v; }; x[0] = f() + v; }

// overload: a better overload is lost
//- __device__ int picked(int v) { return v; }
inline __device__ int picked(long v) { return 2 * v; }
__device__ int picked(int v) { return v; }
__global__ void overload(int *x) { x[0] = picked(x[1]); x[2] = picked(2L); }

// otherNamespace: another namespace's function is called
//- inFirst::same(3)
//+ inSecond::same(3)
namespace inFirst { __device__ int same(int v) { return v; } }
namespace inSecond { __device__ int same(int v) { return v * v; } }
__device__ int both(int v) { return inSecond::same(v); }
__global__ void otherNamespace(int *x) { x[0] = inFirst::same(3); x[1] = both(2); }

// usedName: another variable of the name is meant
//- return wide::Q;
//+ return Q;
constexpr int Q = 1;
namespace wide { constexpr int Q = 4; }
namespace userOfWide { __device__ int read() { return wide::Q; } }
__global__ void usedName(int *x) { x[0] = userOfWide::read(); x[1] = Q; }

// macroValue: a macro has another value
//- #define STEPS 3
//+ #define STEPS 5
#define STEPS 3
__global__ void macroValue(int *x) { x[0] = STEPS; }

// layoutOf: a class has another layout
//- struct Pair { char a
//+ struct alignas(16) Pair { char a
struct Pair { char a; int b; };
__global__ void layoutOf(int *x) { Pair p = {1, 2}; x[0] = p.b + sizeof(Pair); }

// members: members are exchanged
//- int a; int b;
//+ int b; int a;
struct Couple { int a; int b; };
__global__ void members(int *x) { Couple p = {1, 2}; x[0] = p.a; }

// bitField: a bit-field is wider
//- a : 3
//+ a : 4
struct Bits { unsigned a : 3, b : 5; };
__global__ void bitField(int *x) { Bits p = {1, 2}; x[0] = p.a; }

// baseClass: a base class is another
//- : First {
//+ : Second {
struct First { __device__ int get() { return 1; } };
struct Second { __device__ int get() { return 2; } };
struct Derived : First { };
__global__ void baseClass(int *x) { Derived d; x[0] = d.get(); Second s; x[1] = s.get(); }

// initialiser: a member is initialised otherwise
//- int v = 7
//+ int v = 8
struct Begun { int v = 7; };
__global__ void initialiser(int *x) { Begun b; x[0] = b.v; }

// destroyed: a destructor is lost
//- __device__ ~Ended() { p[0] = 1; }
struct Ended { int *p; __device__ ~Ended() { p[0] = 1; } };
__global__ void destroyed(int *x) { { Ended e{x}; } x[1] = 1; }

// overridden: a virtual function is not overridden
//- __device__ int get() override { return 2; }
struct Parent { __device__ virtual int get() { return 1; } };
struct Child : Parent { __device__ int get() override { return 2; } };
__global__ void overridden(int *x) { Child c; Parent &p = c; x[0] = p.get(); }

// operatorOf: an operator is another
//- return {a.v + b.v}
//+ return {a.v - b.v}
struct Number { int v; };
__device__ Number operator+(Number a, Number b) { return {a.v + b.v}; }
__global__ void operatorOf(int *x) { Number a{1}, b{2}; x[0] = (a + b).v; }

// enumerated: an enumerator has another value
//- Third = 3
//+ Third = 4
enum Counted { Third = 3 };
__global__ void enumerated(int *x) { x[0] = Third; }

// specialised: a specialisation is lost
//- template <> struct Kind<int> { static constexpr int value = 2; };
template <typename T> struct Kind { static constexpr int value = 1; };
template <> struct Kind<int> { static constexpr int value = 2; };
__global__ void specialised(int *x) { x[0] = Kind<int>::value; }

// guided: a deduction guide is there
//- template <typename T> struct Wrap { T v; __device__ Wrap(T v) : v(v) {} };
//+ template <typename T> struct Wrap { T v; __device__ Wrap(T v) : v(v) {} }; Wrap(int) -> Wrap<double>;
template <typename T> struct Wrap { T v; __device__ Wrap(T v) : v(v) {} };
__global__ void guided(int *x) { Wrap w(x[1]); x[0] = sizeof(w); }

// argument: a template argument is another
//- times<2>
//+ times<3>
template <int N> __device__ int times(int v) { return v * N; }
__global__ void argument(int *x) { x[0] = times<2>(x[1]); }

// byDefault: a default argument is another
//- int by = 1
//+ int by = 2
__device__ int plus(int v, int by = 1) { return v + by; }
__global__ void byDefault(int *x) { x[0] = plus(x[1]); }

// table: functions of a table are exchanged
//- {one, two}
//+ {two, one}
__device__ int one(int v) { return v; }
__device__ int two(int v) { return 2 * v; }
__device__ int (*const functions[])(int) = {one, two};
__global__ void table(int *x) { x[0] = functions[x[1] & 1](3); }

// inTable: a function of a table is another
//- return v + 5
//+ return v + 6
__device__ int five(int v) { return v + 5; }
__device__ int (*const calls[])(int) = {five, five};
__global__ void inTable(int *x) { x[0] = calls[x[1] & 1](3); }

// values: a table has another value
//- {4, 5}
//+ {4, 6}
__device__ const int numbers[] = {4, 5};
__global__ void values(int *x) { x[0] = numbers[x[1] & 1]; }

// variableTemplate: a variable template is another
//- 2 * sizeof(T)
//+ 3 * sizeof(T)
template <typename T> constexpr int size2 = 2 * sizeof(T);
__global__ void variableTemplate(int *x) { x[0] = size2<short>; }

// calledByHelper: a helper calls something else
//- return inner(v)
//+ return v
__device__ int inner(int v) { return v * 3; }
__device__ int outer(int v) { return inner(v); }
__global__ void calledByHelper(int *x) { x[0] = outer(x[1]); }

// partition: a partition is another's
//- using cufuse_partition = fused::CufusePartition<0, 1, 32, 1, 1>
//+ using cufuse_partition = fused::CufusePartition<0, 0, 64, 1, 1>
__global__ void partition(int *x) { x[threadIdx.x] = 1; __syncthreads(); }

// *: the fused kernel gives a kernel another's argument
//- fused_text::cufuse_number::number(number_x)
//+ fused_text::cufuse_number::number(literal_x)
// *: a partition has another barrier
//- CufusePartition<0, 1, 32, 1, 1>
//+ CufusePartition<0, 2, 32, 1, 1>
