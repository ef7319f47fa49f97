# What a shell text would start, without starting it. Loaded through BASH_ENV by the bash that runs the text, and by every
# bash below it. Commands are not found (PATH leads nowhere), so bash hands them to us with every word resolved: we
# write them down and say that they succeeded. A few tools that only prepare files or compute words really run.
#
# Descriptor 77 takes the records: fields that end in NUL, the last of them empty:
#   kind, key, folder, flags, exit code, first line or standard input, variables (`export -p`), start, number of words, words..., ""
# Ends of lines are written as the character 0x1e.
# kinds: command, tool, shell (before it runs), end (after it ran), missing, denied, limit
#
# What a program would print is not known: `mlbench-output-of-NAME` stands for it, and tells where it goes. What it would
# write is not known either: once a program has started, a file that is not there is taken to be one that it has written.
# MLBENCH_CHANCE is a number: $RANDOM, `shuf` and the clock depend on it alone.
# key: position of the command in each shell around it, outermost first, as `NUMBER@LINE`, joined by `/`

__mlbench_builtins=" . : [ alias bg bind break builtin caller cd command compgen complete compopt continue declare dirs disown echo
 enable eval exec exit export false fc fg getopts hash help history jobs kill let local logout mapfile popd printf pushd pwd
 read readarray readonly return set shift shopt source suspend test times trap true type typeset ulimit umask unalias unset
 wait if then else elif fi case esac for select while until do done in function time { } ! [[ ]] coproc "
__mlbench_tools=" awk basename cat chmod cmp comm cp cut date diff dirname egrep expr fgrep find grep gzip gunzip head hostname id install ln ls md5sum
 mkdir mktemp mv nl nproc od paste printf readlink realpath rev rm rmdir sed seq sha256sum shuf sort stat tac tail tar tee
 touch tr truncate uname uniq unzip wc whoami xargs zip base64 cksum column dd expand fold join make split sha1sum echo pwd true false test "
