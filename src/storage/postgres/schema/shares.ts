/**
 * Shares of limits that several nodes have, and the function by which a node asks for them and gives
 * them back. A limit's pool is what its shares leave of it: there is no number of that, so that none can
 * be wrong. The row of a pool is there to be locked, and says whether somebody wants more than there is.
 *
 * A share of a session that has ended counts until `ends_at`: it may all have been used just before, and
 * that counts for a minute. What runs at the same time has ended with its session.
 *
 * An exchange of a node has a number, `turn`: one that was delayed on its way changes nothing behind the
 * next one.
 *
 * @module
 */

const SAME_POOL = `kind = ask.kind AND scope = ask.scope AND id = ask.id AND period = ask.period`;

/** One statement each. */
export const SHARE_TABLES: readonly string[] = [
  `CREATE TABLE pools (
  kind text COLLATE "C" NOT NULL CHECK (kind <> ''),
  scope text COLLATE "C" NOT NULL CHECK (scope <> ''),
  id text COLLATE "C" NOT NULL CHECK (id <> ''),
  period bigint NOT NULL CHECK (period >= 0),
  wanted_until bigint NOT NULL CHECK (wanted_until >= 0),
  PRIMARY KEY (kind, scope, id, period)
)`,
  `CREATE TABLE shares (
  kind text COLLATE "C" NOT NULL,
  scope text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  period bigint NOT NULL,
  session_id bigint NOT NULL,
  amount bigint NOT NULL CHECK (amount >= 1),
  ends_at bigint CHECK (ends_at >= 0),
  PRIMARY KEY (kind, scope, id, period, session_id)
)`,
  `CREATE TABLE share_turns (
  session_id bigint PRIMARY KEY,
  turn bigint NOT NULL CHECK (turn >= 1)
)`,
  `CREATE FUNCTION tg_exchange_shares_1(own bigint, this_turn bigint, asks text)
RETURNS TABLE (place bigint, holds bigint, free bigint, is_wanted bigint)
LANGUAGE plpgsql AS $body$
DECLARE
  ask record;
  lives bigint;
  now_ms bigint := floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint;
  stored bigint;
  others bigint;
  given bigint;
  wanted bigint;
BEGIN
  INSERT INTO share_turns (session_id, turn)
    SELECT session_id, this_turn FROM node_sessions WHERE session_id = own AND state = 'live'
    ON CONFLICT (session_id) DO UPDATE SET turn = excluded.turn
    WHERE share_turns.turn < excluded.turn;
  IF NOT FOUND THEN
    RETURN;
  END IF;
  SELECT count(*) INTO lives FROM node_sessions WHERE state = 'live' AND session_id > 0;
  FOR ask IN
    SELECT * FROM json_to_recordset(asks::json) AS one (place bigint, kind text, scope text, id text,
      period bigint, most bigint, holds bigint, need bigint, lack bigint, wish bigint)
    ORDER BY one.kind COLLATE "C", one.scope COLLATE "C", one.id COLLATE "C", one.period
  LOOP
    SELECT coalesce(sum(CASE WHEN session_id = own THEN amount END), 0),
        coalesce(sum(CASE WHEN session_id <> own THEN amount END), 0)
      INTO stored, others FROM shares
      WHERE ${SAME_POOL} AND (ends_at IS NULL OR ends_at > now_ms);
    SELECT max(wanted_until) INTO wanted FROM pools WHERE ${SAME_POOL};
    given := 0;
    IF ask.lack > 0 OR ask.wish > 0 OR ask.holds <> stored OR wanted IS NULL THEN
      INSERT INTO pools (kind, scope, id, period, wanted_until)
        VALUES (ask.kind, ask.scope, ask.id, ask.period, 0) ON CONFLICT DO NOTHING;
      SELECT wanted_until INTO wanted FROM pools WHERE ${SAME_POOL} FOR UPDATE;
      UPDATE shares SET ends_at = now_ms + CASE WHEN kind = 'concurrent' THEN 0 ELSE 60000 END
        WHERE ${SAME_POOL} AND ends_at IS NULL AND session_id IN
          (SELECT ended.session_id FROM node_sessions AS ended WHERE ended.state <> 'live');
      DELETE FROM shares WHERE ${SAME_POOL} AND ends_at <= now_ms;
      SELECT coalesce(sum(amount), 0) INTO others FROM shares
        WHERE ${SAME_POOL} AND session_id <> own;
      IF ask.most - others - ask.holds >= greatest(ask.need, 1) THEN
        given := least(ask.most - others - ask.holds,
          greatest(ask.lack, least(ask.wish, (ask.most - others - ask.holds) / (2 * lives))));
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
    free := ask.most - others - holds;
    is_wanted := CASE WHEN wanted > now_ms THEN 1 ELSE 0 END;
    RETURN NEXT;
  END LOOP;
END
$body$`,
];
