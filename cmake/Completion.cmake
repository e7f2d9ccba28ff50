# Writes a completion for bash from what --help says:
#
#   cmake -DPROGRAM=seqpoint -DFILE=completion -P cmake/Completion.cmake
#
# A command is completed to its options, anything else to files. zsh reads it with bashcompinit.

function(said result)
  execute_process(COMMAND "${PROGRAM}" ${ARGN} OUTPUT_VARIABLE text RESULT_VARIABLE status ERROR_QUIET)
  if(status)
    set(text "")
  endif()
  set(${result} "${text}" PARENT_SCOPE)
endfunction()

# Options stand at the beginning of a line of --help.
function(options_of result)
  said(text ${ARGN} --help-all)
  if(NOT text OR NOT ARGN)  # all of the program has the options of every command
    said(text ${ARGN} --help)
  endif()
  string(REGEX MATCHALL "\n  -[^ \n]+" rows "${text}")
  list(TRANSFORM rows REPLACE "\n  " "")
  list(TRANSFORM rows REPLACE "," " ")
  list(JOIN rows " " words)
  set(${result} "${words}" PARENT_SCOPE)
endfunction()

said(help --help)
string(REGEX REPLACE ".*\nMeasure and predict:" "" commands "${help}")
string(REGEX REPLACE "\nExit status:.*" "" commands "${commands}")
string(REGEX MATCHALL "\n  [a-z]+" commands "${commands}")
list(TRANSFORM commands REPLACE "\n  " "")

set(cases "")
foreach(command IN LISTS commands)
  options_of(options ${command})
  string(APPEND cases "    ${command}) words='${options}' ;;\n")
endforeach()
options_of(options)
list(JOIN commands " " commands)
file(WRITE "${FILE}" "# bash completion for seqpoint, made by cmake/Completion.cmake from --help
_seqpoint() {
  local word=\${COMP_WORDS[COMP_CWORD]} words=''
  case \${COMP_WORDS[1]} in
${cases}    *) words='${commands} ${options}' ;;
  esac
  [[ $word == -* || $COMP_CWORD -eq 1 ]] && COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))
}
complete -o default -F _seqpoint seqpoint
")
