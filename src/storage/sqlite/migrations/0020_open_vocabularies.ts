/**
 * Capabilities, kinds of model, results and events are vocabularies that grow: the code has
 * them in one table each, and the schema no longer lists them. CHECKs of state machines stay.
 * What a call bought of units that have no column, and what its price depends on besides, is
 * in one column more, which most rows do not have.
 *
 * A table that may have ten million rows is not written again for that. SQLite documents how
 * to change the text of a schema instead (ALTER TABLE, "Making Other Kinds Of Table Schema
 * Changes"), for changes that leave what is stored valid, such as removing a CHECK. ALTER
 * TABLE comes first: it looks at the text as the connection knows it.
 *
 * @module
 */

/** Replaces a part of a table's text. */
function edit(table: string, part: string, other: string): string {
  const [from, to] = [part, other].map((text) => `'${text.replaceAll("'", "''")}'`);
  return `UPDATE sqlite_schema SET sql = replace(sql, ${from}, ${to})
WHERE type = 'table' AND name = '${table}';`;
}

/** Removes a column's CHECK, as versions 1 and 2 wrote it. */
function without(table: string, column: string, texts: readonly string[]): string {
  return edit(table, ` CHECK (${texts.map((text) => `${column} = '${text}'`).join(" OR ")})`, "");
}

/** SQL of schema version 20. */
export const openVocabularies = `
ALTER TABLE calls ADD COLUMN further TEXT CHECK (
  further IS NULL OR (json_valid(further) AND json_type(further) = 'object')
);

PRAGMA writable_schema = ON;
${without("calls", "capability", ["chat", "responses", "embeddings", "videos"])}
${
  without("calls", "result", [
    "completed",
    "client_aborted",
    "upstream_failed",
    "refused",
    "gateway_stopped",
  ])
}
${edit("calls", "(video_seconds >= 1 AND capability = 'videos')", "video_seconds >= 1")}
${without("calls", "usage_source", ["reported", "estimated", "none"])}
${without("models", "kind", ["chat", "embedding", "video"])}
${without("webhook_messages", "event", ["video.completed", "video.failed"])}
PRAGMA writable_schema = RESET;
`;
