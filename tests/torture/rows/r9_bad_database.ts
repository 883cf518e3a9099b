/**
 * R9: a database that is corrupt, truncated, junk or of a newer schema.
 *
 * @module
 */

import { createHash } from "node:crypto";
import { DatabaseSync } from "node:sqlite";
import { runTollgate } from "../../support/executable.ts";
import { startFaultUpstream } from "../../support/fault_upstream/fault_upstream.ts";
import type { SeededRandom } from "../../support/seeded_random.ts";
import { serveGateway } from "../../support/served_gateway.ts";
import { checkBooks } from "../books/check_books.ts";
import { ledgerDifferences } from "../books/ledger_differences.ts";
import { fillWithPricedCalls } from "../prices/fill_with_priced_calls.ts";
import { randomRoutes, routesCatalogue } from "../prices/random_routes.ts";
import type { ScorecardRow } from "../row.ts";
import { RowFinding } from "../row_finding.ts";

const MIB = 1024 ** 2;
const WITHIN_MS = 5_000;
/** First bytes of the pages that make up tables and indexes. */
const TREE_PAGES = [2, 5, 10, 13];
/** SQLite's application id, and where it is. */
const APPLICATION_ID = { at: 68, bytes: Uint8Array.of(0x12, 0x34, 0x56, 0x78) };

/** Makes a good file bad. */
type Damage = (path: string, random: SeededRandom) => void;

const DAMAGES: Readonly<Record<string, Damage>> = {
  "a page of junk": overwriteTreePage,
  "a page of zeros": (path, random) => overwriteTreePage(path, random, 0),
  "half of the file": (path) => Deno.truncateSync(path, Deno.statSync(path).size / 2),
  "all but the last page": (path) =>
    Deno.truncateSync(path, Deno.statSync(path).size - pageSizeOf(path)),
  "less than a header": (path) => Deno.truncateSync(path, 60),
  "junk": (path, random) => writeAt(path, 0, randomBytes(random, Deno.statSync(path).size)),
  "text": (path) => Deno.writeTextFileSync(path, "not a database\n".repeat(1_000)),
  "a newer schema": (path) => {
    using database = new DatabaseSync(path);
    database.exec("PRAGMA user_version = 999");
  },
  "another program's": (path) => writeAt(path, APPLICATION_ID.at, APPLICATION_ID.bytes),
};

