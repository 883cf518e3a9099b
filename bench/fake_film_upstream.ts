/**
 * The upstream that makes films, a process of its own: takes orders under `/v1/videos`. A job of
 * the model `stays-queued` stays queued; any other is completed at once and its film has as many
 * bytes as the argument says. Prints its port.
 *
 * @module
 */

const FILM_BYTES = Number(Deno.args[0]);
const CHUNK_BYTES = 1_048_576;

const encoder = new TextEncoder();
/** How an MP4 file begins; nobody plays this one. */
const HEAD = encoder.encode("\0\0\0\x18ftypisom");
const NOISE = Uint8Array.from({ length: CHUNK_BYTES }, (_, index) => (index * 2_654_435_761) >>> 9);

async function answer(request: Request): Promise<Response> {
  const { pathname } = new URL(request.url);
  if (request.method === "POST") {
    const { model } = await request.json();
    return Response.json({ id: `${model}-${crypto.randomUUID()}`, status: "queued" });
  }
  const [, id, suffix] = /^\/v1\/videos\/([^/]+)(\/content)?$/.exec(pathname) ?? [];
  if (id === undefined) return Response.json({ detail: "Not Found" }, { status: 404 });
  if (request.method === "DELETE") return Response.json({ id, deleted: true });
  if (suffix !== undefined) return film();
  return Response.json({ id, status: id.startsWith("stays-queued") ? "queued" : "completed" });
}

function film(): Response {
  let left = FILM_BYTES;
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    pull(controller) {
      const chunk = NOISE.slice(0, Math.min(left, CHUNK_BYTES));
      if (left === FILM_BYTES) chunk.set(HEAD);
      left -= chunk.length;
      controller.enqueue(chunk);
      if (left === 0) controller.close();
    },
  });
  const headers = { "content-type": "video/mp4", "content-length": String(FILM_BYTES) };
  return new Response(body, { headers });
}

Deno.serve({
  hostname: "127.0.0.1",
  port: 0,
  onListen: ({ port }) => {
    Deno.stdout.writeSync(encoder.encode(`${port}\n`));
  },
}, answer);
