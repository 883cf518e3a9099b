/**
 * A `POST` of JSON as a whole HTTP/1.1 message.
 *
 * @module
 */

/** The message as bytes on the wire, here still text: the body is ASCII. */
export function postRequest(path: string, key: string, fields: object): string {
  const body = JSON.stringify(fields);
  return `POST /v1/${path} HTTP/1.1\r\nhost: 127.0.0.1\r\n` +
    `authorization: Bearer ${key}\r\ncontent-type: application/json\r\n` +
    `accept: application/json\r\nuser-agent: tollgate-bench\r\n` +
    `content-length: ${body.length}\r\n\r\n${body}`;
}
