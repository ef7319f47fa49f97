#!/usr/bin/env bash
# COLLECTION FOLDS METRIC [FEATURES]
set -eu
if [ $# -lt 3 ] || [ $# -gt 4 ]; then
  echo "Usage: bash crossval.sh COLLECTION FOLDS METRIC [FEATURES]" >&2
  exit 1
fi
case "$3" in
  accuracy|macro_f1|kappa|log_loss) ;;
  *) echo "unknown metric $3" >&2; exit 1 ;;
esac
exec python crossval.py "$1" "$2" "$3" "${4:-window}"
