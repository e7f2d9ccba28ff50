# What Doxygen reads instead of the headers, line for line.
#
# A function whose one parameter is a span without a name looks to it like a variable with a constructor's argument;
# with `const` in front, which changes nothing, it does not.
s/^(\w+ \w+\()(std::span<const [[:alnum:]:]+>\);)/\1const \2/
# In front of a lower-case word it is no seqpoint::Where.
s/(\/\/\/.*)\bWhere ([a-z])/\1%Where \2/
