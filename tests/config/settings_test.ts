import assert from "node:assert/strict";
import { SETTING_FIELDS, settingsJsonSchema } from "../../src/config/settings.ts";

Deno.test("SETTING_FIELDS says of every setting what the published JSON Schema says", () => {
  const { properties } = settingsJsonSchema() as {
    properties: Record<string, Record<string, unknown>>;
  };
  assert.deepEqual(SETTING_FIELDS.map(({ name }) => name as string), Object.keys(properties));
  for (const field of SETTING_FIELDS) {
    const { placeholder = "VALUE", description, secret = false, type, ...schema } =
      properties[field.name]!;
    assert.deepEqual(
      {
        placeholder: field.placeholder,
        description: field.description,
        secret: field.secret,
        defaultText: field.defaultText,
        numeric: field.numeric,
      },
      {
        placeholder,
        description,
        secret,
        defaultText: schema.default === undefined ? undefined : String(schema.default),
        numeric: type === "integer" || type === "number" ? type : undefined,
      },
      field.name,
    );
  }
});
