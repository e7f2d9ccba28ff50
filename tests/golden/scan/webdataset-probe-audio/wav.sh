wav() {  # FILE SAMPLES   16-bit mono silence at 16 kHz
  local bytes=$(($2 * 2)) le
  le() { printf "\\x$(printf %02x $(($1 & 255)))\\x$(printf %02x $(($1 >> 8 & 255)))\\x$(printf %02x $(($1 >> 16 & 255)))\\x$(printf %02x $(($1 >> 24 & 255)))"; }
  { printf RIFF; le $((36 + bytes)); printf 'WAVEfmt \x10\0\0\0\x01\0\x01\0'; le 16000; le 32000; printf '\x02\0\x10\0data'; le $bytes
    head -c $bytes /dev/zero; } > "$1"
}
