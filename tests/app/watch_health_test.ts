import assert from "node:assert/strict";
import { DATABASE_FILES } from "../../src/app/database/driver.ts";
import { watchHealth } from "../../src/app/watch_health.ts";
import { until } from "../support/until.ts";

const NO_LOG = { logBytes: () => Promise.resolve(0), largeLogBytes: 0 };

function record() {
  const lines: string[] = [];
  const write = (level: string) => (event: string) => void lines.push(`${level} ${event}`);
  return { lines, log: { info: write("info"), warn: write("warn"), error: write("error") } };
}

Deno.test("watchHealth() tells once of a log that has grown, and once when it is merged", async () => {
  const folder = await Deno.makeTempDir({ prefix: "tollgate-health-" });
  try {
    const path = `${folder}/tollgate.db`;
    const { lines, log } = record();
    const check = () => Promise.resolve();
    const logBytes = () => DATABASE_FILES.unmergedBytes(path);
    const watch = watchHealth({ logBytes, largeLogBytes: 1_000, check, log, logLookMs: 1 });
    await Deno.writeFile(`${path}-wal`, new Uint8Array(1_000));
    assert.deepEqual(watch.warnings(), []);
    await Deno.writeFile(`${path}-wal`, new Uint8Array(1_001));
    await until("the warning", () => watch.warnings().length === 1);
    assert.match(watch.warnings()[0]!, /log has 1001 bytes/);
    await Deno.truncate(`${path}-wal`, 0);
    await until("its end", () => watch.warnings().length === 0);
    assert.deepEqual(lines, ["warn database_log_large", "info database_log_merged"]);
    watch.stop();
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("watchHealth() looks at the log once at a time, so that no older look comes last", async () => {
  const { lines, log } = record();
  const looks: PromiseWithResolvers<number>[] = [];
  let most = 0;
  let open = 0;
  const watch = watchHealth({
    largeLogBytes: 1,
    logBytes() {
      const look = Promise.withResolvers<number>();
      looks.push(look);
      most = Math.max(most, ++open);
      return look.promise.finally(() => open--);
    },
    check: () => Promise.resolve(),
    log,
    logLookMs: 1,
  });
  await until("a look", () => looks.length === 1);
  await new Promise((resolve) => setTimeout(resolve, 20));
  looks[0]!.resolve(2);
  await until("the next look", () => looks.length > 1);
  watch.stop();
  looks[1]!.resolve(2);
  assert.equal(most, 1);
  assert.deepEqual(lines, ["warn database_log_large"]);
});

Deno.test("watchHealth() checks again and again, and warns as long as something is damaged", async () => {
  const { lines, log } = record();
  let isDamaged = true;
  const check = () =>
    isDamaged ? Promise.reject(new Error("page 7 is damaged")) : Promise.resolve();
  const watch = watchHealth({ ...NO_LOG, check, log, checkMs: 1 });
  await until("the damage", () => watch.warnings().includes("page 7 is damaged"));
  isDamaged = false;
  await until("the repair", () => watch.warnings().length === 0);
  watch.stop();
  assert.equal(lines[0], "error database_check_failed");
  assert.equal(lines.at(-1), "info database_checked");
});

Deno.test("watchHealth() takes a check that its end breaks off for no damage", async () => {
  const { lines, log } = record();
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
  const { promise: check, reject: breakOff } = Promise.withResolvers<void>();
  const watch = watchHealth({
    ...NO_LOG,
    check() {
      begin();
      return check;
    },
    log,
    checkMs: 1,
  });
  await begun;
  watch.stop();
  breakOff(new Error("The gateway is stopping"));
  await check.catch(() => {});
  await new Promise((resolve) => setTimeout(resolve));
  assert.deepEqual([watch.warnings(), lines], [[], []]);
});
