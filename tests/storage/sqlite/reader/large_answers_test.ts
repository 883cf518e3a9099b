/**
 * Which thread reads kept answers.
 *
 * @module
 */

import assert from "node:assert/strict";
import { readLargeAnswersBy } from "../../../../src/storage/sqlite/reader/large_answers.ts";
import { createReaderStorage } from "../../../../src/storage/sqlite/reader/reader_storage.ts";
import { createWorkerStorage } from "../../../../src/storage/sqlite/worker_client.ts";
import { sampleResponse } from "../../../conformance/storage_responses_suite.ts";
import { sampleAnswer } from "../../../conformance/storage_video_samples.ts";
import { withDatabasePath } from "../temporary_database.ts";

Deno.test("readLargeAnswersBy() has large answers read by the reader, as soon as they are written", async () => {
  await withDatabasePath(async (path) => {
    const writer = await createWorkerStorage(path);
    const reader = createReaderStorage(path, { writer });
    const read: string[] = [];
    const storage = readLargeAnswersBy({
      responses: {
        ...reader.responses,
        find(query) {
          read.push(query.responseId);
          return reader.responses.find(query);
        },
      },
      answers: {
        ...reader.answers,
        find(scope) {
          read.push(scope.key);
          return reader.answers.find(scope);
        },
      },
    }, writer);
    for (const [index, bytes] of [1_000, 1_000_000].entries()) {
      const body = JSON.stringify("x".repeat(bytes));
      const response = sampleResponse({ callId: index + 1, id: `resp_${bytes}`, body });
      const record = sampleAnswer({ key: `key-${bytes}`, body });
      const results = await storage.commitBatch([
        { kind: "put_response", response },
        { kind: "store_answer", record },
      ]);
      assert.deepEqual(results.map(({ ok }) => ok), [true, true]);
      const { projectId, id: responseId } = response;
      assert.deepEqual(await storage.responses.find({ projectId, responseId }), response);
      assert.deepEqual(await storage.answers.find(record), record);
      const other = { projectId: "another", responseId };
      assert.equal(await storage.responses.find(other), undefined);
      assert.equal(await storage.answers.find({ ...record, projectId: "another" }), undefined);
    }
    assert.deepEqual(read, ["resp_1000000", "key-1000000"]);
    await reader.close();
    await storage.close();
  });
});
