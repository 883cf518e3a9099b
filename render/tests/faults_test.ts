import assert from "node:assert/strict";
import { NO_FILM_FAULTS, parseFilmFaults } from "../faults.ts";

Deno.test("parseFilmFaults() reads every fault, joined by commas or colons", () => {
  assert.deepEqual(parseFilmFaults("video-2"), NO_FILM_FAULTS);
  assert.deepEqual(parseFilmFaults("video-2:fail"), { frameMs: 0, ending: "fail" });
  assert.deepEqual(parseFilmFaults("video-2:crash"), { frameMs: 0, ending: "crash" });
  assert.deepEqual(parseFilmFaults("video-2:slow-200,stall"), { frameMs: 200, ending: "stall" });
  assert.deepEqual(parseFilmFaults("video-2:fail:slow-60000"), { frameMs: 60_000, ending: "fail" });
});

Deno.test("parseFilmFaults() throws when a fault is unknown or out of range", () => {
  for (
    const fault of [
      "",
      "slow",
      "slow-",
      "slow-60001",
      "slow--1",
      "fail-3",
      "FAIL",
      "fail,",
      "toString",
    ]
  ) {
    assert.throws(
      () => parseFilmFaults(`video-2:${fault}`),
      (error) =>
        error instanceof RangeError && error.message.includes("slow-N, fail, crash, stall"),
      fault,
    );
  }
});
