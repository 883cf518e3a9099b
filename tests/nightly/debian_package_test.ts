/**
 * The Debian package on a fresh Debian: installed, brought up to date, removed and purged by dpkg.
 *
 * @module
 */

import assert from "node:assert/strict";
import { debianPackage } from "../../build/release/debian.ts";
import { needsCleanMachine, openCleanMachine } from "../support/clean_machine.ts";
import { programKind } from "../support/executable.ts";
import { runTool } from "../support/outside_tool.ts";
import { packedProgram } from "../support/packed_program.ts";

const CAN_INSTALL = { ignore: needsCleanMachine.ignore || programKind !== "executable" };

Deno.test(
  "dpkg installs it, keeps data and changes, and takes away what it brought",
  CAN_INSTALL,
  async () => {
    await using machine = await openCleanMachine();
    const versions = ["0.1.0", "0.2.0"] as const;
    const packages: string[] = [];
    for (const version of versions) {
      packages.push(await debianPackage(`${machine.root}/root`, await packedProgram(version)));
    }
    const [first, second] = packages;
    const { code, stdout, stderr } = await machine.run(String.raw`
    dpkg -i ${first}
    tollgate version
    dpkg -V tollgate
    start_service /lib/systemd/system/tollgate.service
    key=$(cat /var/lib/tollgate/first-key)
    call() {
      curl -sf http://127.0.0.1:8080/v1/chat/completions -H "Authorization: Bearer $key" \
        -H 'Content-Type: application/json' \
        -d '{"model":"echo-1","messages":[{"role":"user","content":"'"$1"'"}]}'
      echo
    }
    call before
    stop_service
    echo TOLLGATE_MAX_CONNECTIONS=321 >> /etc/default/tollgate
    dpkg -i ${second}
    dpkg-query -W -f '${"$"}{Version}\n' tollgate
    start_service /lib/systemd/system/tollgate.service
    call after
    tollgate calls list --json | grep -o '"request_id"' | wc -l
    tollgate ledger verify
    tr '\0' '\n' < /proc/$SERVICE/environ | grep TOLLGATE_MAX_CONNECTIONS
    stop_service
    dpkg -r tollgate
    if command -v tollgate; then exit 1; fi
    test ! -e /lib/systemd/system/tollgate.service
    grep 321 /etc/default/tollgate
    ls -A /var/lib/tollgate | grep -c .
    dpkg -P tollgate
    test ! -e /etc/default/tollgate
    test ! -e /usr/share/doc/tollgate
    ls /var/lib/tollgate/*.db
    echo all of it
  `);
    assert.equal(code, 0, stdout + stderr);
    for (
      const said of [
        /start it with: systemctl enable --now tollgate/,
        /You said: before/,
        /^0\.2\.0$/m,
        /You said: after/,
        /^2$/m,
        /^TOLLGATE_MAX_CONNECTIONS=321$/m,
        /\nall of it\n$/,
      ]
    ) assert.match(stdout, said, stderr);
    assert.doesNotMatch(stderr, /dpkg: (?:warning|error)|conffile/i);
  },
);

Deno.test(
  "an update changes the variables that an operator left alone, and nothing that he changed",
  CAN_INSTALL,
  async () => {
    await using machine = await openCleanMachine();
    const name = await debianPackage(`${machine.root}/root`, await packedProgram("0.1.0"));
    const { code, stdout, stderr } = await machine.run(String.raw`
    exec < /dev/null
    own=/etc/default/tollgate
    # The same with another line, as a later version may bring one.
    dpkg-deb -R ${name} later
    sed -i 's/^Version: .*/Version: 0.2.0/' later/DEBIAN/control
    echo '# TOLLGATE_LATER=1' >> later/etc/default/tollgate
    dpkg-deb -Zgzip -z1 -b later later.deb
    dpkg -i ${name}
    dpkg -i later.deb
    grep LATER $own
    dpkg -P tollgate

    dpkg -i ${name}
    echo TOLLGATE_MAX_CONNECTIONS=321 >> $own
    # Nobody is there to be asked: without a word dpkg changes neither.
    if dpkg -i later.deb; then exit 1; fi
    grep 321 $own
    dpkg --force-confold -i later.deb
    dpkg-query -W -f '${"$"}{Status} ${"$"}{Version}\n' tollgate
    grep 321 $own
    if grep LATER $own; then exit 1; fi
    grep LATER $own.dpkg-dist

    rm $own
    dpkg -i later.deb
    test ! -e $own
    dpkg -P tollgate
    test -z "$(ls /etc/default | grep tollgate)"
    echo all of it
  `);
    assert.equal(code, 0, stdout + stderr);
    assert.match(stdout, /^install ok installed 0\.2\.0$/m);
    assert.match(stdout, /\nall of it\n$/);
  },
);

