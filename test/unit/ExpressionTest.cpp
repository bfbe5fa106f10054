#include "cufuse/Workload/Expression.h"

#include "Complaint.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cufuse {
namespace {

using testing::HasSubstr;
using Integer = Number::Integer;

/// Everything starts at column 10 of line 3.
const SourcePlace Start{"w.yaml", 3, 10, ""};
const Numbers Names = {{"n", {Integer(100)}}, {"half", {0.5}}, {"block.x", {Integer(32)}}};

llvm::Expected<Number> value(const std::string &Text) {
  auto Parsed = parseExpression(Text, Start);
  return Parsed ? evaluate(*Parsed, Names) : llvm::Expected<Number>(Parsed.takeError());
}
std::string text(const std::string &Text) {
  auto Value = value(Text);
  return Value ? Value->str() : complaintOf(Value.takeError());
}

TEST(Expression, IntegersAreExact) {
  EXPECT_EQ(text("1 + 2 * 3 - 4"), "3");
  EXPECT_EQ(text("(1 + 2) * (3 - 4)"), "-3");
  EXPECT_EQ(text("10 - 3 - 2"), "5");
  EXPECT_EQ(text("--5"), "5");
  EXPECT_EQ(text("0xfedcba9876543210"), "18364758544493064720");
  EXPECT_EQ(text("true + true + false"), "2");
  EXPECT_EQ(text("min(3, n, 2) + max(1, block.x)"), "34");
}

TEST(Expression, QuotientsOfIntegersAreRoundedDown) {
  EXPECT_EQ(text("7 / 2"), "3");
  EXPECT_EQ(text("-7 / 2"), "-4");
  EXPECT_EQ(text("7 / -2"), "-4");
  EXPECT_EQ(text("-7 / -2"), "3");
  EXPECT_EQ(text("7 % 4"), "3");
  EXPECT_EQ(text("-7 % 4"), "1");
  EXPECT_EQ(text("7 % -4"), "-1");
}

TEST(Expression, QuotientsInsideCeilAreRoundedUp) {
  EXPECT_EQ(text("ceil(n / block.x)"), "4");
  EXPECT_EQ(text("ceil(96 / block.x)"), "3");
  EXPECT_EQ(text("ceil(-7 / 2)"), "-3");
  EXPECT_EQ(text("ceil(n / (3 * block.x))"), "2");
  EXPECT_EQ(text("ceil(half)"), "1");
  EXPECT_EQ(text("ceil(half / 2)"), "1");
}

TEST(Expression, RealsStayReal) {
  EXPECT_EQ(text("1.5"), "1.5");
  EXPECT_EQ(text(".5e1 * 3"), "15");
  EXPECT_EQ(text("1e-3"), "0.001");
  EXPECT_EQ(text("n * half / 100"), "0.5");
  EXPECT_EQ(text("-half"), "-0.5");
  EXPECT_FALSE(value("2.0")->isInteger());
}

TEST(Expression, ErrorsHaveTheirColumn) {
  const std::pair<const char *, const char *> Wrong[] = {
      {"", "3:10: a number, a name or '(' is missing at the end"},
      {"n +", "3:13: a number, a name or '(' is missing at the end"},
      {"(n + 1", "3:16: ')' is missing at the end"},
      {"n n", "3:12: 'n' follows a complete expression"},
      {"1 + $", "3:14: a number, a name or '(' was expected before '$'"},
      {"1 + 2x", "3:14: '2x' is not a number"},
      {"1e999", "3:10: '1e999' is not a number"},
      {"0x", "3:10: '0x' is not a number"},
      {"1 + m", "3:14: 'm' has no value here"},
      {"sqrt(n)", "3:10: 'sqrt' is not a function; there are ceil, min and max"},
      {"ceil(1, 2)", "3:16: ')' was expected before ', 2)'"},
      {"n / (3 - 3)", "3:12: this divides by zero"},
      {"n % 0", "3:12: this divides by zero"},
      {"n % half", "3:12: % needs integers"},
      {"ceil(n + 1)", "3:10: ceil of an integer changes nothing; write ceil(a / b)"},
      {"ceil(n / 2 + 1)", "3:10: ceil of an integer changes nothing; write ceil(a / b)"},
      {"1e300 * 1e300", "3:16: the result is not a finite number"},
      {"0x80000000000000000000000000000000", "3:10: 0x80000000000000000000000000000000 is too large a number"},
      {"0x7fffffffffffffffffffffffffffffff + 1", "3:45: the result is too large"},
      {"0x7fffffffffffffffffffffffffffffff * 2", "3:45: the result is too large"},
      {"-0x7fffffffffffffffffffffffffffffff - 2", "3:46: the result is too large"},
      {"(-0x7fffffffffffffffffffffffffffffff - 1) / -1", "3:52: the result is too large"},
  };
  for (const auto &[Text, Message] : Wrong)
    EXPECT_THAT(text(Text), HasSubstr(std::string("w.yaml:") + Message)) << Text;
  EXPECT_THAT(text(std::string(401, '(')), HasSubstr("3:10: the expression has more than 400 characters"));
}

TEST(Expression, NamesAreListed) {
  auto Parsed = parseExpression("a + max(b, -c) * 2", Start);
  ASSERT_TRUE(static_cast<bool>(Parsed));
  std::string All;
  for (const Expression *Name : namesIn(*Parsed))
    All += Name->Text + std::to_string(Name->Where.Column) + " ";
  EXPECT_EQ(All, "a10 b18 c22 ");
}

} // namespace
} // namespace cufuse
