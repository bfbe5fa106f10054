// A folder that lives as long as a test.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace cufuse {

class TemporaryFolder {
public:
  TemporaryFolder() {
    std::string Pattern = (std::filesystem::temp_directory_path() / "cufuse-test-XXXXXX").string();
    EXPECT_NE(mkdtemp(Pattern.data()), nullptr);
    Path = Pattern;
  }
  ~TemporaryFolder() { std::filesystem::remove_all(Path); }

  std::string at(const std::string &Name) const { return (Path / Name).string(); }
  /// Makes the folders that are in the name.
  std::string put(const std::string &Name, const std::string &Text) const {
    std::filesystem::create_directories((Path / Name).parent_path());
    std::ofstream(at(Name)) << Text;
    return at(Name);
  }
  /// A program that /bin/sh runs.
  std::string script(const std::string &Name, const std::string &Text) const {
    put(Name, "#!/bin/sh\n" + Text);
    std::filesystem::permissions(at(Name), std::filesystem::perms::owner_all);
    return at(Name);
  }
  /// "" when there is no such file.
  std::string read(const std::string &Name) const {
    std::ostringstream Text;
    Text << std::ifstream(at(Name)).rdbuf();
    return Text.str();
  }
  size_t lines(const std::string &Name) const {
    const std::string Text = read(Name);
    return std::count(Text.begin(), Text.end(), '\n');
  }

  std::filesystem::path Path;
};

} // namespace cufuse
