/**
 * Whether deployments are there, which no list of a resource's key tells: each is asked a chat without
 * any message. One that is there refuses it, whatever its model is, and what is refused costs nothing.
 *
 * @module
 */

import { UpstreamError } from "../../domain/upstream_error.ts";
import type { Endpoint } from "../upstream/endpoint.ts";

/** A deployment, and where it is asked. */
export interface AskedDeployment {
  readonly name: string;
  readonly endpoint: Endpoint;
}

/**
 * Those that are not there.
 *
 * @throws {UpstreamError} Where the upstream is not reached.
 */
export async function unknownDeployments(
  deployments: readonly AskedDeployment[],
  signal: AbortSignal,
): Promise<readonly string[]> {
  const found = await Promise.all(deployments.map((one) => isUnknown(one, signal)));
  return deployments.filter((_, at) => found[at]).map(({ name }) => name);
}

async function isUnknown(
  { name, endpoint }: AskedDeployment,
  signal: AbortSignal,
): Promise<boolean> {
  const body = JSON.stringify({ model: name, messages: [] });
  try {
    await endpoint.withKeys(async (credential) => {
      const request = { method: "POST", path: "/chat/completions", body, credential } as const;
      return await endpoint.jsonOf(await endpoint.send(request, signal));
    });
    return false;
  } catch (error) {
    if (!(error instanceof UpstreamError) || error.status === undefined) throw error;
    return error.failure === "operator" && error.fault === "model";
  }
}
