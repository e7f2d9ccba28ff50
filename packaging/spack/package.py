# Spack: packaging/README.md describes its use and the tests.
from spack_repo.builtin.build_systems.cmake import CMakePackage

from spack.package import *


class Seqpoint(CMakePackage):
    """Tells how long a training epoch takes from a few of its iterations."""

    homepage = "https://example.org/seqpoint"
    url = "https://example.org/seqpoint/releases/2.0.0/seqpoint-2.0.0.tar.gz"

    license("Apache-2.0")

    version("2.0.0", sha256="0000000000000000000000000000000000000000000000000000000000000000")

    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")

    depends_on("boost")
    depends_on("cli11")
    depends_on("eigen")
    depends_on("fmt")
    depends_on("nlohmann-json")
    depends_on("re2")
    # The variant utf8-validation of simdjson disables validation: lines that are not UTF-8 would be
    # accepted.
    depends_on("simdjson+exceptions~utf8-validation")
    depends_on("spdlog")
    depends_on("sqlite")
    depends_on("xxhash")
    depends_on("zlib-api")
    # Built by make it comes without a CMake package.
    depends_on("zstd build_system=cmake")

    def cmake_args(self):
        return [self.define("BUILD_TESTING", False)]

    def test_version(self):
        """the program says its version"""
        said = Executable(self.prefix.bin.seqpoint)("--version", output=str)
        assert said.strip() == f"seqpoint {self.version}"
