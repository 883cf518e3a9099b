/**
 * The ways in which a change comes are a vocabulary that grows: the code has them, and the schema no
 * longer lists them. The table's text is changed as in version 20: what is stored stays valid.
 *
 * @module
 */

const LISTED = ` CHECK (channel = ''control_socket'' OR channel = ''admin_api''
    OR channel = ''in_process'' OR channel = ''catalogue_file'' OR channel = ''first_run'')`;

/** SQL of schema version 25. */
export const auditChannels = `
PRAGMA writable_schema = ON;
UPDATE sqlite_schema SET sql = replace(sql, '${LISTED}', ' CHECK (channel <> '''')')
WHERE type = 'table' AND name = 'audit';
PRAGMA writable_schema = RESET;
`;
