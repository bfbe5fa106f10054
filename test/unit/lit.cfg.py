import os

import lit.formats

config.name = "cufuse-unit"
config.test_format = lit.formats.GoogleTest(".", "-tests")
config.test_source_root = os.path.join(config.build, "test", "unit")
config.test_exec_root = config.test_source_root
