/**
 * A recorded request with its bytes changed.
 *
 * @module
 */

import type { SeededRandom } from "../../support/seeded_random.ts";
import { type FuzzCase, joined, latin1 } from "../fuzz_case.ts";
import { oddText } from "../generate/odd_values.ts";

/** A request as a client sent it. */
export interface RecordedRequest {
  /** Whose, and what for: `openai 7 chat stream`. */
  readonly name: string;
  readonly bytes: Uint8Array;
}

type Change = (
  request: Uint8Array,
  context: { readonly random: SeededRandom; readonly others: readonly RecordedRequest[] },
) => Uint8Array;

const CHANGES: Readonly<Record<string, Change>> = {
  flipBits(request, { random }) {
    const changed = request.slice();
    for (let count = random.integer(1, 8); count > 0; count--) {
      changed[random.integer(0, changed.length - 1)]! ^= 1 << random.integer(0, 7);
    }
    return changed;
  },
  flipBodyBits(request, { random }) {
    const { head, body } = split(request);
    if (body.length === 0) return request;
    const changed = body.slice();
    for (let count = random.integer(1, 4); count > 0; count--) {
      changed[random.integer(0, changed.length - 1)]! ^= 1 << random.integer(0, 7);
    }
    return joined(latin1(head), changed);
  },
  cut: (request, { random }) => request.subarray(0, random.integer(1, request.length - 1)),
  repeatPart(request, { random }) {
    const [from, to] = span(request, random);
    return joined(request.subarray(0, to), request.subarray(from, to), request.subarray(to));
  },
  removePart(request, { random }) {
    const [from, to] = span(request, random);
    return joined(request.subarray(0, from), request.subarray(to));
  },
  splice(request, { random, others }) {
    const other = random.pick(others).bytes;
    const [from, to] = span(other, random);
    const at = random.integer(0, request.length);
    return joined(request.subarray(0, at), other.subarray(from, to), request.subarray(at));
  },
  otherBody(request, { random, others }) {
    return withLength(split(request).head, split(random.pick(others).bytes).body);
  },
  twice: (request) => joined(request, request),
  oddJson(request, { random }) {
    const { head, body } = split(request);
    const text = new TextDecoder().decode(body);
    const values = [...text.matchAll(/:\s*("(?:[^"\\]|\\.)*"|-?\d[\d.e+-]*|true|false|null)/g)];
    if (values.length === 0) return request;
    const { index, 0: found } = random.pick(values);
    const odd = random.pick([
      JSON.stringify(oddText(random)),
      '"\\ud800"',
      "1e999",
      "-0",
      "00",
      "9".repeat(400),
      "[".repeat(300) + "]".repeat(300),
      '{"__proto__":{"a":1}}',
      "null",
    ]);
    return withLength(
      head,
      joined(`${text.slice(0, index)}:${odd}${text.slice(index + found.length)}`),
    );
  },
  chunked(request, { random }) {
    const { head, body } = split(request);
    return joined(
      latin1(withHeader(head, "Transfer-Encoding", random.pick(["chunked", "chunked", "Chunked"]))),
      ...chunksOf(body, random),
    );
  },
  lieOfLength(request, { random }) {
    const { head, body } = split(request);
    const lie = random.pick([
      String(body.length + random.integer(1, 500)),
      String(Math.max(0, body.length - random.integer(1, 50))),
      "-1",
      "+5",
      "0x10",
      "1e3",
      "99999999999999999999",
      "5, 5",
      "",
    ]);
    return joined(latin1(withHeader(head, "Content-Length", lie)), body);
  },
  oddHeader(request, { random }) {
    const { head, body } = split(request);
    const name = random.pick([
      "Host",
      "Authorization",
      "Content-Type",
      "Transfer-Encoding",
      "Connection",
      "Expect",
      "Idempotency-Key",
      "Range",
      "Accept-Encoding",
      "X-Forwarded-For",
      "Upgrade",
      "X-A B",
      "",
    ]);
    const value = oddText(random).replaceAll(/[^\0-\xff]/g, "?");
    const line = `${name}: ${value}\r\n`;
    const at = head.indexOf("\r\n") + 2;
    return joined(latin1(head.slice(0, at) + line + head.slice(at)), body);
  },
  oddLine(request, { random }) {
    const { head, body } = split(request);
    const [method, target, version] = head.slice(0, head.indexOf("\r\n")).split(" ");
    const line = random.pick([
      `${method} ${target}/ ${version}`,
      `${method} /${target} ${version}`,
      `${method} ${target}?a=%00&b=%zz ${version}`,
      `${method} ${target}%2f.. ${version}`,
      `${method} http://evil.test${target} ${version}`,
      `${method!.toLowerCase()} ${target} ${version}`,
      `OPTIONS * ${version}`,
      `${method} ${target} HTTP/1.0`,
      `${method} ${target} HTTP/9.9`,
      `${method}  ${target} ${version}`,
    ]);
    return joined(latin1(line + head.slice(head.indexOf("\r\n"))), body);
  },
};
const NAMES = Object.keys(CHANGES);

/** One of the recorded requests, changed once or a few times. */
export function mutatedCase(
  recorded: readonly RecordedRequest[],
  random: SeededRandom,
): FuzzCase {
  const { name, bytes } = random.pick(recorded);
  const changes = Array.from({ length: random.chance(0.7) ? 1 : 3 }, () => random.pick(NAMES));
  let changed = bytes;
  for (const change of changes) {
    if (changed.length > 1) changed = CHANGES[change]!(changed, { random, others: recorded });
  }
  return {
    name: `${name}: ${changes.join(", ")}`,
    bytes: changed,
    operation: undefined,
    isWhole: false,
  };
}

/** The head with its empty line, and the body. */
function split(request: Uint8Array): { readonly head: string; readonly body: Uint8Array } {
  const text = new TextDecoder("latin1").decode(request.subarray(0, 16_384));
  const end = text.indexOf("\r\n\r\n");
  if (end < 0) return { head: "GET / HTTP/1.1\r\n\r\n", body: request };
  return { head: text.slice(0, end + 4), body: request.subarray(end + 4) };
}

function withLength(head: string, body: Uint8Array): Uint8Array {
  return joined(latin1(withHeader(head, "Content-Length", String(body.length))), body);
}

/** The head with one header in place of those that tell of the body's length. */
function withHeader(head: string, name: string, value: string): string {
  const others = head.replaceAll(/\r\n(?:content-length|transfer-encoding):[^\r]*/gi, "");
  return others.slice(0, -2) + `${name}: ${value}\r\n\r\n`;
}

/** The body in chunks, most often with something odd about one of them. */
function chunksOf(body: Uint8Array, random: SeededRandom): (string | Uint8Array)[] {
  const pieces: (string | Uint8Array)[] = [];
  const oddAt = random.integer(0, 5);
  for (let at = 0, number = 0; at < body.length; number++) {
    const piece = body.subarray(at, at + random.integer(1, 200));
    at += piece.length;
    const size = piece.length.toString(16);
    const line = number !== oddAt ? size : random.pick([
      `${size};a=b`,
      `0${size}`,
      size.toUpperCase(),
      `${size} `,
      `+${size}`,
      `0x${size}`,
      "-1",
      "ffffffffffffffff",
      "zz",
      "",
      (piece.length + 1).toString(16),
    ]);
    pieces.push(`${line}\r\n`, piece, number === oddAt && random.chance(0.3) ? "\n" : "\r\n");
  }
  pieces.push(
    random.pick(["0\r\n\r\n", "0\r\n\r\n", "0\r\nX-Trailer: a\r\n\r\n", "0\r\n", "000\r\n\r\n"]),
  );
  return pieces;
}

function span(request: Uint8Array, random: SeededRandom): [from: number, to: number] {
  const from = random.integer(0, request.length - 1);
  return [from, Math.min(request.length, from + random.integer(1, 64))];
}
