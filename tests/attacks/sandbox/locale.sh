# Strange settings for whoever starts the next program: locale, time zone, terminal, file mask.
export LANG=$'\033[2J' LC_ALL=../../../etc/passwd TZ=:/etc/shadow TERM=$'\033]0;owned\007' TERMINFO=/tmp
umask 777; date; locale 2>&1; printf '\xff\xfe\x00\xd8' ; tput cols 2>&1; exit 0
