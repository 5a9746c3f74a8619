# Functions that time the steps of .ci/run and .ci/release. Both source this file.
#
#   step NAME BUDGET   ends the previous step and starts one that should take at most BUDGET seconds
#   reserved NAME BUDGET   reserves seconds for a future step
#   steps_done LIMIT   prints the table; fails if the budgets exceed LIMIT seconds

step_names=()
step_budgets=()
step_seconds=()
step_began=0

end_step() {
    local n=${#step_names[@]}
    if [ "$n" -gt 0 ] && [ "${#step_seconds[@]}" -lt "$n" ]; then
        step_seconds+=($((SECONDS - step_began)))
        printf -- '-- %d s\n' "${step_seconds[-1]}"
    fi
}

step() {
    end_step
    step_names+=("$1")
    step_budgets+=("$2")
    step_began=$SECONDS
    printf '\n== %s  (at %d s)\n' "$1" "$SECONDS"
}

reserved() {
    end_step
    step_names+=("$1")
    step_budgets+=("$2")
    step_seconds+=("-")
}

steps_done() {
    end_step
    local k sum=0 note
    printf '\n%-56s %8s %8s\n' "step" "seconds" "budget"
    for k in "${!step_names[@]}"; do
        note=
        if [ "${step_seconds[k]}" != - ] && [ "${step_seconds[k]}" -gt "${step_budgets[k]}" ]; then
            note="  over its budget"
        fi
        printf '%-56s %8s %8s%s\n' "${step_names[k]}" "${step_seconds[k]}" "${step_budgets[k]}" "$note"
        sum=$((sum + step_budgets[k]))
    done
    printf '%-56s %8d %8d\n' "all" "$SECONDS" "$sum"
    if [ "$sum" -gt "$1" ]; then
        echo "the budgets must stay below $1 s: move slow checks that rarely fail to .ci/release" >&2
        return 1
    fi
}
