/**
 * The upstream that embeds, a process of its own: whatever it is asked, it answers with the same
 * vectors, as JSON numbers, made before. Its arguments are how many and how long; it prints its port.
 *
 * @module
 */

const [count, dimensions] = Deno.args.map(Number) as [number, number];

/** Numbers of a unit vector's size, with as many digits as OpenAI sends. */
function vector(index: number): number[] {
  return Array.from({ length: dimensions }, (_, at) => {
    const part = ((index * dimensions + at + 1) * 2_654_435_761 % 4_294_967_296) / 4_294_967_296;
    return Math.fround((part - 0.5) / 11);
  });
}

const tokens = 8 * count;
const ANSWER = new TextEncoder().encode(JSON.stringify({
  object: "list",
  data: Array.from({ length: count }, (_, index) => ({
    object: "embedding",
    index,
    embedding: vector(index),
  })),
  model: "bench-upstream",
  usage: { prompt_tokens: tokens, total_tokens: tokens },
}));

Deno.serve({
  hostname: "127.0.0.1",
  port: 0,
  onListen: ({ port }) => {
    Deno.stdout.writeSync(new TextEncoder().encode(`${port}\n`));
  },
}, async (request) => {
  await request.text();
  return new Response(ANSWER, { headers: { "content-type": "application/json" } });
});
