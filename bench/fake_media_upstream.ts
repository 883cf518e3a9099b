/**
 * The upstream that hears, draws and speaks, a process of its own: reads bodies of any size piece
 * by piece and holds nothing of them; what it says and draws has as many bytes as its argument
 * says. Prints its port.
 *
 * @module
 */

const MEDIA_BYTES = Number(Deno.args[0]);
const PIECE_BYTES = 3 * 256 * 1024;

const encoder = new TextEncoder();
const NOISE = Uint8Array.from({ length: PIECE_BYTES }, (_, index) => (index * 2_654_435_761) >>> 9);
/** Three bytes are four characters, so that pieces follow each other as one text. */
const NOISE_TEXT = encoder.encode(NOISE.toBase64());

async function answer(request: Request): Promise<Response> {
  const { pathname } = new URL(request.url);
  let bytes = 0;
  for await (const piece of request.body ?? []) bytes += piece.length;
  const hasAll = bytes > MEDIA_BYTES;
  switch (pathname) {
    case "/v1/audio/transcriptions":
      return hasAll ? Response.json({ text: "Hello", usage: { seconds: 2 } }) : tooShort(bytes);
    case "/v1/images/edits":
      return hasAll ? image(4) : tooShort(bytes);
    case "/v1/images/generations":
      return image(MEDIA_BYTES * 4 / 3);
    case "/v1/audio/speech":
      return new Response(repeated(NOISE, MEDIA_BYTES), {
        headers: { "content-type": "audio/mpeg" },
      });
    default:
      return Response.json({ detail: "Not Found" }, { status: 404 });
  }
}

/** An image whose text has so many characters. */
function image(characters: number): Response {
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    async start(controller) {
      controller.enqueue(encoder.encode('{"created":1700000000,"data":[{"b64_json":"'));
      for await (const piece of repeated(NOISE_TEXT, characters - characters % 4)) {
        controller.enqueue(piece);
      }
      controller.enqueue(encoder.encode('"}]}'));
      controller.close();
    },
  });
  return new Response(body, { headers: { "content-type": "application/json" } });
}

function repeated(
  pattern: Uint8Array<ArrayBuffer>,
  bytes: number,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  let left = bytes;
  return new ReadableStream({
    pull(controller) {
      const piece = pattern.slice(0, left);
      left -= piece.length;
      if (piece.length > 0) controller.enqueue(piece);
      if (left === 0) controller.close();
    },
  });
}

function tooShort(bytes: number): Response {
  return Response.json({ error: { message: `Only ${bytes} bytes came` } }, { status: 400 });
}

Deno.serve({
  hostname: "127.0.0.1",
  port: 0,
  onListen: ({ port }) => {
    Deno.stdout.writeSync(encoder.encode(`${port}\n`));
  },
}, answer);
