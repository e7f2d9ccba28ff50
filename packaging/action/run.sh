#!/usr/bin/env bash
# Runs seqpoint for the action beside this file, and shows on the pull request what its job summary shows:
#
#   PROGRAM=seqpoint ARGUMENTS='an argument a line' COMMENT=NAME NUMBER=17 GH_TOKEN=... run.sh
#
# A comment that has this name is written anew, so a pull request has one a name. Without COMMENT, the program is only run. Ends as
# the program does: a comment that cannot be written changes no verdict.
set -euo pipefail

mapfile -t words < <(printf '%s' "$ARGUMENTS")
[[ -n $COMMENT ]] || exec "$PROGRAM" "${words[@]}"

tell() {  # LEVEL MESSAGE   as an annotation
  local text=${2//'%'/%25}
  text=${text//$'\r'/%0D}
  echo "::$1 title=seqpoint::${text//$'\n'/%0A}"
}
if [[ ! $COMMENT =~ ^[A-Za-z0-9._\ -]+$ ]]; then
  tell error "comment: '$COMMENT' is no name for one: take letters, digits, blanks, '.', '_' and '-'"
  exit 2
fi

summary=$(mktemp) body=$(mktemp)
trap 'rm -f "$summary" "$body"' EXIT
given=" ${words[*]}"
[[ ${given%% -- *} == *" --ci"* ]] || words=("${words[@]:0:1}" --ci github "${words[@]:1}")  # what is behind -- is the job's
status=0
GITHUB_STEP_SUMMARY=$summary "$PROGRAM" "${words[@]}" || status=$?
[[ -s $summary ]] || echo "### seqpoint: no verdict, exit status $status: the reason is in the log" >"$summary"
cat "$summary" >>"$GITHUB_STEP_SUMMARY"

mark="<!-- seqpoint: $COMMENT -->"
{
  echo "$mark"
  # GitHub takes 65,536 characters.
  LC_ALL=C awk '(n += length($0) + 1) > 60000 { print "\n*Truncated: the rest is in the job summary.*"; exit } 1' "$summary"
  printf '\n[This run](%s/%s/actions/runs/%s)\n' "$GITHUB_SERVER_URL" "$GITHUB_REPOSITORY" "$GITHUB_RUN_ID"
} >"$body"

own='[.comments[] | select(.viewerDidAuthor and (.body | startswith("'$mark'"))) | .url] | first // ""'
comment() {
  local url
  url=$(gh pr view "$NUMBER" --repo "$GITHUB_REPOSITORY" --json comments --jq "$own") || return
  if [[ -n $url ]]; then
    gh api --method PATCH "repos/$GITHUB_REPOSITORY/issues/comments/${url##*-}" --field "body=@$body" --jq .html_url
  else
    gh pr comment "$NUMBER" --repo "$GITHUB_REPOSITORY" --body-file "$body"
  fi
}
if [[ -z $NUMBER ]]; then
  tell notice "no comment, as this is no pull request: the table is in the job summary"
elif said=$(comment 2>&1); then
  echo "$said"
else
  why="No comment on the pull request; the table is in the job summary. The token may write one with \`pull-requests: write\` among \
the job's permissions, but not where the pull request is from a fork. What gh says: ${said:-nothing}"
  tell warning "$why"
  printf '\n*%s*\n' "$why" >>"$GITHUB_STEP_SUMMARY"
fi
exit "$status"
