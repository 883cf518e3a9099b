/**
 * Usage of archived months by whole days: hourly sums are moved here once their calls are
 * archived. And since when spending is added up as it is today: sums of earlier hours may
 * have been added up by the rule before.
 *
 * @module
 */

/** SQL of schema version 15. */
export const dailySums = `
CREATE TABLE usage_daily (
  day INTEGER NOT NULL CHECK (day >= 0),
  project_id TEXT NOT NULL,
  model TEXT NOT NULL,
  provider TEXT NOT NULL,
  route TEXT NOT NULL,
  calls INTEGER NOT NULL CHECK (calls >= 1),
  prompt_tokens INTEGER NOT NULL CHECK (prompt_tokens >= 0),
  completion_tokens INTEGER NOT NULL CHECK (completion_tokens >= 0),
  cost_e8 INTEGER NOT NULL CHECK (cost_e8 >= 0),
  sale_e8 INTEGER NOT NULL CHECK (sale_e8 >= 0),
  charged_e8 INTEGER NOT NULL CHECK (charged_e8 >= 0),
  loss_e8 INTEGER NOT NULL CHECK (loss_e8 >= 0),
  PRIMARY KEY (day, project_id, model, provider, route)
) STRICT, WITHOUT ROWID;

INSERT INTO meta (name, value)
VALUES ('spend_rule_since_hour', CAST(unixepoch() / 3600 AS TEXT));
`;
