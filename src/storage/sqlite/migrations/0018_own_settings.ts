/**
 * What a provider's kind alone has stands together, under the keys of the catalogue file.
 *
 * @module
 */

/** SQL of schema version 18. A merge patch leaves nulls out, so what was absent stays so. */
export const ownSettings = `
UPDATE providers SET document = json_remove(
  json_set(document, '$.own', json_patch('{}', json_object(
    'video_form', document ->> '$.videoForm',
    'output_limit_field', document ->> '$.outputLimitField'
  ))),
  '$.videoForm', '$.outputLimitField'
) WHERE document ->> '$.videoForm' IS NOT NULL OR document ->> '$.outputLimitField' IS NOT NULL;
`;
