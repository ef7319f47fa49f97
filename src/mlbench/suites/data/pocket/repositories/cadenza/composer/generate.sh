#!/usr/bin/env bash
# bash generate.sh CKPT STYLE TEMPO BARS
set -eu

if [ $# -ne 4 ]; then
  echo "usage: [SEED=n] [TEMPERATURE=t] bash generate.sh CKPT STYLE TEMPO BARS" >&2
  exit 1
fi

case "$2" in
  plain|swung|slurred|ornate) ;;
  *) echo "STYLE is one of plain, swung, slurred, ornate" >&2; exit 1 ;;
esac

python generate.py --ckpt "$1" --style "$2" --tempo "$3" --bars "$4" \
  --temperature "${TEMPERATURE:-1.0}" --seed "${SEED:-1}"
