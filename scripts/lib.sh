# Shared by the scripts of this folder: `source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"`.
# Moves to the repository's root, so that every path below may be relative and quoted.
cd "$(dirname "${BASH_SOURCE[0]}")/.."

if [[ -t 1 && -z "${NO_COLOR:-}" ]]; then
    BOLD=$'\e[1m' DIM=$'\e[2m' RESET=$'\e[0m'
else
    BOLD='' DIM='' RESET=''
fi

# The heading of a step that takes a while, with the time it began.
step() { printf '%s==> %s%s %s%s%s\n' "$BOLD" "$*" "$RESET" "$DIM" "$(date +%H:%M:%S)" "$RESET"; }

# One line that explains; on stderr, so that a script's own output stays clean.
note() { printf '    %s\n' "$*" >&2; }

# One clear line, and the end.
fail() {
    printf 'error: %s\n' "$*" >&2
    exit 1
}

# For a script that takes one word, or none: the words that it takes, `--`, and what it was given.
#
#   takes_one_of sca native -- "$@"
takes_one_of() {
    local allowed=()
    while [[ $1 != -- ]]; do
        allowed+=("$1")
        shift
    done
    shift
    local script=scripts/${0##*/} known=''
    if ((${#allowed[@]})); then
        printf -v known '%s, ' "${allowed[@]}"
        known="${known%, } or "
    fi
    (($# <= 1)) || fail "$script takes ${known}nothing, not: $*"
    (($# == 0)) || [[ -n $1 && $1 != *' '* && " ${allowed[*]-} " == *" $1 "* ]] ||
        fail "$script takes ${known}nothing, not: $1"
}

# The Swift toolchain is the one thing that these scripts do not install: which one to trust is the reader's choice.
require_swift() {
    command -v swift >/dev/null || fail 'swift is not on the PATH; install Swift 6.2 or newer: https://www.swift.org/install/'
    local told version major minor
    # A toolchain without the libraries that it is linked with names the first one.
    told=$(swift --version 2>&1) || fail "swift does not start (${told//$'\n'/ }): https://www.swift.org/install/ lists what it needs"
    version=$(sed -nE 's/.*Swift version ([0-9]+)\.([0-9]+).*/\1 \2/p' <<<"$told")
    read -r major minor <<<"${version:-0 0}"
    if ((major < 6 || (major == 6 && minor < 2))); then
        fail "Swift 6.2 or newer is needed, but this is ${major}.${minor}: https://www.swift.org/install/"
    fi
}

# Runs a command and says how long it took.
timed() {
    local began=$SECONDS status=0
    "$@" || status=$?
    note "done in $((SECONDS - began)) s"
    return "$status"
}

# Runs a command whose thousands of lines matter only if it fails, such as a build. A terminal has one line, with how far it is and how long
# it has taken; elsewhere there is one line when it begins, one every two minutes and one when it has ended.
#
#   quietly NAME-OF-THE-LOG 'What is being done' COMMAND…
quietly() {
    local log=.build/logs/$1.log title=$2 began=$SECONDS status=0 ticker='' found
    shift 2
    mkdir -p .build/logs
    : >"$log"
    # Commands that run at the same time would write over each other's line.
    if [[ -t 2 && -z ${IN_LANE:-} ]]; then
        show_progress "$log" "$title" >&2 &
        ticker=$!
    else
        step "$title" >&2
        if [[ -z ${IN_LANE:-} ]]; then
            note_progress "$log" >&2 &
            ticker=$!
        fi
    fi
    "$@" >"$log" 2>&1 || status=$?
    if [[ -n $ticker ]]; then
        kill "$ticker" 2>/dev/null || true
        wait "$ticker" 2>/dev/null || true
    fi
    if [[ -t 2 && -z ${IN_LANE:-} ]]; then
        printf '\r\e[K' >&2
        step "$title" >&2
    fi
    if ((status == 0)); then
        note "done in $((SECONDS - began)) s"
        return 0
    fi
    # Others go on compiling for a while after the first error.
    found=$(grep -aE -A 4 'error:' "$log" | head -n 60) || true
    if [[ -z $found ]]; then found=$(tail -n 40 "$log"); fi
    printf '%s\n' "$found" >&2
    note "failed after $((SECONDS - began)) s; all of its output is in $PWD/$log"
    return "$status"
}

# The last step of a build in its log: `[12/345] Compiling …` as `12 done: Compiling …`, since SwiftPM's total grows as it goes. Other
# lines, such as a warning with its path, are no progress.
last_step() { tail -c 16384 "$1" | tr '\r' '\n' | sed -nE 's,^\[([0-9]+)/[0-9]+\] ,\1 done: ,p' | tail -n 1; }

# The line of `quietly`, until it is ended, or its script is.
show_progress() {
    local began=$SECONDS took line
    while kill -0 "$$" 2>/dev/null; do
        took=$((SECONDS - began))
        printf -v line '==> %s  %d:%02d  %s' "$2" $((took / 60)) $((took % 60)) "$(last_step "$1")"
        # A longer line would wrap, and the next one would not replace it.
        printf '\r\e[K%s' "${line:0:$(($(tput cols 2>/dev/null || echo 80) - 1))}"
        sleep 1
    done
}

# The lines of `quietly` where there is no terminal. It sleeps for a second at a time, so that nothing outlives the command.
note_progress() {
    local began=$SECONDS next=120 step
    while kill -0 "$$" 2>/dev/null; do
        if ((SECONDS - began >= next)); then
            step=$(last_step "$1")
            note "$((next / 60)) minutes${step:+: $step} ($1)"
            next=$((next + 120))
        fi
        sleep 1
    done
}

# How the debug build is made; the same for all scripts, or each would build everything again. C is optimized: BoringSSL's RSA keys
# and scrypt take several times as long otherwise, and every test of a server or a PIN needs them. With -O2, compiling it would take longer
# than all tests gain by it.
debug_build=(-Xcc -O1)
# DEBUG_INFO=none leaves out what a debugger needs, and the compiler's check of its own LLVM code: a tenth faster, and a crash names
# functions without lines.
case "${DEBUG_INFO:-}" in
'') ;;
none) debug_build+=(-debug-info-format none -Xswiftc -Xfrontend -Xswiftc -disable-llvm-verify) ;;
*) fail "DEBUG_INFO takes none or nothing, not: $DEBUG_INFO" ;;
esac
# DEBUG_BUILD_MODULES=whole compiles each Swift module at once, and leaves what belongs to the system out of the index: a fifth less work
# for a first build. After an edit all of a module is compiled again.
case "${DEBUG_BUILD_MODULES:-}" in
'') ;;
whole)
    for flag in -whole-module-optimization -disable-batch-mode -num-threads 2 -index-ignore-system-modules; do
        debug_build+=(-Xswiftc "$flag")
    done
    ;;
*) fail "DEBUG_BUILD_MODULES takes whole or nothing, not: $DEBUG_BUILD_MODULES" ;;
esac
# What scripts/precompile-headers printed.
[[ -z ${DEBUG_BUILD_HEADERS:-} ]] || debug_build+=(-Xcxx -include-pch -Xcxx "$DEBUG_BUILD_HEADERS")
