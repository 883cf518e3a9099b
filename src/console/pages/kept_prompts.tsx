/**
 * What calls of a project said: whether it is kept, for how long, what is taken out before, and how it
 * is forgotten. It stands on the project's page.
 *
 * @module
 */

import { type ProjectRow, setProject } from "../../admin/accounts/projects.ts";
import { forgetPrompts } from "../../admin/call_content.ts";
import { DEFAULT_PROMPT_BYTES, MAX_PROMPT_DAYS } from "../../domain/account.ts";
import type { ConsoleContext } from "../frame/console_env.ts";
import { ActionButton, Field, Form, TextField } from "../parts/form.tsx";
import { Facts } from "../parts/table.tsx";
import { addAction, type ConsoleApp } from "./page_routes.ts";

/** What the forms of {@linkcode KeptPrompts} do. */
export function mountKeptPrompts(app: ConsoleApp): void {
  const next = ({ project = "" }) => `/projects/${encodeURIComponent(project)}`;
  addAction(app, {
    path: "/projects/:project/prompts",
    operation: setProject,
    input: ({ project, days, bytes, redact = "" }) => {
      const patterns = redact.split("\n").map((line) => line.trim()).filter(Boolean);
      return {
        project,
        quotas: {
          prompt_days: days ? Number(days) : null,
          prompt_bytes: bytes || null,
          redact: patterns.length > 0 ? patterns : null,
        },
      };
    },
    next,
    done: "changed",
  });
  addAction(app, {
    path: "/projects/:project/forget-prompts",
    operation: forgetPrompts,
    input: ({ project }) => ({ project }),
    next,
    done: "forgotten",
  });
}

/** What is kept of a project's prompts and answers, and the forms that change it. */
export function KeptPrompts(
  { context, row: { id, quotas } }: {
    readonly context: ConsoleContext;
    readonly row: ProjectRow;
  },
) {
  const { prompt_days: days, prompt_bytes: bytes, redact = [] } = quotas;
  const path = `/console/projects/${encodeURIComponent(id)}`;
  return (
    <>
      <h2>Prompts and answers</h2>
      <Facts
        facts={[
          ["Kept", days === undefined ? "no" : `for ${days} ${days === 1 ? "day" : "days"}`],
          ["At most", `${bytes ?? DEFAULT_PROMPT_BYTES} bytes`],
          [
            "Taken out before",
            ["addresses, card numbers, keys and the like", ...redact].join(", "),
          ],
        ]}
      />
      <Form context={context} action={`${path}/prompts`} submit="Change what is kept">
        <Field
          name="days"
          param="quotas.prompt_days"
          label="Keep for so many days (empty: keep none)"
          value={days?.toString() ?? ""}
          inputmode="numeric"
          pattern="[0-9]+"
          title={`A whole number, at most ${MAX_PROMPT_DAYS}`}
        />
        <Field
          name="bytes"
          param="quotas.prompt_bytes"
          label="At most, such as 1GiB (empty: 256MiB)"
          value={bytes?.toString() ?? ""}
        />
        <TextField
          name="redact"
          param="quotas.redact"
          label="Take out, one to a line: # a digit, ? a character, one * for many"
          rows={3}
          value={redact.join("\n")}
        />
      </Form>
      <p>
        <ActionButton
          context={context}
          action={`${path}/forget-prompts`}
          name="Forget all that is kept"
          ask={`Delete all prompts and answers that are kept of project ${id}, now and for good?`}
          isDangerous
        />
      </p>
    </>
  );
}
