# Nix, for callPackage: packaging/README.md says how to use it and what was tried.
{
  lib,
  stdenv,
  fetchurl,
  boost,
  cli11,
  cmake,
  eigen,
  fmt,
  ninja,
  nlohmann_json,
  re2,
  simdjson,
  spdlog,
  sqlite,
  xxHash,
  zlib,
  zstd,
}:

stdenv.mkDerivation (finalAttrs: {
  pname = "seqpoint";
  version = "2.0.0";

  src = fetchurl {
    url = "https://example.org/seqpoint/releases/${finalAttrs.version}/seqpoint-${finalAttrs.version}.tar.gz";
    sha256 = "0000000000000000000000000000000000000000000000000000000000000000";
  };

  nativeBuildInputs = [
    cmake
    ninja
  ];

  buildInputs = [
    boost
    cli11
    eigen
    fmt
    nlohmann_json
    re2
    simdjson
    spdlog
    sqlite
    xxHash
    zlib
    zstd
  ];

  cmakeFlags = [
    (lib.cmakeBool "BUILD_TESTING" false)
    # Relative, because seqpoint.pc is found from its own place.
    (lib.cmakeFeature "CMAKE_INSTALL_LIBDIR" "lib")
    (lib.cmakeFeature "CMAKE_INSTALL_INCLUDEDIR" "include")
  ];

  doInstallCheck = true;
  installCheckPhase = ''
    runHook preInstallCheck
    test "$($out/bin/seqpoint --version)" = "seqpoint ${finalAttrs.version}"
    runHook postInstallCheck
  '';

  meta = {
    description = "Few training iterations that stand for the whole run";
    homepage = "https://example.org/seqpoint";
    license = lib.licenses.asl20;
    mainProgram = "seqpoint";
    platforms = lib.platforms.linux;
  };
})
