/**
 * What the server was started with, and what doctor finds around it: at the console and on the command
 * line. Secrets are on neither.
 *
 * @module
 */

import assert from "node:assert/strict";
import { runTollgate } from "../../support/executable.ts";
import { serveGateway } from "../../support/served_gateway.ts";
import { chromiumPath, startBrowser } from "../videos/browser.ts";
import { assertFits, assertQuiet, enterConsole, textOf, untilThere } from "./console_page.ts";

const ADMIN_KEY = "adm-0123456789abcdef";
const CATALOGUE = `
providers:
  - { id: builtin, kind: builtin }
  - { id: gone, kind: openai_compatible, base_url: "http://127.0.0.1:1/v1", auth: none }
models:
  - id: gone-1
    kind: chat
    routes: [{ id: gone/gone-1, provider: gone, free: true }]
`;

Deno.test("settings and doctor's findings are on pages", {
  ignore: chromiumPath === undefined && Deno.env.get("CI") !== "true",
}, async (test) => {
  await using gateway = await serveGateway({
    catalogue: CATALOGUE,
    env: { TOLLGATE_ADMIN_KEY: ADMIN_KEY },
    args: ["--video-workers", "1"],
  });
  await using page = await startBrowser();
  await enterConsole(gateway, page);

  await test.step("every setting has its value and where it is from", async () => {
    await page.open(`${gateway.url}/console/system`);
    const shown = await textOf(page);
    assert.match(shown, /video_workers\s+1\s+flag --video-workers/);
    assert.match(shown, /admin_key\s+\(hidden\)\s+variable TOLLGATE_ADMIN_KEY/);
    assert.match(shown, /drain_timeout_ms\s+30000\s+default/);
    assert.ok(!(await page.evaluate("document.documentElement.outerHTML")).includes(ADMIN_KEY));
    await assertFits(page);
  });

  await test.step("the command line shows those of the server, and not those of a start", async () => {
    const rows: { name: string; value: unknown }[] = await gateway.cli(
      ...["config", "show", "--running"],
    );
    assert.equal(rows.find(({ name }) => name === "video_workers")?.value, 1);
    assert.equal(rows.find(({ name }) => name === "admin_key")?.value, "(hidden)");
  });

  await test.step("doctor looks as a job, and says what to do", async () => {
    await page.open(`${gateway.url}/console/doctor`);
    await page.follow(`document.querySelector('form[action$="/doctor/run"] button').click()`);
    await untilThere(page, "/Looked at/.test(document.body?.innerText ?? '')");
    const shown = await textOf(page);
    assert.match(shown, /upstreams\s+problem\s+gone does not answer as it should/);
    assert.match(shown, /tollgate providers test gone asks again/);
    assert.match(shown, /books\s+ok\s+\d+ balances fit the ledger/);
    assert.match(shown, /server\s+ok\s+Process \d+/);
    assert.doesNotMatch(shown, /Cannot be looked at/);
    await assertFits(page);
    assertQuiet(gateway, page);
  });

  await test.step("both find the same", async () => {
    const [job] = (await gateway.cli("jobs", "list")) as { id: string; operation: string }[];
    assert.equal(job?.operation, "doctor.run");
    const { result } = await gateway.cli("jobs", "show", job!.id);
    const asked = await runTollgate(["doctor", "--data-dir", gateway.server.dataDir, "--json"]);
    const states = (findings: readonly { check: string; status: string }[]) =>
      findings.map(({ check, status }) => `${check} ${status}`).sort();
    assert.deepEqual(states(result.findings), states(JSON.parse(asked.stdout)));
  });
});

Deno.test("settings of a server that does not run are not made up", async () => {
  const dataDir = await Deno.makeTempDir({ prefix: "tollgate-none-" });
  try {
    const done = await runTollgate(["config", "show", "--running", "--data-dir", dataDir]);
    assert.equal(done.code, 1);
    assert.match(done.stderr, /No server runs on .*leave out --running/);
    assert.equal(done.stdout, "");
  } finally {
    await Deno.remove(dataDir, { recursive: true });
  }
});
