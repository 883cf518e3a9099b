/**
 * A create whose answer was lost with the process may be sent again: it makes no
 * second film.
 *
 * @module
 */

import assert from "node:assert/strict";
import { assertBooksClosed } from "../../support/films/film_books.ts";
import { type CreatedFilm, FilmGateway, SMALL_FILM } from "../../support/films/film_gateway.ts";

Deno.test("a create that is sent again with its key makes one task, also after kill -9", async () => {
  await using films = await FilmGateway.start();
  const init = {
    method: "POST",
    headers: { "content-type": "application/json", "idempotency-key": "order-1" },
    body: JSON.stringify({ ...SMALL_FILM, model: "slow" }),
  };
  const send = () => films.json("/videos", init);
  const answers = await Promise.all(Array.from({ length: 20 }, send));
  await films.server.kill();
  await films.restart();
  answers.push(await send());
  const [{ body: first }] = answers as [typeof answers[0]];
  for (const { status, body } of answers) assert.deepEqual([status, body], [200, first]);
  const other = await films.json("/videos", { ...init, body: init.body.replace("red", "blue") });
  assert.deepEqual([other.status, other.body.error.code], [400, "idempotency_key_reused"]);

  await films.untilStatus({ id: first.id, requestId: "", project: "shop" });
  const { body: list } = await films.json("/videos");
  assert.deepEqual(list.data.map(({ id }: CreatedFilm) => id), [first.id]);
  await assertBooksClosed(films);
});

Deno.test("a create that an SDK sends again after kill -9 is answered with the task that it made", async () => {
  await using films = await FilmGateway.start();
  const send = async (retryCount: number) => {
    const { status, body } = await films.json("/videos", {
      method: "POST",
      headers: {
        "content-type": "application/json",
        "x-stainless-retry-count": String(retryCount),
      },
      body: JSON.stringify(SMALL_FILM),
    });
    assert.equal(status, 200);
    return body.id;
  };
  const first = await send(0);
  await films.server.kill();
  await films.restart();
  assert.equal(await send(1), first);
  // Whoever uses the id has got the answer: another request for the same film is another film.
  await films.untilStatus({ id: first, requestId: "", project: "shop" });
  const second = await send(1);
  assert.notEqual(second, first);
  assert.notEqual(await send(0), second);
  for (const { id } of (await films.json("/videos")).body.data) {
    await films.untilStatus({ id, requestId: "", project: "shop" });
  }
  assert.equal((await films.json("/videos")).body.data.length, 3);
  await assertBooksClosed(films);
});
