/**
 * What projects and keys have spent of their budgets, and who is paused.
 *
 * Spending by hour, project and key is a sum that is written together with
 * `usage_hourly` and covers the same ledger rows; the calls that are there
 * already are added up once.
 *
 * @module
 */

/**
 * What was spent in an hour, or the largest integer where that is more: the upper and the lower 31
 * bits are added up apart, so that neither sum overflows.
 */
const HIGH = "(sum((sale_e8 - loss_e8) >> 31) + (sum((sale_e8 - loss_e8) & 2147483647) >> 31))";
const LOW = "(sum((sale_e8 - loss_e8) & 2147483647) & 2147483647)";
const SPENT = `CASE WHEN ${HIGH} > 4294967295 THEN 9223372036854775807 ` +
  `ELSE (${HIGH} << 31) | ${LOW} END`;

const BUDGETS =
  "budgets TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(budgets) AND json_type(budgets) = 'object')";

/** SQL of schema version 5. */
export const spend = `
ALTER TABLE projects ADD COLUMN ${BUDGETS};

ALTER TABLE keys ADD COLUMN ${BUDGETS};

CREATE TABLE spend_hourly (
  hour INTEGER NOT NULL CHECK (hour >= 0),
  project_id TEXT NOT NULL,
  key_id TEXT NOT NULL,
  spent_e8 INTEGER NOT NULL CHECK (spent_e8 >= 0),
  PRIMARY KEY (hour, project_id, key_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE spend_states (
  scope TEXT NOT NULL CHECK (scope = 'project' OR scope = 'key'),
  subject_id TEXT NOT NULL CHECK (subject_id <> ''),
  document TEXT NOT NULL CHECK (json_valid(document) AND json_type(document) = 'object'),
  PRIMARY KEY (scope, subject_id)
) STRICT, WITHOUT ROWID;

INSERT INTO spend_hourly (hour, project_id, key_id, spent_e8)
SELECT closed_at / 3600000, project_id, key_id, ${SPENT}
FROM calls
WHERE state = 'settled' AND sale_e8 > loss_e8 AND call_id NOT IN (
  SELECT call_id FROM ledger WHERE kind = 'settle' AND seq > coalesce(
    (SELECT CAST(value AS INTEGER) FROM meta WHERE name = 'usage_covers_ledger_seq'), 0))
GROUP BY closed_at / 3600000, project_id, key_id;
`;
