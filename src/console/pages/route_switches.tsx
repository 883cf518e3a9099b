/**
 * The forms that switch a route off, with a reason for whoever looks at it later.
 *
 * @module
 */

import type { RouteRow } from "../../admin/catalogue/routes.ts";
import type { ConsoleContext } from "../frame/console_env.ts";
import { maySend } from "../frame/doors.ts";
import { Field, Form } from "../parts/form.tsx";

const FORMS = [
  ["disable", "Disable"],
  ["maintenance", "Put into maintenance"],
] as const;

/** Those that make a difference; nothing for who may not switch it. */
export function SwitchForms(
  { context, route: { id, model, enabled, maintenance } }: {
    readonly context: ConsoleContext;
    readonly route: RouteRow;
  },
) {
  const isOff = { disable: !enabled, maintenance };
  const forms = FORMS.filter(([verb]) => !isOff[verb]);
  if (forms.length === 0 || !maySend(context.var.rights, "/console/routes/disable")) return null;
  return (
    <details>
      <summary>Switch it off</summary>
      {forms.map(([verb, words]) => (
        <Form context={context} action={`/console/routes/${verb}`} submit={words}>
          <input type="hidden" name="route" value={id} />
          <input type="hidden" name="model" value={model} />
          <Field name="reason" label="Reason, if you like" />
        </Form>
      ))}
    </details>
  );
}
