# What a shell text would start, without starting it. Loaded through BASH_ENV by the bash that runs the text, and by every
# bash below it. Commands are not found (PATH leads nowhere), so bash hands them to us with every word resolved: we
# write them down and say that they succeeded. A few tools that only prepare files or compute words really run.
#
# Descriptor 77 takes the records: fields that end in NUL, the last of them empty:
#   kind, key, folder, flags, exit code, first line or standard input, variables (`export -p`), number of words, words..., ""
# Ends of lines are written as the character 0x1e.
# kinds: command, tool, shell (before it runs), end (after it ran), missing, denied, limit
# key: position of the command in each shell around it, outermost first, as `NUMBER@LINE`, joined by `/`

__mlbench_builtins=" . : [ alias bg bind break builtin caller cd command compgen complete compopt continue declare dirs disown echo
 enable eval exec exit export false fc fg getopts hash help history jobs kill let local logout mapfile popd printf pushd pwd
 read readarray readonly return set shift shopt source suspend test times trap true type typeset ulimit umask unalias unset
 wait if then else elif fi case esac for select while until do done in function time { } ! [[ ]] coproc "
__mlbench_tools=" awk basename cat chmod cmp comm cp cut date diff dirname egrep expr fgrep find grep gzip gunzip head hostname id ln ls md5sum
 mkdir mktemp mv nl nproc paste printf readlink realpath rev rm rmdir sed seq sort stat tac tail tar tee touch tr uname uniq
 unzip wc whoami zip echo pwd true false test "
__mlbench_wrappers=" nohup time timeout nice ionice stdbuf env sudo setsid unbuffer conda mamba poetry uv pipenv srun xvfb-run "

__mlbench_note() { # kind, exit code, text, words...
  local kind=$1 code=$2 text=$3 flags= variables
  shift 3
  [[ -n $__mlbench_captured && -p /dev/fd/1 ]] && flags+="captured "
  variables=$(unset POSIXLY_CORRECT; export -p)
  set -- "$kind" "$__mlbench_key$__mlbench_number@$__mlbench_line" "$PWD" "$flags" "$code" "$text" "$variables" $# "$@" ""
  # bash writes at each end of a line: without them a record is one write, which no other process can come between
  builtin printf '%s\0' "${@//$'\n'/$'\x1e'}" >&77
}

__mlbench_shell() { # the words that led here are noted already; run the shell for real, follow it, and note how it ended
  local code file=$1
  shift
  BASH_ENV=$__mlbench_file MLBENCH_FOLLOW="$__mlbench_key$__mlbench_number@$__mlbench_line/" /bin/bash "$@"
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
  elif [[ $__mlbench_tools == *[[:space:]]"$name "* ]]; then
    local file=/usr/bin/$name
    [[ -x $file ]] || file=/bin/$name
    PATH=/usr/bin:/bin "$file" "${@:2}" 77>&-
    local code=$?
    __mlbench_note tool $code "" "$@" 
    return $code
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
        if [[ ${word##*/} == @(bash|sh|dash) || ( $word == */*.sh && -f $word ) ]]; then
          __mlbench_note shell 0 "" "$@"
          for (( ; --index > 1; )); do [[ ${!index} =~ ^[A-Za-z_][A-Za-z0-9_]*= ]] && export "${!index}"; done
          while [[ $# -gt 0 && ${1##*/} != @(bash|sh|dash) && $1 != */*.sh ]]; do shift; done
          [[ $1 == *.sh ]] && set -- bash "$@"
          __mlbench_shell "$name" "${@:2}"
          return
        fi
      done
    fi
    __mlbench_note command 0 "$text" "$@"
  fi
  [[ -p /dev/fd/1 ]] && builtin echo mlbench-output-of-a-program
  return 0
}

__mlbench_where() {
  local word
  for word; do
    [[ $word == -* ]] && continue
    if [[ $__mlbench_builtins == *[[:space:]]"$word "* ]]; then builtin echo "$word"
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
        if [[ $word == */* || ( $all && $__mlbench_builtins != *[[:space:]]"$word "* ) ]]; then
          __mlbench_shadows+="$word "
          eval "function $word { (__mlbench_run \"$word\" \"\$@\"); }"
        fi
      fi
    done
  done
}

__mlbench_step() { # before each simple command
  case ${FUNCNAME[1]-} in __mlbench_* | command_not_found_handle | command | exec | trap) return 0 ;; esac
  [[ ${FUNCNAME[1]-} && $__mlbench_shadows == *" ${FUNCNAME[1]} "* ]] && return 0
  if (( BASH_SUBSHELL > __mlbench_level )); then
    __mlbench_key+="$__mlbench_number@$__mlbench_line/$BASHPID@$__mlbench_line/"
    __mlbench_number=0 __mlbench_level=$BASH_SUBSHELL
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
  if [[ $PATH != /opt/none ]]; then
    __mlbench_shadow yes
  elif [[ $BASH_COMMAND =~ ^[^=[:space:]]*[/\$] || $BASH_COMMAND =~ ^[A-Za-z0-9_]+=.*[[:space:]].*[/\$] ]]; then
    __mlbench_shadow ""
  fi
  if [[ $BASH_COMMAND =~ ^exec[[:space:]]+[^0-9\<\>\&-] ]]; then
    exec() { __mlbench_exec "$@"; builtin exit; }
  else
    unset -f exec
  fi
  return 0
}

__mlbench_file=${BASH_SOURCE[0]} __mlbench_key=${MLBENCH_FOLLOW-} __mlbench_number=0 __mlbench_line=0 __mlbench_captured= __mlbench_shadows=" "
__mlbench_level=0
if [[ -z $__mlbench_key ]]; then
  exec 77>&1 1> /dev/null
  PATH=/opt/none
  ulimit -v 1000000 -t 5
fi
unset BASH_ENV MLBENCH_FOLLOW
builtin trap wait EXIT
set -T
builtin trap '__mlbench_step $LINENO' DEBUG