for __mlbench_name in $MLBENCH_PROGRAMS; do # what the repository installs goes before a tool of the same name
  __mlbench_tools=${__mlbench_tools//[[:space:]]$__mlbench_name[[:space:]]/ }
done
unset __mlbench_name
__mlbench_lookers=" clear conda curl deactivate df du free git hf huggingface-cli lscpu mamba module nvidia-smi pip pip3 poetry
 sleep source sudo uv wget which "
__mlbench_wrappers=" nohup time timeout nice ionice stdbuf env sudo setsid unbuffer conda mamba poetry uv pipenv srun xvfb-run "

__mlbench_note() { # kind, exit code, text, words...
  local kind=$1 code=$2 text=$3 flags= variables began=
  shift 3
  [[ -n $__mlbench_captured && -p /dev/fd/1 ]] && flags+="captured "
  variables=$(unset POSIXLY_CORRECT; export -p)
  if [[ $kind == command && -w /workspace ]]; then
    began=$(/usr/bin/date +%s.%N)
    /usr/bin/sleep 0.02 # two ticks of the clock that files are stamped with: what is written now is surely later
  fi
  set -- "$kind" "$__mlbench_key$__mlbench_number@$__mlbench_line" "$PWD" "$flags" "$code" "$text" "$variables" "$began" $# "$@" ""
  # bash writes at each end of a line: without them a record is one write, which no other process can come between
  builtin printf '%s\0' "${@//$'\n'/$'\x1e'}" >&77
}

__mlbench_below() { # a program that starts shells: each of them is followed
  BASH_ENV=$__mlbench_file MLBENCH_FOLLOW="$__mlbench_key$__mlbench_number@$__mlbench_line/" MLBENCH_BEGUN=$__mlbench_begun \
    MLBENCH_CHANCE=$__mlbench_chance "$@"
}

__mlbench_shell() { # the words that led here are noted already; run the shell for real, follow it, and note how it ended
  local code file=$1
  shift
  __mlbench_below /bin/bash "$@"
  code=$?
  __mlbench_note end $code "" "$file" "$@"
  return $code
}

__mlbench_run() { # always in a process of its own
  builtin trap - DEBUG EXIT
  set +eufvx
  IFS=$' \t\n'
  local name=${1##*/} text="" index word
  if [[ $1 == */* && $1 != /bin/* && $1 != /usr/bin/* && $1 != /usr/local/bin/* && $1 != /opt/env/bin/* ]]; then
    if [[ ! -f $1 && ! ( $name == python* && ! -d $1 ) ]]; then __mlbench_note missing 127 "" "$@"; return 127; fi
    if [[ -f $1 && ! -x $1 ]]; then __mlbench_note denied 126 "" "$@"; return 126; fi
    [[ -f $1 ]] && { IFS= read -r -n 200 text < "$1"; } 2>/dev/null
    if [[ $text =~ ^#!.*[/\ ](ba|da)?sh([[:space:]]|$) || ( -f $1 && $text != '#!'* && $1 == *.sh ) ]]; then
      __mlbench_note shell 0 "$text" "$@"
      __mlbench_shell "$1" "$@"
      return
    fi
    __mlbench_note command 0 "$text" "$@"
  elif [[ $name == @(bash|sh|dash) ]]; then
    __mlbench_note shell 0 "" "$@"
    __mlbench_shell "$1" "${@:2}"
    return
  elif [[ $name == script && " $*" =~ " "-[a-z]*c" " ]]; then
    for (( index = 2; index < $#; index++ )); do [[ ${!index} =~ ^-[a-z]*c$ ]] && break; done
    (( ++index ))
    __mlbench_note shell 0 "" "$@"
    __mlbench_shell "$1" -c "${!index}"
    return
  elif [[ $__mlbench_tools == *[[:space:]]"$name"[[:space:]]* ]]; then
    __mlbench_tool "$@"
    return
  elif [[ $name == @(nc|ncat|netcat) && " $*" =~ " "-[a-z]*z ]]; then # is a port taken? Launchers look for one that is not
    __mlbench_note tool 1 "" "$@"
    return 1
  elif [[ $name == @(scontrol|squeue|sinfo|sacct) ]]; then # there is no cluster: launchers then have their defaults
    __mlbench_note tool 127 "" "$@"
    return 127
  elif [[ $name == which ]]; then
    __mlbench_where "${@:2}"
    return
  else
    if [[ $name == python* && ( $# == 1 || ${2-} == - ) ]]; then
      IFS= read -r -d '' -n 20000 -t 1 text
    fi
    if [[ $__mlbench_wrappers == *" $name "* ]]; then
      for (( index = 2; index <= $#; index++ )); do
        word=${!index}
        if [[ ${word##*/} == @(bash|sh|dash|make) || ( $word == */*.sh && -f $word ) ]]; then
          __mlbench_note shell 0 "" "$@"
          for (( ; --index > 1; )); do [[ ${!index} =~ ^[A-Za-z_][A-Za-z0-9_]*= ]] && export "${!index}"; done
          while [[ $# -gt 0 && ${1##*/} != @(bash|sh|dash|make) && $1 != */*.sh ]]; do shift; done
          [[ ${1##*/} == make ]] && set -- bash -c '__mlbench_run "$@"' bash "$@"
          [[ $1 == *.sh ]] && set -- bash "$@"
          __mlbench_shell "$name" "${@:2}"
          return
        fi
      done
    fi
    __mlbench_note command 0 "$text" "$@"
  fi
  [[ $name == curl || $name == wget ]] && __mlbench_download "${@:2}"
  builtin trap '' PIPE # who does not read it does not end it
  [[ -p /dev/fd/1 ]] && builtin echo "mlbench-output-of-$name" 2> /dev/null
  return 0
}

