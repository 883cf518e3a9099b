/**
 * What has to hold of a row, whatever was to be written: said by the statements that write rows, as the server
 * keeps their plans and would read a table's constraints anew each time. SQLite's tables have the same.
 *
 * @module
 */

const MOST_E8 = "999999999999999999";

/** Of a row of `calls`. */
export const SOUND_CALL = `(call_id >= 1 AND request_id <> '' AND price_version >= 0
      AND held_e8 BETWEEN 0 AND ${MOST_E8} AND unlimited BETWEEN 0 AND 1 AND stream BETWEEN 0 AND 1
      AND opened_at >= 0 AND (state = 'open' OR state = 'settled' OR state = 'released')
      AND closed_at >= 0 AND first_byte_ms >= 0 AND attempts >= 0
      AND prompt_tokens >= 0 AND completion_tokens >= 0 AND cached_tokens >= 0
      AND cache_write_tokens >= 0 AND reasoning_tokens >= 0 AND images >= 0
      AND cost_e8 BETWEEN 0 AND ${MOST_E8} AND sale_e8 BETWEEN 0 AND ${MOST_E8}
      AND loss_e8 BETWEEN 0 AND ${MOST_E8} AND charged_e8 BETWEEN 0 AND held_e8
      AND (video_seconds IS NULL) = (video_size IS NULL) AND video_seconds >= 1
      AND (video_percent IS NULL
        OR (video_percent BETWEEN 1 AND 99 AND video_size IS NOT NULL AND state <> 'open'))
      AND (state = 'open') = (closed_at IS NULL) AND (state = 'open') = (result IS NULL)
      AND (state = 'open') = (usage_source IS NULL) AND (state = 'settled' OR charged_e8 = 0)
      AND (unlimited = 0 OR (held_e8 = 0 AND charged_e8 = 0))
      AND (state <> 'open' OR (attempts = 0 AND cost_e8 = 0 AND sale_e8 = 0 AND loss_e8 = 0
        AND first_byte_ms IS NULL AND error_code IS NULL))
      AND json_typeof(further::json) = 'object') IS NOT FALSE`;

/** Of a row of `ledger`. */
export const SOUND_ROW = `(book >= 0 AND seq >= 1 AND amount_e8 BETWEEN 0 AND ${MOST_E8} AND at >= 0
      AND (kind = 'credit' OR kind = 'settle' OR kind = 'release' OR kind = 'loss')
      AND balance_after_e8 BETWEEN -${MOST_E8} AND ${MOST_E8} AND (book > 0 OR balance_after_e8 >= 0)
      AND (kind = 'credit') = (call_id IS NULL) AND (kind = 'credit' OR reference IS NULL)
      AND (kind <> 'release' OR amount_e8 = 0) AND (kind <> 'loss' OR amount_e8 > 0)) IS NOT FALSE`;