Deno.test(
  "systemd takes the installed unit as it is, and what it runs for a reload is there",
  CAN_INSTALL,
  async () => {
    await using machine = await openCleanMachine();
    const name = await debianPackage(`${machine.root}/root`, await packedProgram("0.1.0"));
    const { code, stdout, stderr } = await machine.run(String.raw`
    export LC_ALL=C SYSTEMD_COLORS=0
    unit=/lib/systemd/system/tollgate.service
    changes=/etc/systemd/system/tollgate.service.d
    verify() { systemd-analyze verify --man=no tollgate.service 2>&1; }
    security() {
      systemd-analyze security --offline=yes --no-pager --threshold=20 tollgate.service | tail -n 1
    }
    dpkg -i ${name}
    echo "as it is: $(verify)"
    security
    systemctl enable tollgate 2>&1
    readlink -f /etc/systemd/system/multi-user.target.wants/tollgate.service

    # As systemctl edit does it.
    mkdir $changes
    printf '[Service]\nEnvironment=TOLLGATE_LISTEN=0.0.0.0:8080\n' > $changes/override.conf
    echo "changed: $(verify)"
    printf '[Service]\nExecReload=\nExecReload=/bin/nothing\n' > $changes/override.conf
    if verify; then exit 1; fi
    rm -r $changes

    # /bin/kill is of a package that is not here.
    test ! -e /bin/kill
    start_service $unit
    MAINPID=$SERVICE bash -c "$(sed -n 's/^ExecReload=//p' $unit)"
    until grep secrets_read /root/service.log; do sleep 0.1; done
    stop_service
    dpkg -P tollgate
    echo all of it
  `);
    assert.equal(code, 0, stdout + stderr);
    for (
      const said of [
        /^as it is: $/m,
        /Overall exposure level for tollgate\.service: [01]\.\d OK/,
        /^\/(?:usr\/)?lib\/systemd\/system\/tollgate\.service$/m,
        /^changed: $/m,
        /Command \/bin\/nothing is not executable/,
        /secrets_read/,
        /\nall of it\n$/,
      ]
    ) assert.match(stdout, said, stderr);
  },
);

Deno.test("what the package needs is what it says", CAN_INSTALL, async () => {
  const folder = await Deno.makeTempDir({ prefix: "tollgate-needs-" });
  try {
    const name = await debianPackage(folder, await packedProgram("0.1.0"));
    const { stdout } = await runTool("dpkg-deb", ["-f", `${folder}/${name}`, "Depends"]);
    assert.equal(stdout.trim(), "libc6 (>= 2.27), libgcc-s1");
    const linked = await runTool("ldd", [Deno.env.get("TOLLGATE_BINARY")!]);
    const libraries = [...linked.stdout.matchAll(/^\s*([\w-]+)\.so/gm)].map(([, name]) => name!);
    const known = [
      "linux-vdso",
      "libgcc_s",
      "libc",
      "libm",
      "libdl",
      "libpthread",
      "librt",
      "ld-linux-x86-64",
    ];
    assert.deepEqual(libraries.filter((library) => !known.includes(library)), []);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