__mlbench_tool() {
  local name=${1##*/} code=0 word source= searched=
  local file=/usr/bin/$name
  [[ -x $file ]] || file=/bin/$name
  case $name in
    xargs | find) __mlbench_each "$@"; return ;;
    make) __mlbench_make "$@"; return ;;
    date)
      if [[ $__mlbench_chance && ! " $*" =~ " "(-d|-r|-s|-f|--date|--reference|--set|--file) ]]; then
        set -- "$1" -d "@$(( 1704067200 + __mlbench_chance * 44203261 )).$(( 123456789 + __mlbench_chance * 11111113 ))" "${@:2}"
      fi ;;
    shuf | sort)
      [[ $__mlbench_chance && ( $name == shuf || " $*" =~ " "(-[a-zA-Z]*R|--random-sort) ) ]] && source=/dev/fd/76 ;;
    rm | rmdir) # cleared away after the work: the programs are asked later than the text goes on
      if [[ $__mlbench_begun ]]; then
        for word in "${@:2}"; do
          [[ $word != -* && -e /opt/repository/$(/usr/bin/realpath -ms --relative-to=/workspace -- "$word") ]] && code=1
        done
        (( code )) || { __mlbench_note tool 0 "" "$@"; return 0; }
      fi ;;
  esac
  if [[ $name == *grep && -p /dev/fd/0 ]]; then
    searched=$(/usr/bin/head -c 1000000 | /usr/bin/tr -d '\0')
    "$file" "${@:2}" 77>&- <<< "$searched"
  elif [[ $source ]]; then
    "$file" "--random-source=$source" "${@:2}" 77>&- 76< <(/usr/bin/yes "$(( __mlbench_chance * 7919 + 13 ))" 77>&-)
  else
    PATH=/usr/bin:/bin "$file" "${@:2}" 77>&-
  fi
  code=$?
  (( code == 141 )) && code=0 # whether the reader was faster is chance
  [[ $searched == *mlbench-output-of-* ]] && code=0
  if (( code )) && [[ $__mlbench_begun ]]; then
    for word in "${@:2}"; do [[ $word == -* || -e $word ]] || code=0; done
  fi
  __mlbench_note tool $code "" "$@"
  return $code
}

