#!/bin/sh
# Waits until its parent dies and then ends all processes of the stack. A shell instead of node,
# because it starts in 2 ms and uses 1 MB. Its standard input is a pipe from the supervisor, which
# closes whenever the supervisor ends, including kill -9.
#
# Lines that it reads (the last of each kind applies):
#   pids P1 P2 …      process groups to end
#   postgres P        the database server, which shuts down cleanly
#   remove PATH       a temporary folder to remove at the end (tests)
#   done              everything was stopped in order, nothing is left to do
trap '' INT TERM HUP
pids=''
postgres=''
folder=''
while read -r kind rest; do
  case $kind in
    pids) pids=$rest ;;
    postgres) postgres=$rest ;;
    remove) folder=$rest ;;
    done) exit 0 ;;
  esac
done

for pid in $pids; do kill -TERM "-$pid" 2>/dev/null; done
if [ -n "$postgres" ]; then kill -INT "$postgres" 2>/dev/null; fi

alive() {
  for pid in $pids; do kill -0 "-$pid" 2>/dev/null && return 0; done
  [ -n "$postgres" ] && kill -0 "$postgres" 2>/dev/null
}
tries=0
while alive && [ $tries -lt 100 ]; do
  # Workers get 3 s to finish; Postgres gets 10 s to write its checkpoint.
  if [ $tries -eq 30 ]; then for pid in $pids; do kill -KILL "-$pid" 2>/dev/null; done; fi
  sleep 0.1
  tries=$((tries + 1))
done
for pid in $pids; do kill -KILL "-$pid" 2>/dev/null; done
if [ -n "$postgres" ] && kill -0 "$postgres" 2>/dev/null; then kill -QUIT "$postgres" 2>/dev/null; fi
if [ -n "$folder" ]; then rm -rf "$folder"; fi
exit 0
