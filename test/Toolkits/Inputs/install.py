"""install.py FOLDER: installs CUDA toolkits from PyPI into FOLDER/13.0 and FOLDER/newest, unless they are there."""
import os
import subprocess
import sys

PACKAGES = ["nvidia-cuda-nvcc", "nvidia-nvvm", "nvidia-cuda-crt", "nvidia-cuda-runtime", "nvidia-cuda-cccl"]


def install(folder, version):
    if os.path.exists(folder):
        return
    new = f"{folder}.{os.getpid()}"
    subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps", "--no-compile",
                    "--target", new] + [f"{package}=={version}" for package in PACKAGES], check=True)
    os.rename(new, folder)


os.makedirs(sys.argv[1], exist_ok=True)
install(os.path.join(sys.argv[1], "13.0"), "13.0.*")
install(os.path.join(sys.argv[1], "newest"), "13.*")
