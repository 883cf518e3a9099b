/**
 * Two gateways that differ in one setting alone, each before an upstream of its own that answers the
 * same: what a client, an upstream, the books and the log of one see must be what those of the other see.
 *
 * @module
 */

import assert from "node:assert/strict";
import { answerBody } from "../chat_bodies.ts";
import {
  type FakeUpstream,
  jsonReply,
  type RecordedRequest,
  type Reply,
  startFakeUpstream,
} from "../fake_upstream.ts";
import { startTestGateway, type TestGateway, type TestGatewayOptions } from "../gateway.ts";
import { RawSocket } from "../raw_socket.ts";
import { until } from "../until.ts";
import { masked } from "./masked.ts";
import {
  CREDITS,
  PROJECT_NAMES,
  type ProjectName,
  SECRETS,
  twinCatalogue,
} from "./twin_catalogue.ts";
import { readAnswer } from "./wire_answer.ts";

/** One request as its client writes it. */
export interface TwinRequest {
  /** Whose key it has as bearer; absent: it has no such header. */
  readonly project?: ProjectName | undefined;
  readonly path?: string;
  /** Lines besides the host, the key and the length; `KEY` in them is the key. */
  readonly headers: readonly string[];
  readonly body: Uint8Array;
  /** Where the packets of the whole request end, in bytes; absent: it is one. */
  readonly cuts?: readonly number[];
}

/** What is done at both. */
export interface TwinCase {
  readonly label: string;
  /** One after the other, on one connection. */
  readonly requests: readonly TwinRequest[];
  /** Whether they are sent before anything is answered. */
  readonly isPipelined?: boolean;
  /** What the upstream answers in turn; the last again and again. */
  readonly replies: readonly Reply[];
}

/** Bytes that all bodies and answers may have together. */
export const ROOM_BYTES = 2 * 1024 * 1024;
const encoder = new TextEncoder();
const WARM_BODY = JSON.stringify({
  model: "warm",
  messages: [{ role: "user", content: "Are you there?" }],
});
const WARM_REPLY = jsonReply(answerBody("I am"));
/** A request of which no more than its head is refused has no answer to wait for after this. */
const MOST_WAIT_MS = 20_000;

/** One of the two. */
export class Twin implements AsyncDisposable {
  readonly gateway: TestGateway;
  readonly upstream: FakeUpstream;
  readonly #keys: ReadonlyMap<ProjectName, string>;
  #socket: RawSocket | undefined;
  #requests = 0;
  #calls = 0;
  #rows = 0;
  #logged = 0;

  private constructor(
    gateway: TestGateway,
    upstream: FakeUpstream,
    keys: ReadonlyMap<ProjectName, string>,
  ) {
    this.gateway = gateway;
    this.upstream = upstream;
    this.#keys = keys;
  }

  static async start(
    quickCalls: "on" | "off",
    options: Pick<TestGatewayOptions, "drainTimeoutMs"> = {},
  ): Promise<Twin> {
    const upstream = await startFakeUpstream(WARM_REPLY);
    const gateway = await startTestGateway({
      catalogue: twinCatalogue(upstream.url),
      secrets: SECRETS,
      maxInFlightBytes: ROOM_BYTES,
      console: "off",
      quickCalls,
      ...options,
    });
    const keys = new Map<ProjectName, string>();
    for (const name of PROJECT_NAMES) {
      keys.set(name, await gateway.key(name));
      const credit = CREDITS[name];
      if (credit !== undefined) await gateway.credit(name, credit);
    }
    const twin = new Twin(gateway, upstream, keys);
    await twin.look();
    return twin;
  }

  key(project: ProjectName): string {
    return this.#keys.get(project)!;
  }

  /** A connection to it. */
  connect(): Promise<RawSocket> {
    const { hostname, port } = new URL(this.gateway.url);
    return RawSocket.connect({ transport: "tcp", hostname, port: Number(port) });
  }

  /** The bytes of a request. */
  written({ project, path = "/v1/chat/completions", headers, body }: TwinRequest): Uint8Array {
    const key = project === undefined ? "" : this.key(project);
    const lines = [
      `POST ${path} HTTP/1.1`,
      "host: gateway",
      ...(project === undefined ? [] : [`authorization: Bearer ${key}`]),
      ...headers.map((line) => line.replaceAll("KEY", key)),
    ];
    const isFramed = headers.some((line) => /^(?:content-length|transfer-encoding):/i.test(line));
    if (!isFramed) lines.push(`content-length: ${body.length}`);
    const head = encoder.encode(`${lines.join("\r\n")}\r\n\r\n`);
    const bytes = new Uint8Array(head.length + body.length);
    bytes.set(head);
    bytes.set(body, head.length);
    return bytes;
  }

