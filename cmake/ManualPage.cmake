# Writes a manual page of a command from what --help says; its first line is the page's summary:
#
#   cmake -DHELP2MAN=help2man -DVERSION=2.1.0 -DCOMMAND=scan -DFILE=seqpoint-scan.1 -P cmake/ManualPage.cmake
#
# Run where the program is, as ./seqpoint: help2man does not quote the program that it starts, and the path of a build may have blanks.

execute_process(COMMAND ./seqpoint ${COMMAND} --help OUTPUT_VARIABLE summary COMMAND_ERROR_IS_FATAL ANY)
string(REGEX REPLACE "\n.*" "" summary "${summary}")
string(REGEX REPLACE "^seqpoint: " "" summary "${summary}")
string(SUBSTRING "${summary}" 0 1 first)
string(TOLOWER "${first}" first)
string(SUBSTRING "${summary}" 1 -1 rest)
set(summary "${first}${rest}")
set(help "--help")
if(COMMAND)
  set(help "${COMMAND} --help-all")
endif()
execute_process(
  COMMAND "${HELP2MAN}" --no-info --version-string "seqpoint ${VERSION}" --name "${summary}" --help-option "${help}" -o "${FILE}" ./seqpoint
  COMMAND_ERROR_IS_FATAL ANY)
