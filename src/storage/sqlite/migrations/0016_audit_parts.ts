/**
 * What a change of a whole catalogue was about: each part under the names that it is looked for
 * by, its kind with its id (`project:shop`) and its id alone. A trigger notes them, so that no
 * row is without; the rows name their parts as `project shop`.
 *
 * @module
 */

/** SQL of schema version 16. */
export const auditParts = `
CREATE TABLE audit_parts (
  subject TEXT NOT NULL CHECK (subject <> ''),
  seq INTEGER NOT NULL,
  PRIMARY KEY (subject, seq)
) STRICT, WITHOUT ROWID;

INSERT INTO audit_parts (subject, seq)
SELECT ${wholeName("part.key")}, seq FROM audit, json_each(coalesce(before, '{}')) part
WHERE ${isCatalogue("subject")} UNION
SELECT ${idAlone("part.key")}, seq FROM audit, json_each(coalesce(before, '{}')) part
WHERE ${isCatalogue("subject")} UNION
SELECT ${wholeName("part.key")}, seq FROM audit, json_each(coalesce(after, '{}')) part
WHERE ${isCatalogue("subject")} UNION
SELECT ${idAlone("part.key")}, seq FROM audit, json_each(coalesce(after, '{}')) part
WHERE ${isCatalogue("subject")};

CREATE TRIGGER audit_notes_parts AFTER INSERT ON audit WHEN ${isCatalogue("new.subject")}
BEGIN
  INSERT INTO audit_parts (subject, seq)
  SELECT ${wholeName("key")}, new.seq FROM json_each(coalesce(new.before, '{}')) UNION
  SELECT ${idAlone("key")}, new.seq FROM json_each(coalesce(new.before, '{}')) UNION
  SELECT ${wholeName("key")}, new.seq FROM json_each(coalesce(new.after, '{}')) UNION
  SELECT ${idAlone("key")}, new.seq FROM json_each(coalesce(new.after, '{}'));
END;
`;

function isCatalogue(subject: string): string {
  return `${subject} LIKE 'catalogue:%'`;
}

function wholeName(key: string): string {
  return `substr(${key}, 1, instr(${key}, ' ') - 1) || ':' || ${idAlone(key)}`;
}

function idAlone(key: string): string {
  return `substr(${key}, instr(${key}, ' ') + 1)`;
}
