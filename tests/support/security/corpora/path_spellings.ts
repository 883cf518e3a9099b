/**
 * Ways to write a path that a router, a proxy or a file server may take for it.
 *
 * @module
 */

/** Each of them, as the target of a request line; the path itself is none of them. */
export function spellingsOfPath(path: string): readonly string[] {
  const last = path.slice(path.lastIndexOf("/") + 1);
  return [
    `${path}/`,
    `/${path}`,
    path.replaceAll("/", "//"),
    path.toUpperCase(),
    path.replace("/v1", "/V1"),
    path.replace("/v1", "/v1/."),
    path.replace("/v1", "/v1/../v1"),
    path.replace("/v1", "/v1/%2e%2e/v1"),
    path.replace("/v1", "/%76%31"),
    path.replace("/v1", "/v1%2f"),
    path.replace("/v1", ""),
    path.replace("/v1", "/v1/v1"),
    path.replace("/v1", "/v2"),
    path.replace("/v1/", "/v1;x=1/"),
    path.replaceAll("/", "%2f"),
    path.replaceAll("/", "\\"),
    `/healthz/..${path}`,
    `/openapi.json/%2e%2e${path}`,
    `/models/..${path}`,
    `${path}%00`,
    `${path}%20`,
    `${path}%0a`,
    `${path}%0d%0aauthorization:%20x`,
    `${path}.json`,
    `${path}?`,
    `${path}?${last}`,
    `${path}#fragment`,
    `${path};a=b`,
    `${path}/..;/${last}`,
    `${path}/.`,
    `${path}/%2e`,
    `http://gateway.example${path}`,
  ];
}
