# cmake -DLACONIC=<the command> -DSUBCOMMAND=<name or empty> -DSEE=<pages> -DHELP2MAN=<program> -DVERSION=<text>
#       -DPAGE=<file> -P man.cmake
#   Writes a man page with what the command says to --help.
execute_process(COMMAND ${LACONIC} ${SUBCOMMAND} --help OUTPUT_VARIABLE said COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCH "^[^\n]+" purpose "${said}")
string(REGEX REPLACE "[.]$" "" purpose "${purpose}")
string(STRIP "${LACONIC} ${SUBCOMMAND}" command) # help2man takes words behind the program
file(WRITE ${PAGE}.include "[SEE ALSO]\n${SEE}\n")
execute_process(COMMAND ${HELP2MAN} --no-info --include=${PAGE}.include "--name=${purpose}" --version-string=${VERSION}
                        --output=${PAGE} "${command}"
                COMMAND_ERROR_IS_FATAL ANY)
file(REMOVE ${PAGE}.include)

# It calls the page after the program alone.
if(SUBCOMMAND)
  file(READ ${PAGE} text)
  string(TOUPPER "laconic-${SUBCOMMAND}" title)
  string(REGEX REPLACE "\n[.]TH LACONIC " "\n.TH ${title} " text "${text}")
  string(REPLACE "\n.SH NAME\nlaconic ${SUBCOMMAND} " "\n.SH NAME\nlaconic-${SUBCOMMAND} " text "${text}")
  file(WRITE ${PAGE} "${text}")
endif()
