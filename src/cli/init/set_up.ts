/**
 * Sets up a first gateway with the operations that there are: what is there already stays.
 *
 * @module
 */

import { createKey } from "../../admin/accounts/keys.ts";
import { createProject, listProjects } from "../../admin/accounts/projects.ts";
import { applyCatalogue } from "../../admin/catalogue/apply_catalogue.ts";
import { listProviders } from "../../admin/catalogue/providers.ts";
import { addProvider } from "../../admin/vendors/add_provider.ts";
import { firstDocument } from "../../catalog/first_catalogue.ts";
import type { AdminChannel } from "../base/admin_channel.ts";
import { requireAgreed } from "../base/agreed.ts";
import type { Cli, CommonOptions } from "../base/cli.ts";
import { CommandFailure, EXIT_USAGE } from "../base/failure.ts";
import { findVendors, type FoundVendor } from "./find_vendors.ts";

/** As commander gives them. */
export interface InitOptions extends CommonOptions {
  readonly yes?: boolean;
  readonly dryRun?: boolean;
  readonly provider?: readonly string[];
  readonly key?: string;
  readonly project: string;
  readonly port: number;
}

/** One thing to add: what would change, and how it is done. */
interface Step {
  readonly lines: readonly string[];
  make(): Promise<readonly string[]>;
}

/** @throws {CommandFailure} When nobody agrees. */
export async function setUp(cli: Cli, options: InitOptions): Promise<void> {
  const wanted = await wantedVendors(cli, options);
  await cli.administer(options, async (admin) => {
    const steps = [
      ...await builtinStep(admin),
      ...await vendorSteps(admin, wanted, options.key),
    ].filter(({ lines }) => lines.length > 0);
    const projects = await admin.call(listProjects, { limit: 1 });
    const isNew = projects.data.length === 0;
    const lines = [
      ...steps.flatMap((step) => step.lines),
      ...(isNew ? [`+ project ${options.project}, unlimited, with a key`] : []),
    ];
    if (options.json !== true) { for (const line of lines) cli.say(line); }
    if (options.dryRun === true || lines.length === 0) {
      if (options.json === true) cli.printJson({ changes: lines, key: null, applied: false });
      if (lines.length === 0) cli.say("Nothing to add: what was found is there already");
      return sayNext(cli, options, undefined);
    }
    requireAgreed(cli, options.yes === true);
    const warnings: string[] = [];
    for (const step of steps) warnings.push(...await step.make());
    const key = isNew ? await firstKey(admin, options.project) : undefined;
    cli.warn([...new Set(warnings)]);
    cli.printFacts({ changes: lines, key: key ?? null, applied: true }, {
      json: options.json,
      facts: [
        ["data dir", admin.dataDir],
        ["project", isNew ? options.project : null],
        ["key", key ?? null],
      ],
    });
    if (key !== undefined) cli.say("The key is shown this once: keep it now");
    sayNext(cli, options, key);
  }, { mayCreate: true });
}

async function wantedVendors(
  cli: Cli,
  { provider, key }: InitOptions,
): Promise<readonly FoundVendor[]> {
  if (key !== undefined && provider?.length !== 1) {
    throw new CommandFailure("--key is for the one vendor that --provider names", {
      exitCode: EXIT_USAGE,
    });
  }
  if (provider !== undefined) {
    return provider.filter((vendor) => vendor !== "none").map((vendor) => ({ vendor, by: "name" }));
  }
  const found = await findVendors(cli.terminal.around.env);
  for (const { vendor, by } of found) cli.say(`Found ${vendor}, by ${by}`);
  if (found.length === 0) {
    cli.say(
      "Found no vendor's key in the environment, and no Ollama: the built-in models are added",
    );
  }
  return found;
}

/** The built-in models are for whoever begins: not for a catalogue that somebody has written. */
async function builtinStep(admin: AdminChannel): Promise<readonly Step[]> {
  const providers = await admin.call(listProviders, { limit: 1 });
  if (providers.data.length > 0) return [];
  const input = { file: "built-in models", text: JSON.stringify(firstDocument()) };
  const { changes } = await admin.call(applyCatalogue, { ...input, dry_run: true });
  return [{
    lines: changes.map(({ line }) => line),
    make: async () => (await admin.call(applyCatalogue, input)).warnings,
  }];
}

async function vendorSteps(
  admin: AdminChannel,
  vendors: readonly FoundVendor[],
  key: string | undefined,
): Promise<readonly Step[]> {
  const steps: Step[] = [];
  for (const { vendor } of vendors) {
    const input = {
      vendor,
      ...(key !== undefined && { api_key: key }),
      // It serves what its owner has pulled, now and later.
      ...(vendor === "ollama" && { models: ["*"] }),
    };
    const { changes } = await admin.call(addProvider, { ...input, dry_run: true });
    steps.push({
      lines: changes.map(({ line }) => line),
      make: async () => (await admin.call(addProvider, input)).warnings,
    });
  }
  return steps;
}

async function firstKey(admin: AdminChannel, project: string): Promise<string> {
  await admin.call(createProject, { id: project, unlimited: true });
  return (await admin.call(createKey, { project, name: "first key" })).key;
}

function sayNext(cli: Cli, { port, dataDir, json }: InitOptions, key: string | undefined): void {
  if (json === true) return;
  const place = dataDir === undefined ? "" : ` --data-dir ${dataDir}`;
  cli.say(`Next:
  tollgate serve --listen 127.0.0.1:${port}${place}
  curl http://127.0.0.1:${port}/v1/chat/completions \\
    -H "Authorization: Bearer ${key ?? "YOUR_KEY"}" -H "Content-Type: application/json" \\
    -d '{"model": "echo-1", "messages": [{"role": "user", "content": "Hello!"}]}'
  tollgate console${place}`);
}
