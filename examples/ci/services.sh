#!/usr/bin/env bash
# The figures of a projection for services that plot them over time:
#
#   examples/ci/services.sh github-action-benchmark projection.json   # its customSmallerIsBetter
#   examples/ci/services.sh bencher projection.json
set -euo pipefail
case $1 in
  github-action-benchmark)
    jq '[.configurations[] | .name as $c | .metrics | to_entries[] | select(.value.kind != "rate" and .value.value != null)
      | {name: "\($c)/\(.key)", unit: (if .key | endswith("_s") then "s" else "" end), value: .value.value}]' "$2"
    ;;
  bencher)
    jq '[.configurations[] | select(.metrics.runtime_s.value != null) | {key: .name, value: {"projected-run-time": (.metrics.runtime_s
      | {value, lower_value: .low, upper_value: .high} | with_entries(select(.value != null)))}}] | from_entries' "$2"
    ;;
  *) echo "$1: github-action-benchmark or bencher" >&2; exit 2 ;;
esac
