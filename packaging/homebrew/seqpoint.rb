# Homebrew on Linux: packaging/README.md says how to use it and what was tried.
class Seqpoint < Formula
  desc "Few training iterations that stand for the whole run"
  homepage "https://example.org/seqpoint"
  url "https://example.org/seqpoint/releases/2.0.0/seqpoint-2.0.0.tar.gz"
  sha256 "0000000000000000000000000000000000000000000000000000000000000000"
  license "Apache-2.0"

  depends_on "boost" => :build
  depends_on "cli11" => :build
  depends_on "cmake" => :build
  depends_on "eigen" => :build
  depends_on "ninja" => :build
  depends_on "nlohmann-json" => :build
  depends_on "fmt"
  depends_on :linux
  depends_on "re2"
  depends_on "simdjson"
  depends_on "spdlog"
  depends_on "sqlite"
  depends_on "xxhash"
  depends_on "zlib-ng-compat"
  depends_on "zstd"

  def install
    system "cmake", "-S", ".", "-B", "build", "-G", "Ninja", "-DBUILD_TESTING=OFF", *std_cmake_args
    system "cmake", "--build", "build"
    system "cmake", "--install", "build"
  end

  test do
    assert_equal "seqpoint #{version}", shell_output("#{bin}/seqpoint --version").strip
    (testpath/"lengths.len").write "3\n9\n4\n6\n"
    assert_match "src_len", shell_output("#{bin}/seqpoint -q scan lengths.len --batch-size 2")
  end
end
