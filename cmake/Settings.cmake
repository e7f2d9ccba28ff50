# How our own code is compiled. A target, not global flags: it never reaches the code of others,
# neither a project that contains us nor one that links the installed libraries.

add_library(seqpoint_settings INTERFACE)
target_compile_features(seqpoint_settings INTERFACE cxx_std_20)
target_compile_options(seqpoint_settings INTERFACE
  # Same input, same bytes, whatever the compiler: a fused multiply-add rounds once where two
  # operations round twice. For the same reason -march=native and -ffast-math never stand here.
  -ffp-contract=off
  -Wall -Wextra -Wpedantic -Wconversion -Wshadow
  # clang counts sign changes as -Wconversion, g++ does not. Off for both: Eigen's indices are
  # signed, the standard library's are not, and casts at every border would hide real findings.
  -Wno-sign-conversion
  # g++ 12 sees overlapping copies in `"text" + std::string` that are not there (GCC PR 105651), and reads of an empty
  # std::optional's storage where one is moved (GCC PR 80635).
  $<$<AND:$<CXX_COMPILER_ID:GNU>,$<VERSION_LESS:$<CXX_COMPILER_VERSION>,13>>:-Wno-restrict;-Wno-maybe-uninitialized>
  $<$<BOOL:${SEQPOINT_WERROR}>:-Werror>)

# What Debian asks of programs that read files of strangers. It takes an optimiser, so builds for debugging go without.
set(optimised "$<CONFIG:Release,RelWithDebInfo,MinSizeRel>")
target_compile_options(seqpoint_settings INTERFACE $<${optimised}:-U_FORTIFY_SOURCE;-D_FORTIFY_SOURCE=2>)
target_link_options(seqpoint_settings INTERFACE $<$<AND:${optimised},$<PLATFORM_ID:Linux>>:LINKER:-z,relro,-z,now>)

if(SEQPOINT_SANITIZE)
  list(JOIN SEQPOINT_SANITIZE "," sanitizers)
  target_compile_options(seqpoint_settings INTERFACE
    -fsanitize=${sanitizers} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(seqpoint_settings INTERFACE -fsanitize=${sanitizers})
  # Who pays for sanitizers wants the standard library's bounds checks too.
  target_compile_definitions(seqpoint_settings INTERFACE _GLIBCXX_ASSERTIONS)
endif()
