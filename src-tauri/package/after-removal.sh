#!/bin/sh
# Runs after the package was removed. A person's memory is not the package's to delete: says where it stays.
set -e
# Debian says what happens, RPM how many versions are left.
case "$1" in
  remove | 0) ;;
  *) exit 0 ;;
esac
kept=$(
  getent passwd | cut -d: -f6 | sort -u | while read -r home; do
    folder="$home/.local/share/lethescope/vault"
    if [ -e "$folder/vault.db" ]; then printf '  %s\n' "$folder"; fi
  done
)
if [ -n "$kept" ]; then
  printf 'Lethescope is removed. These vaults stay; delete the folder to remove one:\n%s\n' "$kept"
fi
exit 0
