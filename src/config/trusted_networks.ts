/**
 * Reads lists of addresses and networks.
 *
 * @module
 */

/** What to write instead. */
export const NETWORKS_HINT =
  "Expected addresses or networks such as 10.0.0.0/8,::1, separated by commas";

const V4 = /^(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.(?!$)|$)){4}$/;

/** Each as it was written; `undefined` where one is neither. */
export function parseNetworks(list: string | readonly string[]): readonly string[] | undefined {
  const networks = (typeof list === "string" ? list.split(",") : list)
    .map((one) => one.trim()).filter((one) => one !== "");
  return networks.length > 0 && networks.every(isNetwork) ? networks : undefined;
}

function isNetwork(text: string): boolean {
  const [, address = "", bits = "0"] = /^([0-9A-Fa-f:.]+)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
  if (V4.test(address)) return Number(bits) <= 32;
  return address.includes(":") && URL.canParse(`http://[${address}]`) && Number(bits) <= 128;
}
