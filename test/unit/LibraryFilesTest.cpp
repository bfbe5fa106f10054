#include "cufuse/Frontend/UsersText.h"

#include <gtest/gtest.h>

namespace cufuse {
namespace {

// They are changed between two builds, and what reads them must be made again.
TEST(LibraryFiles, HeadersThatPeopleInstallAreNone) {
  Toolchain Tools;
  Tools.CudaPath = "/toolkit";
  Tools.ResourceDir = "/clang";
  LibraryFiles Files(Tools);
  EXPECT_FALSE(Files.contains("/usr/local/include/at.h"));
  EXPECT_TRUE(Files.contains("/usr/include/stdio.h"));
}

} // namespace
} // namespace cufuse
