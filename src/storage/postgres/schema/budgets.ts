/**
 * Budgets that several nodes share, in the tables of other shares: `amount` of one in `shares` is what
 * a session's calls under way may cost, what it has spent that the hourly sums do not have, and what it
 * may begin calls with. What is left of a budget is what those sums and all shares leave of it: there is
 * no number of that, so that none can be wrong.
 *
 * A share of a session that has ended counts until the sums have all of its book, and for a moment more,
 * in which somebody else goes on with its films.
 *
 * @module
 */

const SAME_POOL = `kind = ask.kind AND scope = ask.scope AND id = ask.id AND period = ask.period`;

const SPENT = `SELECT coalesce(sum(spent_e8), 0) INTO spent FROM spend_hourly
          WHERE hour >= ask.from_hour AND hour < ask.before_hour AND`;

/** One statement each. */
export const BUDGET_TABLES: readonly string[] = [
  `CREATE INDEX spend_by_project ON spend_hourly (project_id, hour)`,
  `CREATE INDEX spend_by_key ON spend_hourly (key_id, hour)`,
  `CREATE TABLE budget_turns (
  session_id bigint PRIMARY KEY,
  turn bigint NOT NULL CHECK (turn >= 1)
)`,
  `CREATE FUNCTION tg_exchange_budgets_1(own bigint, this_turn bigint, asks text)
RETURNS TABLE (place bigint, holds numeric, elsewhere numeric, spent numeric, is_wanted bigint)
LANGUAGE plpgsql AS $body$
DECLARE
  ask record;
  lives bigint;
  now_ms bigint := floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint;
  changes boolean;
  stored numeric;
  remains numeric;
  given numeric;
  wanted bigint;
BEGIN
  INSERT INTO budget_turns (session_id, turn)
    SELECT session_id, this_turn FROM node_sessions WHERE session_id = own AND state = 'live'
    ON CONFLICT (session_id) DO UPDATE SET turn = excluded.turn
    WHERE budget_turns.turn < excluded.turn;
  IF NOT FOUND THEN
    RETURN;
  END IF;
  SELECT count(*) INTO lives FROM node_sessions WHERE state = 'live' AND session_id > 0;
  FOR ask IN
    SELECT * FROM json_to_recordset(asks::json) AS one (place bigint, kind text, scope text, id text,
      period bigint, from_hour bigint, before_hour bigint, most numeric, holds bigint, need bigint,
      lack bigint, wish bigint, reads bigint)
    ORDER BY one.kind COLLATE "C", one.scope COLLATE "C", one.id COLLATE "C", one.period
  LOOP
    SELECT coalesce(sum(amount), 0) INTO stored FROM shares
      WHERE ${SAME_POOL} AND session_id = own;
    SELECT max(wanted_until) INTO wanted FROM pools WHERE ${SAME_POOL};
    changes := ask.lack > 0 OR ask.wish > 0 OR ask.holds <> stored;
    given := 0;
    spent := NULL;
    IF changes THEN
      IF wanted IS NULL THEN
        INSERT INTO pools (kind, scope, id, period, wanted_until)
          VALUES (ask.kind, ask.scope, ask.id, ask.period, 0) ON CONFLICT DO NOTHING;
        DELETE FROM pools WHERE kind = ask.kind AND scope = ask.scope AND id = ask.id
          AND period < ask.period - 1;
      END IF;
      SELECT wanted_until INTO wanted FROM pools WHERE ${SAME_POOL} FOR UPDATE;
      UPDATE shares SET ends_at = now_ms + 5000
        WHERE ${SAME_POOL} AND ends_at IS NULL AND session_id IN
          (SELECT ended.session_id FROM node_sessions AS ended WHERE ended.state <> 'live');
      DELETE FROM shares WHERE ${SAME_POOL} AND ends_at <= now_ms AND NOT EXISTS
        (SELECT 1 FROM ledger WHERE ledger.book = shares.session_id AND ledger.seq > coalesce(
          (SELECT covered_seq FROM ledger_books WHERE ledger_books.book = shares.session_id), 0));
    END IF;
    -- Before the sums: what is in a share and in them counts twice for a moment, and never not at all.
    SELECT coalesce(sum(amount), 0) INTO elsewhere FROM shares
      WHERE ${SAME_POOL} AND session_id <> own;
    IF changes OR ask.reads = 1 THEN
      IF ask.scope = 'project' THEN
        ${SPENT} project_id = ask.id;
      ELSE
        ${SPENT} key_id = ask.id;
      END IF;
    END IF;
    IF changes THEN
      remains := ask.most - spent - elsewhere - ask.holds;
      IF remains > 0 THEN
        given := greatest(ask.need, least(remains,
          greatest(ask.lack, least(ask.wish, floor(remains / (2 * lives))))));
      END IF;
      IF ask.holds + given > 0 THEN
        INSERT INTO shares (kind, scope, id, period, session_id, amount)
          VALUES (ask.kind, ask.scope, ask.id, ask.period, own, ask.holds + given)
          ON CONFLICT (kind, scope, id, period, session_id) DO UPDATE SET amount = excluded.amount;
      ELSE
        DELETE FROM shares WHERE ${SAME_POOL} AND session_id = own;
      END IF;
      IF given < ask.lack AND wanted < now_ms + 500 THEN
        wanted := now_ms + 1000;
        UPDATE pools SET wanted_until = wanted WHERE ${SAME_POOL};
      END IF;
    END IF;
    place := ask.place;
    holds := ask.holds + given;
    is_wanted := CASE WHEN wanted > now_ms THEN 1 ELSE 0 END;
    RETURN NEXT;
  END LOOP;
END
$body$`,
];