__mlbench_each() { # `xargs` and `find -exec` really run, and what they start is followed
  local each=(/bin/bash -c '__mlbench_run "$@"' bash) words=("$1") at=2 kind=tool code
  if [[ ${1##*/} == find ]]; then
    for (( ; at <= $#; at++ )); do
      words+=("${!at}")
      [[ ${!at} == -@(exec|execdir|ok|okdir) ]] && words+=("${each[@]}") kind=end
    done
  else
    while [[ ${!at-} == -* ]]; do
      words+=("${!at}")
      if [[ ${!at} == -@(a|d|E|I|L|n|P|s|-arg-file|-delimiter|-max-args|-max-lines|-max-procs|-max-chars) ]]; then
        (( ++at ))
        words+=("${!at-}")
      fi
      (( ++at ))
    done
    (( at <= $# )) && words+=("${each[@]}" "${@:at}") kind=end
  fi
  [[ $kind == end ]] && __mlbench_note shell 0 "" "$@"
  MLBENCH_EACH=yes __mlbench_below "/usr/bin/${1##*/}" "${words[@]:1}"
  code=$?
  __mlbench_note $kind $code "" "$@"
  return $code
}

__mlbench_make() { # `make` really runs, and each of its recipes is followed
  local make=/usr/bin/make folder=. files=() word previous= code
  for word in "${@:2}"; do
    case $previous in -C | --directory) folder=$word ;; -f | --file | --makefile) files+=("$word") ;; esac
    case $word in -C?*) folder=${word:2} ;; -f?*) files+=("${word:2}") ;; --directory=*) folder=${word#*=} ;; --*file=*) files+=("${word#*=}") ;; esac
    previous=$word
  done
  (( ${#files[@]} )) || files=(GNUmakefile makefile Makefile)
  word='override|SHELLFLAGS|MAKEFLAGS|eval|include|^[[:space:]]*-?load[[:space:]]' # with these a recipe could go past the follower
  if [[ ! -x $make ]] || (cd "$folder" 2> /dev/null && /usr/bin/grep -qE "$word" -- "${files[@]}") 2> /dev/null || [[ " $* " =~ $word|" "(-[a-zA-Z]*I|--eval|-E) ]]; then
    __mlbench_note command 0 "" "$@"
    return 0
  fi
  __mlbench_note shell 0 "" "$@"
  MLBENCH_EACH=yes __mlbench_below "$make" "${@:2}" SHELL=/bin/bash # not its own default: no recipe is started without it
  code=$?
  __mlbench_note end $code "" "$@"
  return $code
}

__mlbench_download() { # the file that a download makes says where it comes from
  local file= previous= word to=o basename=
  [[ $name == wget ]] && to=O basename=yes
  for word; do
    if [[ $previous =~ ^(-[a-zA-Z]*$to|--output|--output-document)$ ]]; then file=$word
    elif [[ $name == wget && $word =~ ^-[a-zA-Z]*O(.+) ]]; then file=${BASH_REMATCH[1]}
    elif [[ $word =~ ^--output(-document)?=(.*) ]]; then file=${BASH_REMATCH[2]}
    elif [[ $name == curl && $word =~ ^(-[a-zA-Z]*O|--remote-name)$ ]]; then basename=yes
    fi
    previous=$word
  done
  [[ $basename && ! $file ]] && file=${previous%%[?#]*} file=${file##*/}
  [[ -f /dev/fd/1 ]] && builtin echo "mlbench-output-of-$name"
  { [[ $file && $file != - && $file != /dev/* ]] && builtin echo "mlbench-output-of-$name" > "$file"; } 2> /dev/null
}

__mlbench_where() {
  local word
  for word; do
    [[ $word == -* ]] && continue
    if [[ $__mlbench_builtins == *[[:space:]]"$word"[[:space:]]* ]]; then builtin echo "$word"
    elif [[ $word == python* || $word == pip* ]]; then builtin echo "/opt/env/bin/$word"
    elif [[ -x /usr/bin/$word ]]; then builtin echo "/usr/bin/$word"
    else return 1
    fi
  done
}

command_not_found_handle() { __mlbench_run "$@"; }

command() {
  case ${1-} in
    -v | -V) __mlbench_where "${@:2}" ;;
    -p) shift; "$@" ;;
    *) "$@" ;;
  esac
}

trap() { # whatever the text wants done at its end, what it left in the background is waited for
  case ${!#} in
    EXIT | 0) if [[ $1 == - ]]; then builtin trap wait EXIT; else builtin trap "$1
wait" EXIT; fi ;;
    *) builtin trap "$@" ;;
  esac
}

__mlbench_exec() (__mlbench_run "$@")

ulimit() { return 0; } # a bound of the text's own could end what is recorded

__mlbench_test() { # `test`, which takes what a program before it may have written to be there
  local code=0 word
  for word; do [[ $word == *mlbench-output-of-* ]] && (__mlbench_note command 0 "" test "$@"); done
  builtin test "$@" || code=$? # under `set -e` a failure of its own would end the text here
  if [[ $__mlbench_begun ]]; then
    [[ $# == 2 && $1 == -[efsrd] && $2 && ! -e $2 ]] && return 0
    [[ $# == 3 && $1 == ! && $2 == -[efsrd] && $3 && ! -e $3 ]] && return 1
  fi
  return $code
}
test() { __mlbench_test "$@"; }
function [ {
  if [[ ${!#} == ] ]]; then __mlbench_test "${@:1:$#-1}"; else builtin [ "$@"; fi
}

# A command whose name holds a slash, or any while PATH leads somewhere, would be found: a function of its name is found first.
__mlbench_shadow() {
  local - IFS=$' \t\n' word name all=$1 count=0
  set -f
  set +u
  for word in $BASH_COMMAND; do
    (( ++count > 16 )) && break
    word=${word//[\"\']/}
    while [[ $word =~ ^([^$]*)\$(\{([A-Za-z_][A-Za-z0-9_]*(\[[@*0-9]+\])?|[0-9]+)\}|([A-Za-z_][A-Za-z0-9_]*|[0-9]))(.*)$ ]]; do
      name=${BASH_REMATCH[3]:-${BASH_REMATCH[5]}}
      word=${BASH_REMATCH[1]}${!name-}${BASH_REMATCH[6]}
      (( ++count > 100 )) && break
    done
    [[ $word == '~/'* ]] && word=$HOME/${word:2}
    for word in $word; do
      if [[ $word =~ ^[A-Za-z0-9_./+@:,-]+$ && $word != -* ]] && ! declare -F "$word" > /dev/null; then
        if [[ $word == */* || ( $all && $__mlbench_builtins != *[[:space:]]"$word"[[:space:]]* ) ]]; then
          __mlbench_shadows+="$word "
          eval "function $word { (__mlbench_run \"$word\" \"\$@\"); }"
        fi
      fi
    done
  done
}

__mlbench_found() { # a command whose name is what `which` or `command -v` prints
  [[ $BASH_COMMAND =~ ^\"?(\$\(|\`)\ *(which|command\ +-[vV]|type\ +-[pP])\ +([A-Za-z0-9_.+-]+) ]] || return 0
  local word
  word=$(__mlbench_where "${BASH_REMATCH[3]}")
  if [[ $word == /* ]] && ! declare -F "$word" > /dev/null; then
    __mlbench_shadows+="$word "
    eval "function $word { (__mlbench_run \"$word\" \"\$@\"); }"
  fi
}

__mlbench_begins() { # whether this command may be a program that writes something
  [[ $BASH_COMMAND =~ ^([A-Za-z_][A-Za-z_0-9]*=[^[:space:]]*[[:space:]]+)*([^[:space:]=\(]+)([[:space:]]|$) ]] || return 0
  local name=${BASH_REMATCH[2]##*/}
  [[ "$__mlbench_builtins$__mlbench_tools$__mlbench_lookers" == *[[:space:]]"$name"[[:space:]]* ]] && return 0
  declare -F "$name" > /dev/null || __mlbench_begins=yes
}

__mlbench_step() { # before each simple command
  case ${FUNCNAME[1]-} in __mlbench_* | command_not_found_handle | command | exec | trap | test | \[ | ulimit) return 0 ;; esac
  [[ ${FUNCNAME[1]-} && $__mlbench_shadows == *" ${FUNCNAME[1]} "* ]] && return 0
  if (( BASH_SUBSHELL > __mlbench_level )); then
    __mlbench_key+="$__mlbench_number@$__mlbench_line/$BASHPID@$__mlbench_line/"
    __mlbench_number=0 __mlbench_level=$BASH_SUBSHELL
    [[ $__mlbench_chance ]] && RANDOM=$__mlbench_chance
  fi
  __mlbench_line=$1
  if (( ++__mlbench_number > 1000 )); then
    __mlbench_note limit 0 ""
    builtin exit 98
  fi
  if [[ $BASH_COMMAND == *'$('* || $BASH_COMMAND == *'`'* ]]; then
    __mlbench_captured=${__mlbench_captured:-yes$BASH_SUBSHELL}
  elif [[ $__mlbench_captured ]] && (( BASH_SUBSHELL <= ${__mlbench_captured#yes} )); then
    __mlbench_captured=
  fi
  __mlbench_begun=$__mlbench_begins # by a command before this one
  [[ $__mlbench_begun ]] || __mlbench_begins
  __mlbench_found
  if [[ $PATH != /opt/none ]]; then
    __mlbench_shadow yes
  elif [[ $BASH_COMMAND =~ ^[^=[:space:]]*[/\$] || $BASH_COMMAND =~ ^[A-Za-z0-9_]+=.*[[:space:]].*[/\$] ]]; then
    __mlbench_shadow ""
  fi
  if [[ $BASH_COMMAND =~ ^(source|\.)[[:space:]]+[\"\']?([^[:space:]\"\']*activate)([[:space:]\"\']|$) && ! -e ${BASH_REMATCH[2]} ]]; then
    source() { return 0; } # an environment that is somewhere else
    function . { return 0; }
  else
    unset -f source .
  fi
  if [[ $BASH_COMMAND =~ ^exec[[:space:]]+[^0-9\<\>\&-] ]]; then
    exec() { __mlbench_exec "$@"; builtin exit; }
  else
    unset -f exec
  fi
  return 0
}

__mlbench_file=${BASH_SOURCE[0]} __mlbench_key=${MLBENCH_FOLLOW-} __mlbench_number=0 __mlbench_line=0 __mlbench_captured= __mlbench_shadows=" "
__mlbench_level=0 __mlbench_begun=${MLBENCH_BEGUN-} __mlbench_begins=${MLBENCH_BEGUN-} __mlbench_chance=${MLBENCH_CHANCE-}
[[ ${MLBENCH_EACH-} ]] && __mlbench_key+="$BASHPID@0/"
if [[ $__mlbench_chance ]]; then
  RANDOM=$__mlbench_chance
  unset SRANDOM EPOCHSECONDS EPOCHREALTIME
  SRANDOM=$RANDOM EPOCHSECONDS=$(( 1704067200 + __mlbench_chance * 44203261 ))
  EPOCHREALTIME=$EPOCHSECONDS.$__mlbench_chance
fi
if [[ -z $__mlbench_key ]]; then
  exec 77>&1 1> /dev/null
  PATH=/opt/none
  builtin ulimit -v 1000000 -t 5
fi
unset BASH_ENV MLBENCH_FOLLOW MLBENCH_BEGUN MLBENCH_CHANCE MLBENCH_EACH
builtin trap wait EXIT
set -T
builtin trap '__mlbench_step $LINENO' DEBUG
