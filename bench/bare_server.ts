/**
 * The yardstick for polls and downloads: the least that `Deno.serve` can do. It looks at nothing of
 * a request and answers each with the same file: `json FILE` serialises what it parsed at its
 * start, `film FILE` opens the file and hands over its stream. It prints its port.
 *
 * @module
 */

const [kind, path] = Deno.args;

function answerJson(): () => Response {
  const answer = JSON.parse(Deno.readTextFileSync(path!));
  return () => Response.json(answer);
}

async function answerFilm(): Promise<Response> {
  const file = await Deno.open(path!);
  const { size } = await file.stat();
  const headers = { "content-type": "video/mp4", "content-length": String(size) };
  return new Response(file.readable, { headers });
}

Deno.serve({
  hostname: "127.0.0.1",
  port: 0,
  onListen: ({ port }) => {
    Deno.stdout.writeSync(new TextEncoder().encode(`${port}\n`));
  },
}, kind === "json" ? answerJson() : answerFilm);
