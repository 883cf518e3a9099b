/**
 * The yardstick: the least that a gateway in JavaScript can do, `Deno.serve` in front of `fetch`.
 *
 * It reads the request's body as text and sends it on unread. A plain answer is parsed, gets one
 * field and is serialised again; a stream's body is handed over as it is. It checks no key, chooses
 * nothing, counts nothing, stores nothing and logs nothing. Its argument is the upstream's base
 * URL; it prints its port.
 *
 * @module
 */

const [upstreamUrl] = Deno.args;

Deno.serve({
  hostname: "127.0.0.1",
  port: 0,
  onListen: ({ port }) => {
    Deno.stdout.writeSync(new TextEncoder().encode(`${port}\n`));
  },
}, async (request) => {
  const upstream = await fetch(`${upstreamUrl}/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: await request.text(),
  });
  const type = upstream.headers.get("content-type") ?? "";
  if (type.startsWith("text/event-stream")) {
    return new Response(upstream.body, { headers: { "content-type": type } });
  }
  const answer = await upstream.json();
  answer.provider = "upstream";
  return Response.json(answer);
});
