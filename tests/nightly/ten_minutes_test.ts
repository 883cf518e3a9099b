/**
 * The guide to a team's VM, walked on a machine that has a fresh Debian and a release's archive, from
 * its first command to its last. What was seen is left in dist/ten_minutes.txt, which the guide shows.
 *
 * @module
 */

import assert from "node:assert/strict";
import { pack } from "../../build/release/pack.ts";
import { needsCleanMachine, openCleanMachine } from "../support/clean_machine.ts";
import { programKind } from "../support/executable.ts";
import { packedProgram } from "../support/packed_program.ts";
import { readSnippets } from "../support/snippets.ts";

const GUIDE = "docs/guides/team.md";
const CAN_WALK = { ignore: needsCleanMachine.ignore || programKind !== "executable" };

Deno.test("the guide to a team's VM works on a fresh Debian, word by word", CAN_WALK, async () => {
  await using machine = await openCleanMachine();
  const [archive] = await pack(`${machine.root}/root`, await packedProgram("0.1.0"));
  const [install, vendor, team, call, look, safe, ...more] = readSnippets()
    .filter(({ where, language }) => where.startsWith(`${GUIDE}:`) && language === "sh")
    .map(({ text }) => text);
  assert.deepEqual([safe !== undefined, more], [true, []], "the guide has other snippets");

  const { code, stdout, stderr } = await machine.run(String.raw`
    printf '#!/bin/sh\nexec "$@"\n' > /usr/bin/sudo; chmod 755 /usr/bin/sudo
    # Without a systemd that runs, start_service does what is asked for by --now and restart.
    printf '#!/bin/sh\n[ "$1" != restart ] || exit 0\n[ "$2" != --now ] || set -- enable "$3"\nexec /usr/bin/systemctl "$@"\n' \
      > /usr/local/bin/systemctl
    chmod 755 /usr/local/bin/systemctl
    # Says each command before it is run.
    walk() { sed 's/^\([^ ]\)/$ \1/' <<< "$1"; bash -euo pipefail -c "$1" 2>&1; echo; }
    echo silent > .curlrc
    tar xzf ${archive}
    cd ${archive!.replace(".tar.gz", "")}
    SECONDS=0
    walk ${quote(install!)} <<< sk-of-a-vendor
    start_service /etc/systemd/system/tollgate.service
    walk ${quote(vendor!)}
    walk ${quote(team!)} | tee /root/keys.txt
    key=$(grep -o 'sk-tg-[A-Za-z0-9_-]*' /root/keys.txt | head -n 1)
    call=${quote(call!)}
    walk "${"$"}{call/sk-tg-…/$key}"
    walk ${quote(look!)}
    walk ${quote(safe!)}
    stop_service
    start_service /etc/systemd/system/tollgate.service
    # The first backup is made once it serves.
    until tollgate backup list 2>&1 | grep -q 'add up'; do sleep 0.2; done
    walk 'tollgate backup list'
    walk 'tollgate ledger verify'
    stop_service
    echo "walked in $SECONDS s"
  `);
  assert.equal(code, 0, stdout + stderr);
  const seen = stdout.replaceAll(/sk-tg-[\w-]{20,}/g, "sk-tg-…").replaceAll(/code=\S+/g, "code=…");
  await Deno.mkdir("dist", { recursive: true });
  await Deno.writeTextFile("dist/ten_minutes.txt", seen);
  for (
    const said of [
      /You said: Hello!/,
      /https:\/\/ai\.example\.com\/console\/enter\?code=/,
      /BOOKS\n\S+\.db .* add up/,
      /No differences: /,
      /openai\/gpt-5-mini/,
      /\nwalked in \d+ s\n$/,
    ]
  ) assert.match(stdout, said);
});

/** A text as one word of a shell. */
function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
