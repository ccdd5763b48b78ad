#!/bin/sh
# Gives every channel of Centrifugo a new epoch after Redis has another master, so that every client
# gets `recovered: false` and reads its state again. A replica may lack the newest frames. Promoted,
# it would give their numbers to other frames under the same epoch, and clients would miss frames
# without a sign.
#
#   after_failover.sh NAME ROLE STATE FROM-HOST FROM-PORT TO-HOST TO-PORT
#     Called by Sentinel: "sentinel client-reconfig-script NAME /path/after_failover.sh".
#   after_failover.sh --watch HOST PORT
#     For a Redis without Sentinel scripts: looks once a second, until it is ended.
#   after_failover.sh --now HOST PORT
#     For an operator.
#
# Redis has another `master_replid` after each promotion and each restart. The script keeps the one
# that it has seen in Redis itself, so any number of copies may run, and each change acts once.
# A second pass follows after the grace: until then, an old master that is cut off may still accept
# frames that the new one never gets. Redis must be configured to refuse them sooner
# (min-replicas-to-write, min-replicas-max-lag).
#
# REDISCLI_AUTH            password
# REDIS_CLI_OPTIONS        more options of redis-cli, such as "--tls --user NAME"
# CENTRIFUGO_REDIS_PREFIX  prefix of the keys (centrifugo)
# FAILOVER_GRACE_SECONDS   time until the second pass (15); Sentinel ends a script after 60 s
set -eu
prefix=${CENTRIFUGO_REDIS_PREFIX:-centrifugo}
grace=${FAILOVER_GRACE_SECONDS:-15}

# In one step, so that no frame is published meanwhile. Deletes positions and history.
renew='
local id = redis.call("INFO", "replication"):match("master_replid:(%x+)")
if ARGV[2] == "changed" and redis.call("GET", KEYS[1]) == id then return -1 end
local cursor, count = "0", 0
repeat
  local page = redis.call("SCAN", cursor, "MATCH", ARGV[1], "COUNT", 1000)
  cursor = page[1]
  for _, key in ipairs(page[2]) do count = count + redis.call("UNLINK", key) end
until cursor == "0"
redis.call("SET", KEYS[1], id)
return count'

log() {
  echo "$(date -u +%Y-%m-%dT%H:%M:%SZ) after_failover: $*" >&2
}

# call HOST PORT ARGUMENT...
call() {
  host=$1 port=$2
  shift 2
  # The options are several words.
  # shellcheck disable=SC2086
  timeout 5 redis-cli --no-auth-warning ${REDIS_CLI_OPTIONS:-} -h "$host" -p "$port" "$@" 2>&1
}

# pass HOST PORT 1|2 changed|always: fails where Redis did not do it.
pass() {
  answer=$(call "$1" "$2" EVAL "$renew" 1 "$prefix.epochs.$3" "$prefix.stream.*" "$4") || true
  case $answer in
    -1) ;;
    '' | *[!0-9]*)
      log "$1:$2 refused pass $3: $answer"
      return 1
      ;;
    *) log "$1:$2 pass $3 deleted $answer keys" ;;
  esac
}

# until_passed HOST PORT 1|2: tries for 20 s.
until_passed() {
  tries=0
  until pass "$1" "$2" "$3" changed; do
    tries=$((tries + 1))
    [ "$tries" -lt 100 ] || exit 1
    sleep 0.2
  done
}

# Whether no process answers there, and none can have accepted frames since.
is_gone() {
  case $(call "$1" "$2" PING) in
    *'Connection refused'*) ;;
    *) return 1 ;;
  esac
}

watch() {
  due=$(($(date +%s) + grace))
  while :; do
    answered=
    if pass "$1" "$2" 1 changed; then
      case $answer in -1) ;; *) due=$(($(date +%s) + grace)) ;; esac
      answered=yes
    fi
    if [ -n "$answered" ] && [ "$due" -gt 0 ] && [ "$(date +%s)" -ge "$due" ]; then
      pass "$1" "$2" 2 changed && due=0
    fi
    sleep 1
  done
}

case ${1:-} in
  --watch) watch "$2" "$3" ;;
  --now) pass "$2" "$3" 1 always ;;
  *)
    [ $# -eq 7 ] || {
      log 'wrong arguments: see the head of this file'
      exit 2
    }
    until_passed "$6" "$7" 1
    if ! is_gone "$4" "$5"; then
      sleep "$grace"
      until_passed "$6" "$7" 2
    fi
    ;;
esac
