/**
 * A server with the manners of Google's Veo: operations that are asked after, and films behind a redirect
 * to a storage that takes no key.
 *
 * @module
 */

import type { JsonObject } from "../../src/domain/json_value.ts";
import { filmAnswer, type FilmBehaviour } from "./fake_film_answer.ts";

/** A request that came. */
export interface VeoRequest {
  readonly verb: "start" | "poll" | "download" | "storage";
  readonly path: string;
  readonly headers: Headers;
  readonly json: JsonObject | undefined;
}

/** How it behaves. */
export interface VeoBehaviour {
  film: Uint8Array<ArrayBuffer>;
  /** Polls that say that it is still at work. */
  pollsUntilDone: number;
  /** What an operation says in the end, in the place of a film. */
  ending: JsonObject | undefined;
  /** Answers a start so. */
  refusal: { readonly status: number; readonly body: JsonObject } | undefined;
  /** Cuts so many downloads. */
  cut: FilmBehaviour["cut"];
  /** Where a download is sent on to; absent: to the storage. */
  redirectTo: string | undefined;
  /** Operations that it has forgotten. */
  readonly forgotten: Set<string>;
}

export interface FakeVeo extends AsyncDisposable {
  /** Without the version. */
  readonly url: string;
  readonly requests: readonly VeoRequest[];
  of(verb: VeoRequest["verb"]): readonly VeoRequest[];
  readonly behaviour: VeoBehaviour;
}

/** Starts it, with a storage at an origin of its own. */
export function startFakeVeo(film: Uint8Array<ArrayBuffer>): FakeVeo {
  const requests: VeoRequest[] = [];
  const polls = new Map<string, number>();
  const behaviour: VeoBehaviour = {
    film,
    pollsUntilDone: 1,
    ending: undefined,
    refusal: undefined,
    cut: undefined,
    redirectTo: undefined,
    forgotten: new Set(),
  };
  const cut = { left: 0 };
  async function note(verb: VeoRequest["verb"], request: Request): Promise<void> {
    const json = request.body === null ? undefined : await request.json();
    requests.push({ verb, path: pathOf(request), headers: request.headers, json });
  }
  const storage = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, async (request) => {
    await note("storage", request);
    const facts = { film: behaviour.film, filmType: "video/mp4", etag: '"veo-1"', hasRanges: true };
    return filmAnswer({ ...facts, lateBy: 0, cut: behaviour.cut }, request.headers, cut);
  });
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, async (request) => {
    const path = pathOf(request);
    if (path.endsWith(":predictLongRunning")) {
      await note("start", request);
      const { refusal } = behaviour;
      if (refusal !== undefined) return Response.json(refusal.body, { status: refusal.status });
      cut.left = behaviour.cut?.times ?? 0;
      const model = path.replace(/^\/v1beta\/|:predictLongRunning$/g, "");
      const name = `${model}/operations/op-${polls.size}`;
      polls.set(name, 0);
      return Response.json({ name });
    }
    if (path.includes(":download")) {
      await note("download", request);
      const to = behaviour.redirectTo ?? `http://127.0.0.1:${storage.addr.port}/film.mp4`;
      return new Response(null, { status: 302, headers: { location: to } });
    }
    await note("poll", request);
    const name = path.replace(/^\/v1beta\//, "");
    const count = polls.get(name);
    if (count === undefined || behaviour.forgotten.has(name)) {
      const error = { code: 404, status: "NOT_FOUND", message: "Operation not found" };
      return Response.json({ error }, { status: 404 });
    }
    polls.set(name, count + 1);
    if (count < behaviour.pollsUntilDone) return Response.json({ name });
    const uri = `${new URL(request.url).origin}/v1beta/files/film-1:download?alt=media`;
    const response = { generateVideoResponse: { generatedSamples: [{ video: { uri } }] } };
    return Response.json({ name, done: true, ...behaviour.ending ?? { response } });
  });
  return {
    url: `http://127.0.0.1:${server.addr.port}`,
    requests,
    behaviour,
    of: (verb) => requests.filter((request) => request.verb === verb),
    async [Symbol.asyncDispose]() {
      await Promise.all([server.shutdown(), storage.shutdown()]);
    },
  };
}

function pathOf(request: Request): string {
  return new URL(request.url).pathname;
}