  /** Does it; what its client was answered. */
  async run({ requests, isPipelined = false, replies }: TwinCase): Promise<readonly string[]> {
    let asked = 0;
    this.upstream.answer((request) =>
      isWarming(request) ? WARM_REPLY : replies[Math.min(asked++, replies.length - 1)]!
    );
    const answers: string[] = [];
    if (isPipelined) {
      await this.#send(requests.flatMap((request) => [...this.#packets(request)]));
    }
    for (const request of requests) {
      if (!isPipelined) await this.#send(this.#packets(request));
      if (this.#socket === undefined) break;
      answers.push(await this.#answer());
    }
    answers.push(`then ${await this.warm()}`);
    await this.quiet();
    return answers.map(masked);
  }

  /** A usual call down the same connection, if it goes on: it leaves an idle one to the upstream. */
  async warm(): Promise<string> {
    const headers = ["content-type: application/json"];
    await this.#send([this.written({ project: "free", headers, body: encoder.encode(WARM_BODY) })]);
    const answer = await this.#answer();
    const id = /^x-request-id: (\S+)/m.exec(answer)?.[1];
    assert.ok(id !== undefined, answer);
    await until("the log", () => this.gateway.log().includes(id), { everyMs: 1 });
    return answer;
  }

  /** Waits until nothing is under way. */
  async quiet(): Promise<void> {
    const { openCalls } = this.gateway.running;
    await until("quiet", () => openCalls() === 0, { everyMs: 1 });
  }

  /** What has come since it was looked at last: to the upstream, the books and the log. */
  async look() {
    const { storage } = this.gateway.admin;
    const calls = await storage.calls.slice(this.#calls, 10_000);
    this.#calls = calls.at(-1)?.callId ?? this.#calls;
    const rows = await storage.ledger.slice(this.#rows, 10_000);
    this.#rows = rows.at(-1)?.seq ?? this.#rows;
    const text = this.gateway.log();
    const log = text.slice(this.#logged);
    this.#logged = text.length;
    const asked = this.upstream.requests.slice(this.#requests);
    this.#requests += asked.length;
    return {
      asked: asked.map(({ head, body }) => masked(`${head}\n\n${body}`)),
      calls: calls.map(maskedRow),
      rows: rows.map(maskedRow),
      log: log.split("\n").map(masked),
    };
  }

  /** Whether a body of so many bytes finds room. */
  async hasRoom(bytes: number): Promise<boolean> {
    this.upstream.answer(WARM_REPLY);
    const [before = "", after = ""] = WARM_BODY.split("there");
    const body = before + "x".repeat(bytes - before.length - after.length) + after;
    const answer = await this.gateway.chat(body, { key: this.key("free") });
    await answer.text();
    assert.ok(answer.status === 200 || answer.status === 429, String(answer.status));
    return answer.status === 200;
  }

  hangUp(): void {
    this.#socket?.[Symbol.dispose]();
    this.#socket = undefined;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.hangUp();
    await this.gateway.stop();
    await this.upstream.stop();
  }

  *#packets(request: TwinRequest): Iterable<Uint8Array> {
    const bytes = this.written(request);
    let from = 0;
    for (const cut of [...request.cuts ?? [], bytes.length]) {
      const upTo = Math.min(cut, bytes.length);
      if (upTo > from) yield bytes.subarray(from, upTo);
      from = Math.max(from, upTo);
    }
  }

  async #send(packets: Iterable<Uint8Array>): Promise<void> {
    const socket = this.#socket ??= await this.connect();
    let isFirst = true;
    for (const packet of packets) {
      // So that the one before is read by itself.
      if (!isFirst) await new Promise((resolve) => setTimeout(resolve, 2));
      isFirst = false;
      try {
        await socket.send(packet);
      } catch {
        return; // It was refused before it was all sent: the answer tells.
      }
    }
  }

  async #answer(): Promise<string> {
    const socket = this.#socket!;
    const timer = setTimeout(() => socket.conn.close(), MOST_WAIT_MS);
    const { text, goesOn } = await readAnswer(socket);
    clearTimeout(timer);
    if (!goesOn) this.hangUp();
    return text;
  }
}

function isWarming(request: RecordedRequest): boolean {
  return request.body.includes('"at-w"');
}

function maskedRow(row: object): string {
  const text = JSON.stringify(
    row,
    (_, value) => typeof value === "bigint" ? String(value) : value,
  );
  return masked(text);
}
