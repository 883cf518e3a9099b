/**
 * Callers who create films and ask for them until the program dies.
 *
 * @module
 */

import { type CreatedFilm, type FilmGateway, PROJECTS } from "./film_gateway.ts";

const CALLERS = 4;

/**
 * Sends requests until the connection ends with the process: first `creates` films, here and at the
 * upstream in turn, then questions. Each film whose creation is answered joins `acknowledged`.
 */
export async function callUntilDeath(films: FilmGateway, { creates, name, acknowledged }: {
  readonly creates: number;
  /** Begins each prompt. */
  readonly name: string;
  readonly acknowledged: CreatedFilm[];
}): Promise<void> {
  let next = 0;
  const callers = Array.from({ length: CALLERS }, async () => {
    try {
      while (next < creates) {
        const number = next++;
        const fields = {
          model: number % 2 === 0 ? "film" : "remote",
          prompt: `${name}, number ${number}`,
        };
        const created = await films.create(fields, PROJECTS[number % PROJECTS.length]);
        acknowledged.push(created);
        await films.show(created);
      }
      for (;;) {
        for (const created of acknowledged.slice(-creates)) await films.show(created);
        await films.json("/videos");
      }
    } catch (error) {
      // The connection ends with the process.
      if (!(error instanceof TypeError || error instanceof SyntaxError)) throw error;
    }
  });
  await Promise.all(callers);
}
