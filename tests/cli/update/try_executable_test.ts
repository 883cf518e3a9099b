/**
 * An executable is tried before it takes another's place, with nothing but itself and in a bounded time.
 *
 * @module
 */

import assert from "node:assert/strict";
import { requireRuns } from "../../../src/cli/update/try_executable.ts";
import { writeExecutable } from "../../support/executable_files.ts";

const onUnix = { ignore: Deno.build.os === "windows" };
/** Only for who never ends. */
const SOON_MS = 300;

async function withScript(lines: string, test: (path: string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "tollgate-try-" });
  try {
    await writeExecutable(`${folder}/later`, `#!/bin/sh\n${lines}\n`);
    await test(`${folder}/later`);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

Deno.test(
  "an executable that says its version is good, and learns nothing of its surroundings",
  onUnix,
  () =>
    withScript(
      `[ "$*" = "version --json" ] && [ -z "$HOME$USER" ] && [ "$PWD" = / ] && echo '{"version":"9.0.0"}'`,
      async (path) => {
        assert.notEqual(Deno.env.get("HOME"), undefined, "there is something to learn");
        await requireRuns(path, { version: "9.0.0" });
        await assert.rejects(
          requireRuns(path, { version: "9.0.1" }),
          /it is version 9\.0\.0, and its archive's name says 9\.0\.1\. Nothing was changed/,
        );
      },
    ),
);

/** Each is refused with these words. */
const REFUSED: readonly (readonly [what: string, lines: string, words: RegExp])[] = [
  [
    "ends badly",
    "echo no glibc >&2; echo more >&2; exit 3",
    /here: it ended with 3: no glibc\. No/,
  ],
  ["is ended", "kill -SEGV $$", /here: it was ended by SIGSEGV\. Nothing/],
  ["says nothing", "exit 0", /here: asked for its version it said none\. Nothing/],
  ["says something else", "echo hello", /it said none: hello\. Nothing/],
  ["says a version that is no text", `echo '{"version":9}'`, /it said none: \{"version":9\}\./],
  ["prints without end", "exec yes", /here: it was ended by SIGPIPE\. Nothing/],
];

for (const [what, lines, words] of REFUSED) {
  Deno.test(
    `an executable that ${what} is refused`,
    onUnix,
    () =>
      withScript(lines, async (path) => {
        await assert.rejects(requireRuns(path, { version: "9.0.0" }), words);
      }),
  );
}

Deno.test(
  "an executable that does not end is ended and refused",
  onUnix,
  () =>
    withScript(`trap '' TERM; echo $$ > "$0.pid"; exec sleep 1000`, async (path) => {
      await assert.rejects(
        requireRuns(path, { version: "9.0.0", withinMs: SOON_MS }),
        /it had not ended after 0\.3 seconds/,
      );
    }),
);

Deno.test(
  "an executable that cannot be started is refused",
  onUnix,
  () =>
    withScript("", async (path) => {
      await Deno.chmod(path, 0o600);
      await assert.rejects(
        requireRuns(path, { version: "9.0.0" }),
        /does not run here: it cannot be started: .*\. Nothing was changed/,
      );
    }),
);
