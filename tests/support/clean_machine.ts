/**
 * A machine with a fresh Debian and nothing of this one: a copy of its files, with processes and a
 * network of its own, so that nothing from elsewhere helps what is tried there. It has no running
 * systemd: what that would do with our unit is done by `start_service`.
 *
 * @module
 */

import assert from "node:assert/strict";
import { runTool, type ToolRun } from "./outside_tool.ts";

/** Where the fresh Debian is; `undefined` where there is none. */
const FRESH = Deno.env.get("TOLLGATE_TEST_DEBIAN");
const PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
/** A script that has not ended by then waits for something that never comes. */
const MOST_SECONDS = 300;

/** Options of tests that need such a machine: only root has one. */
export const needsCleanMachine = {
  ignore: Deno.build.os !== "linux" || Deno.uid() !== 0 ||
    (FRESH === undefined && Deno.env.get("CI") !== "true"),
};

/** `await using` removes it. */
export interface CleanMachine extends AsyncDisposable {
  /** Where its files are on this machine. */
  readonly root: string;
  /**
   * Runs a script of bash, as root in its home, which ends at the first command that fails. What it has
   * started ends with it.
   */
  run(script: string): Promise<ToolRun>;
}

/** Makes one. */
export async function openCleanMachine(): Promise<CleanMachine> {
  assert.ok(FRESH !== undefined, "TOLLGATE_TEST_DEBIAN names no fresh Debian");
  const folder = await Deno.makeTempDir({ prefix: "tollgate-machine-" });
  const root = `${folder}/root`;
  const copied = await runTool("cp", ["-a", FRESH, root]);
  assert.equal(copied.code, 0, copied.stderr);
  return {
    root,
    async run(script) {
      await Deno.writeTextFile(`${root}/root/script.sh`, `${FUNCTIONS}\n${script}`);
      return await runTool("timeout", [
        ...["--kill-after=5", String(MOST_SECONDS)],
        ...["unshare", "--net", "--mount", "--pid", "--fork", "--kill-child"],
        `--mount-proc=${root}/proc`,
        ...["sh", "-c", 'ip link set lo up && exec chroot "$@"', "sh", root],
        ...[
          "/usr/bin/env",
          "-i",
          `PATH=${PATH}`,
          "HOME=/root",
          "LANG=C.UTF-8",
          "NO_COLOR=1",
          "SYSTEMD_OFFLINE=1",
        ],
        ...["bash", "-euo", "pipefail", "-c", "cd && exec bash -euo pipefail script.sh"],
      ]);
    },
    [Symbol.asyncDispose]: () => Deno.remove(folder, { recursive: true }),
  };
}

/**
 * `start_service UNIT` does as systemd does with it, as far as a chroot can: a user without a name and
 * without rights, its data and its secrets, the variables, and the folders that root makes for it. It
 * returns when the server has said where it is; `stop_service` when it has ended.
 */
const FUNCTIONS = String.raw`
SERVICE_USER=61234
start_service() {
  local unit=$1 line name path words variables=()
  getent passwd tollgate >/dev/null || {
    echo "tollgate:x:$SERVICE_USER:$SERVICE_USER::/:/usr/sbin/nologin" >> /etc/passwd
    echo "tollgate:x:$SERVICE_USER:" >> /etc/group
  }
  install -d -m 700 -o tollgate -g tollgate /var/lib/tollgate /run/credentials/tollgate.service
  while IFS= read -r line; do
    case $line in
      Environment=*) variables+=("$(eval "printf %s $(printf %s "$line" | cut -d= -f2-)")") ;;
      EnvironmentFile=-*)
        path=$(printf %s "$line" | cut -d- -f2-)
        [ ! -f "$path" ] || while IFS= read -r words; do variables+=("$words"); done \
          < <(grep -v '^#' "$path" | grep .)
        ;;
      LoadCredential=*)
        IFS=: read -r name path <<< "$(printf %s "$line" | cut -d= -f2-)"
        install -m 400 -o tollgate -g tollgate "$path" "/run/credentials/tollgate.service/$name"
        ;;
      ExecStartPre=-+*) eval "$(printf %s "$line" | cut -d+ -f2-)" || true ;;
    esac
  done < "$unit"
  (
    umask 077
    exec setpriv --reuid=$SERVICE_USER --regid=$SERVICE_USER --clear-groups --no-new-privs \
      --bounding-set=-all env -i "${"$"}{variables[@]}" INVOCATION_ID=1 STATE_DIRECTORY=/var/lib/tollgate \
      CREDENTIALS_DIRECTORY=/run/credentials/tollgate.service \
      $(sed -n 's/^ExecStart=//p' "$unit")
  ) > /root/service.log 2>&1 &
  SERVICE=$!
  until grep -q 'Base URL' /root/service.log; do
    kill -0 $SERVICE || { cat /root/service.log; return 1; }
    sleep 0.1
  done
}
stop_service() {
  kill -TERM $SERVICE
  wait $SERVICE
}`;
