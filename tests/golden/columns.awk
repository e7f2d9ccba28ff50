# Reduces tables of `project` to the columns that a case pins, so that a new column changes no other case:
#
#   awk -v pinned=FILE -f columns.awk
#
# FILE has a name per line; an empty one keeps every column. Tables are text, CSV or Markdown, with `build` or `configuration` as
# their first column. They end at a line that has no columns.

BEGIN {
  while ((getline name < pinned) > 0) {
    wanted[name] = 1
    any = 1
  }
}

function kind_of(line) {
  if (line ~ /^(build|configuration)  +[^ ]/) return "text"
  if (line ~ /^(build|configuration),/) return "csv"
  if (line ~ /^\| (build|configuration) \|/) return "markdown"
  return ""
}

function is_row(line) {
  if (kind == "text") return line ~ /[^ ]  +[^ ]/
  if (kind == "csv") return split(line, cells, ",") == number
  return line ~ /^\|/
}

# The columns of a text: between them at least two places are blank in every line.
function find_columns(  line, at, length_of_all, blank, ends) {
  for (line = 1; line <= lines; ++line)
    if (length(table[line]) > length_of_all) length_of_all = length(table[line])
  number = 0
  blank = 2
  for (at = 1; at <= length_of_all; ++at) {
    for (line = 1; line <= lines && substr(table[line] " ", at, 1) ~ /^ ?$/; ++line) {}
    if (line > lines) {
      ++blank
      continue
    }
    # A place under no name belongs to the column before it.
    if (blank >= 2 && substr(table[1], at) ~ /[^ ]/) from[++number] = at
    to[number] = at
    blank = 0
  }
  for (at = 1; at <= number; ++at) names[at] = trimmed(substr(table[1], from[at], to[at] - from[at] + 1))
}

function trimmed(text) {
  gsub(/^ +| +$/, "", text)
  return text
}

function cell(line, column) {
  if (kind == "text") return sprintf("%-" (to[column] - from[column] + 1) "s", substr(line, from[column], to[column] - from[column] + 1))
  split(line, cells, separator)
  return cells[column + (kind == "markdown")]
}

function write_table(  line, column, text, between, all) {
  separator = kind == "csv" ? "," : "|"
  between = kind == "text" ? "  " : separator
  if (kind == "text") find_columns()
  else {
    number = split(table[1], names, separator)
    if (kind == "markdown") {
      number -= 2  # the line begins and ends with one
      for (column = 1; column <= number; ++column) names[column] = trimmed(names[column + 1])
    }
  }
  all = 1
  for (column = 1; column <= number; ++column) all = all && names[column] in wanted
  for (line = 1; line <= lines; ++line) {
    if (all || !any) {
      print table[line]
      continue
    }
    text = ""
    for (column = 1; column <= number; ++column)
      if (names[column] in wanted) text = text (text == "" ? "" : between) cell(table[line], column)
    if (kind == "text") sub(/ +$/, "", text)
    print kind == "markdown" ? "|" text "|" : text
  }
  lines = 0
}

lines && (kind_of($0) != "" || !is_row($0)) { write_table() }
lines { table[++lines] = $0; next }
{
  kind = kind_of($0)
  if (kind == "") { print; next }
  table[lines = 1] = $0
  number = split($0, cells, ",")
}
END { if (lines) write_table() }
