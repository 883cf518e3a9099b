/**
 * The program that is fuzzed, with everything that requests may name.
 *
 * @module
 */

import {
  type FaultUpstream,
  startFaultUpstream,
} from "../support/fault_upstream/fault_upstream.ts";
import { type ServedGateway, serveGateway } from "../support/served_gateway.ts";
import { until } from "../support/until.ts";
import { type ApiDocument, type ApiOperation, readOperations } from "./api_operation.ts";
import { CREDIT, fuzzCatalogue } from "./fuzz_catalogue.ts";
import type { CaseParts } from "./generate/schema_case.ts";
import { KnownIds } from "./known_ids.ts";
import type { RecordedRequest } from "./mutate/mutated_case.ts";
import { recordSdkRequests } from "./record/sdk_requests.ts";

/** `await using` ends it. */
export class FuzzWorld implements AsyncDisposable {
  readonly ids = new KnownIds();
  readonly document: ApiDocument;
  readonly operations: readonly ApiOperation[];
  readonly recorded: readonly RecordedRequest[];
  readonly gateway: ServedGateway;
  readonly address: Deno.NetAddr;
  readonly keys: CaseParts["keys"];
  readonly #upstream: FaultUpstream;

  private constructor(parts: {
    readonly upstream: FaultUpstream;
    readonly gateway: ServedGateway;
    readonly keys: CaseParts["keys"];
    readonly document: ApiDocument;
    readonly recorded: readonly RecordedRequest[];
  }) {
    this.#upstream = parts.upstream;
    this.gateway = parts.gateway;
    this.keys = parts.keys;
    this.document = parts.document;
    this.operations = readOperations(parts.document);
    this.recorded = parts.recorded;
    this.address = addressOf(parts.gateway);
  }

  static async start(): Promise<FuzzWorld> {
    await using begun = new AsyncDisposableStack();
    const upstream = begun.use(await startFaultUpstream({ keepsRecords: false }));
    const gateway = begun.use(await serveGateway({ catalogue: fuzzCatalogue(upstream.url) }));
    await gateway.credit("paying", CREDIT);
    const keys = {
      paying: await gateway.key("paying"),
      poor: await gateway.key("poor"),
      hurried: await gateway.key("hurried"),
      disabled: await gateway.key("paying"),
    };
    const made: { id: string; prefix: string }[] = await gateway.cli("keys", "list");
    const disabled = made.find(({ prefix }) => keys.disabled.startsWith(prefix))!;
    await gateway.cli("keys", "disable", disabled.id);
    const document = await (await fetch(`${gateway.url}/openapi.json`)).json();
    const server = addressOf(gateway);
    const recorded = await recordSdkRequests({ server, apiKey: keys.paying });
    const world = new FuzzWorld({ upstream, gateway, keys, document, recorded });
    await world.#makeWhatStays();
    begun.move();
    return world;
  }

  /** Answers of the process to `ps`: what of it is looked at. */
  get process(): { readonly pid: number; readonly dataDir: string } {
    const { process: { pid }, dataDir } = this.gateway.server;
    return { pid, dataDir };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.gateway[Symbol.asyncDispose]();
    await this.#upstream.stop();
  }

  /** A finished film and a kept answer, which nothing deletes. */
  async #makeWhatStays(): Promise<void> {
    const { gateway, keys: { paying }, ids } = this;
    const film = await this.#post("/v1/videos", { model: "film", prompt: "A red fox" });
    await until("the first film", async () => {
      return (await gateway.get(`/v1/videos/${film.id}`, paying)).status === "completed";
    });
    ids.keep("video", film.id);
    ids.keep("resp", (await this.#post("/v1/responses", { model: "echo", input: "Hello" })).id);
    ids.keep("file", await this.#upload());
    const batch = await this.#makeBatch();
    await this.#post(`/v1/batches/${batch}/cancel`, {});
    ids.keep("batch", batch);
    // And what a delete or a cancel under each prefix can have.
    for (let count = 0; count < 2; count++) {
      const response = await this.#post("/v1/responses", { model: "echo", input: "Hello" });
      const other = await this.#post("/v1/videos", { model: "film", prompt: "A red fox" });
      const spent = [response.id, other.id, await this.#upload(), await this.#makeBatch()];
      ids.learn(undefined, spent.join(" "));
    }
    const job = await this.#post("/v1/responses", {
      model: "slow",
      input: "Hello",
      background: true,
    });
    await this.#post(`/v1/responses/${job.id}/cancel`, {});
    ids.keep("job", job.id);
    const chat = await gateway.chat(paying, {
      model: "echo",
      messages: [{ role: "user", content: "Hello" }],
    });
    await chat.body?.cancel();
    ids.keep("req", chat.headers.get("x-request-id")!);
  }

  /** Gives the id of a batch that is not done before somebody cancels it. */
  async #makeBatch(): Promise<string> {
    const batch = await this.#post("/v1/batches", {
      input_file_id: await this.#upload(5_000),
      endpoint: "/v1/chat/completions",
      completion_window: "24h",
    });
    return batch.id;
  }

  /** Gives the id of a file. */
  async #upload(lines = 1): Promise<string> {
    const body = new FormData();
    body.set("purpose", "batch");
    const text = Array.from({ length: lines }, (_, line) => lineOf(line)).join("");
    body.set("file", new File([text], "lines.jsonl"));
    const headers = { authorization: `Bearer ${this.keys.paying}` };
    const url = `${this.gateway.url}/v1/files`;
    const response = await fetch(url, { method: "POST", headers, body });
    if (response.status !== 200) throw new Error(`Cannot begin: ${await response.text()}`);
    return (await response.json()).id;
  }

  async #post(path: string, body: object): Promise<{ readonly id: string }> {
    const response = await fetch(this.gateway.url + path, {
      method: "POST",
      headers: {
        "authorization": `Bearer ${this.keys.paying}`,
        "content-type": "application/json",
      },
      body: JSON.stringify(body),
    });
    if (response.status !== 200) throw new Error(`Cannot begin: ${await response.text()}`);
    return await response.json();
  }
}

function lineOf(line: number): string {
  const messages = [{ role: "user", content: "Hello" }];
  const body = { model: "echo", max_tokens: 5, messages };
  const url = "/v1/chat/completions";
  return `${JSON.stringify({ custom_id: `line-${line}`, method: "POST", url, body })}\n`;
}

function addressOf({ url }: ServedGateway): Deno.NetAddr {
  const { hostname, port } = new URL(url);
  return { transport: "tcp", hostname, port: Number(port) };
}