export const row: ScorecardRow = {
  id: "R9",
  title: "bad database",
  seededBug: {
    name: "pages_are_not_checked",
    says: "a start does not look at the pages of its database",
    edits: [{
      file: "src/storage/sqlite/database_file.ts",
      find: `bytes <= QUICK_CHECK_MAX_BYTES ? "quick" : "none"`,
      replace: `bytes <= -QUICK_CHECK_MAX_BYTES ? "quick" : "none"`,
    }],
  },
  async run({ size, random, folder, note }) {
    const calls = size.pick({ commit: 2_000, full: 420_000 });
    const rounds = size.pick({ commit: 1, full: 3 });
    const dataDir = `${folder}/data`;
    const path = `${dataDir}/tollgate.db`;
    const backup = `${folder}/backup.db`;
    const routes = randomRoutes(random.of("rates"));
    await using upstream = await startFaultUpstream();
    {
      const catalogue = routesCatalogue(routes, upstream.url);
      await using gateway = await serveGateway({ catalogue, dataDir });
      await gateway.server.stop();
    }
    await fillWithPricedCalls(dataDir, { cases: calls, routes, random: random.of("usages") });
    const created = await runTollgate(["backup", "create", backup, "--data-dir", dataDir]);
    if (created.code !== 0) throw new Error(`Cannot make a backup: ${created.stderr}`);
    const good = `${folder}/good.db`;
    await Deno.copyFile(path, good);
    const megabytes = Deno.statSync(good).size / MIB;
    const found = new RowFinding(
      `${Object.keys(DAMAGES).length} kinds of bad file, ${rounds} times, in place of ` +
        `${megabytes.toFixed(0)} MiB`,
    );
    const kinds = Object.keys(DAMAGES);
    let refused = 0;
    let restores = 0;
    let slowestMs = 0;
    for (let round = 0; round < rounds; round++) {
      for (const [name, damage] of Object.entries(DAMAGES)) {
        for (const suffix of ["", "-wal", "-shm"]) {
          await Deno.remove(path + suffix).catch(() => {});
        }
        await Deno.copyFile(good, path);
        damage(path, random.of(`${name} ${round}`));
        const before = hashOf(path);
        const startedAt = performance.now();
        // A server that starts all the same must end by itself: its catalogue is none.
        const serve = ["serve", "--listen", "127.0.0.1:0", "--catalog", `${folder}/none.yaml`];
        const done = await runTollgate([...serve, "--data-dir", dataDir]);
        slowestMs = Math.max(slowestMs, performance.now() - startedAt);
        const isRefused = done.code !== 0 &&
          /^tollgate: Cannot open the database [^\n]+\n$/.test(done.stderr);
        if (isRefused) refused++;
        found.require(
          isRefused,
          `${name}: a start ends with ${done.code}: ${done.stderr}${done.stdout}`,
        );
        found.require(hashOf(path) === before, `${name}: a start has changed the file`);
        note(`R9 ${name}: ${done.stderr.trim()}`);

        // A restore reads all of the books: at commit size some are enough.
        if (size.name === "commit" && kinds.indexOf(name) % 4 !== 0) continue;
        const restored = await runTollgate(
          ["backup", "restore", backup, "--data-dir", dataDir, "--yes"],
        );
        found.require(restored.code === 0, `${name}: it is not restored: ${restored.stderr}`);
        if (restored.code !== 0) continue;
        restores++;
        await found.during(`${name}, restored`, () => {
          found.requireNone(checkBooks(dataDir));
          return Promise.resolve();
        });
      }
    }
    {
      await using gateway = await serveGateway({ dataDir });
      found.requireNone(await ledgerDifferences(gateway.server.dataDir));
      await gateway.server.stop();
    }
    found.requireNone(checkBooks(dataDir));
    found.count("refused in one line", refused, { exactly: rounds * Object.keys(DAMAGES).length });
    found.count("restored, with books that add up", restores, { atLeast: 3 });
    found.time("a refusal at most", slowestMs, { atMost: WITHIN_MS });
    return found;
  },
};

function overwriteTreePage(path: string, random: SeededRandom, fill?: number): void {
  const bytes = Deno.readFileSync(path);
  const pageSize = pageSizeOf(path);
  for (;;) {
    const page = random.integer(1, bytes.length / pageSize - 1);
    if (!TREE_PAGES.includes(bytes[page * pageSize]!)) continue;
    const junk = fill === undefined
      ? randomBytes(random, pageSize)
      : new Uint8Array(pageSize).fill(fill);
    // Its first byte must not by chance say what it is.
    junk[0] = 0;
    return writeAt(path, page * pageSize, junk);
  }
}

/** SQLite's file format, section 1.3: two bytes, of which 1 means 65536. */
function pageSizeOf(path: string): number {
  using file = Deno.openSync(path);
  const head = new Uint8Array(18);
  file.readSync(head);
  const size = new DataView(head.buffer).getUint16(16);
  return size === 1 ? 65_536 : size;
}

function writeAt(path: string, at: number, bytes: Uint8Array): void {
  using file = Deno.openSync(path, { write: true });
  file.seekSync(at, Deno.SeekMode.Start);
  for (let written = 0; written < bytes.length;) {
    written += file.writeSync(bytes.subarray(written));
  }
}

function randomBytes(random: SeededRandom, length: number): Uint8Array {
  const words = new Uint32Array(Math.ceil(length / 4));
  for (let at = 0; at < words.length; at++) words[at] = random.integer(0, 0xffff_ffff);
  return new Uint8Array(words.buffer, 0, length);
}

function hashOf(path: string): string {
  return createHash("sha256").update(Deno.readFileSync(path)).digest("hex");
}
