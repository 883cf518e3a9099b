/**
 * Forms, files and answers of 25 MB, all open at one time: what each adds to the memory of the
 * gateway.
 *
 * @module
 */

import type { BenchRun, Findings, Row, Target } from "../bench_run.ts";
import { DRAWING_MODEL, HEARING_MODEL, SPEAKING_MODEL } from "../media_catalogue.ts";
import { leastMemoryDuring, mostMemoryDuring } from "../process_stats.ts";
import { makeDataDir, SMALL_CATALOGUE, startGateway, startMediaUpstream } from "../servers.ts";
import { type Transfer, transferTogether } from "../transfers.ts";

const MEDIA_BYTES = 25_000_000;
const AT_ONCE = [8, 16];
const MOST_MB_EACH = 2;
const REST_MS = 1_500;

/** Each kind at its counts; memory before is that at rest after as many of its kind as there are at most. */
export async function measureUploads(run: BenchRun): Promise<Findings> {
  const { compared } = run;
  const folder = await Deno.makeTempDir({ dir: run.folder });
  await using media = await startMediaUpstream(folder, MEDIA_BYTES);
  const { path, key } = await makeDataDir(compared.gateway, {
    path: `${folder}/data`,
    upstream: run.upstream,
    size: SMALL_CATALOGUE,
    media,
  });
  await using gateway = await startGateway(compared.gateway, path);
  const [created] = await transferTogether(gateway, [fileUpload(key)]);
  const [, fileId] = /"id":"(file-[^"]+)"/.exec(created!) ?? [];
  const kinds: readonly (readonly [string, Transfer])[] = [
    ["transcriptions", form("audio/transcriptions", { model: HEARING_MODEL }, key)],
    ["image edits", form("images/edits", { model: DRAWING_MODEL, prompt: "A fox" }, key, "image")],
    ["files", fileUpload(key)],
    ["files/{id}/content", {
      start: `GET /v1/files/${fileId}/content`,
      key,
      answerBytes: MEDIA_BYTES,
    }],
    [
      "speech",
      json("audio/speech", {
        model: SPEAKING_MODEL,
        voice: "any",
        input: "Hello",
      }, { key, answerBytes: MEDIA_BYTES }),
    ],
    [
      "images generated",
      json("images/generations", { model: DRAWING_MODEL, prompt: "A fox" }, {
        key,
        answerBytes: MEDIA_BYTES,
      }),
    ],
  ];
  const rest = () =>
    leastMemoryDuring(gateway.pid, new Promise((resolve) => setTimeout(resolve, REST_MS)));
  const rows: Row[] = [];
  const targets: Target[] = [];
  for (const [name, transfer] of kinds) {
    const row: Record<string, string | number> = { "": name };
    let most = 0;
    const together = (count: number) => transferTogether(gateway, Array(count).fill(transfer));
    await together(Math.max(...AT_ONCE));
    for (const count of AT_ONCE) {
      const before = await rest();
      const peak = await mostMemoryDuring(gateway.pid, together(count));
      const each = Math.max(0, peak - before) / count / 1e6;
      row[`at rest MB, ${count}`] = before / 1e6;
      row[`peak MB, ${count}`] = peak / 1e6;
      row[`MB each, ${count}`] = each;
      most = Math.max(most, each);
    }
    rows.push(row);
    targets.push({
      what: `memory of each of several ${name} of 25 MB`,
      unit: "MB",
      atMost: MOST_MB_EACH,
      measured: most,
    });
  }
  return {
    title: `${AT_ONCE.join(" and ")} bodies or answers of 25 MB at one time`,
    rows,
    targets,
    notes: [
      "Resident memory, looked at every 50 ms: its most while all are open, above its least at " +
      "rest after the most of them. Of images 25 MB are 33 MB of text.",
    ],
  };
}

function fileUpload(key: string): Transfer {
  return form("files", { purpose: "user_data" }, key);
}

const BOUNDARY = "bench-form-boundary";
const PIECE = new Uint8Array(1_000_000).fill(0x20);
const encoder = new TextEncoder();

/** A form with fields and a file. */
function form(path: string, fields: object, key: string, name = "file"): Transfer {
  const parts = Object.entries(fields).map(([field, value]) =>
    `--${BOUNDARY}\r\ncontent-disposition: form-data; name="${field}"\r\n\r\n${value}\r\n`
  );
  const head = encoder.encode(
    `${parts.join("")}--${BOUNDARY}\r\ncontent-disposition: form-data; name="${name}"; ` +
      `filename="a.png"\r\ncontent-type: image/png\r\n\r\n`,
  );
  const tail = encoder.encode(`\r\n--${BOUNDARY}--\r\n`);
  return {
    start: `POST /v1/${path}`,
    key,
    contentType: `multipart/form-data; boundary=${BOUNDARY}`,
    body: {
      bytes: head.length + MEDIA_BYTES + tail.length,
      *pieces() {
        yield head;
        for (let sent = 0; sent < MEDIA_BYTES; sent += PIECE.length) yield PIECE;
        yield tail;
      },
    },
    answerBytes: 100,
  };
}

function json(
  path: string,
  fields: object,
  { key, answerBytes }: { readonly key: string; readonly answerBytes: number },
): Transfer {
  const bytes = encoder.encode(JSON.stringify(fields));
  return {
    start: `POST /v1/${path}`,
    key,
    contentType: "application/json",
    body: { bytes: bytes.length, pieces: () => [bytes] },
    answerBytes,
  };
}
