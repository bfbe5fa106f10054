#include "cufuse/Frontend/UsersText.h"

#include <gtest/gtest.h>

namespace cufuse {
namespace {

// They are changed between two builds, and what reads them must be made again.
TEST(LibraryFiles, HeadersThatPeopleInstallAreNone) {
  LibraryFiles Files{Toolchain()};
  EXPECT_FALSE(Files.contains("/usr/local/include/at.h"));
  EXPECT_TRUE(Files.contains("/usr/include/stdio.h"));
}

} // namespace
} // namespace cufuse
