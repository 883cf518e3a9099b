/**
 * Why a server's database cannot be used, in words for whoever has written its address.
 *
 * @module
 */

import { formatPostgresAddress, readPostgresAddress } from "../../domain/postgres_address.ts";
import { StorageOpenError } from "../ports/storage_open_error.ts";
import { ConnectionLost, isFromServer, type PostgresPlace } from "./connection.ts";

/** What an error means that came while a database was opened; one that says all is given back. */
export function explainOpening(error: unknown, { url, ca }: PostgresPlace): Error {
  if (error instanceof StorageOpenError) return error;
  const read = readPostgresAddress(url);
  if (!read.ok) return new StorageOpenError(`The database's address is wrong. ${read.message}`);
  const { address } = read;
  const place = formatPostgresAddress(address);
  const told = (why: string, remedy: string) =>
    new StorageOpenError(`Cannot use the database ${place}: ${why}. ${remedy}`, { cause: error });
  if (isFromServer(error)) {
    switch (error.code) {
      case "28000":
      case "28P01":
        return told(
          error.message,
          "Check the user and the password of database_url: in it @ : / ? # % of a password are " +
            "written %40 %3A %2F %3F %23 %25",
        );
      case "3D000":
        return told(error.message, "Make it, or name the one that is meant in database_url");
      case "42501":
        return told(
          error.message,
          `Make ${address.user} the database's owner, or GRANT CREATE, USAGE ON SCHEMA public TO ${address.user}`,
        );
      case "25006":
        return told(
          error.message,
          "It is a standby, or read-only: name the server that takes writes in database_url",
        );
      case "53300":
        return told(error.message, "Raise max_connections there: a node takes up to seven");
      default:
        return told(error.message, "See the server's log");
    }
  }
  if (!(error instanceof ConnectionLost)) return error as Error;
  const why = error.cause instanceof Error ? error.cause.message : String(error.cause);
  if (/does not support SSL|establishing an SSL/.test(why)) {
    return told(
      "the server does not encrypt its line",
      "Turn TLS on there, or write ?sslmode=disable behind the address where nobody else is on the way",
    );
  }
  if (/altname|not valid for name/.test(why)) {
    return told(
      `the server's certificate is not one of ${address.host} (${why.trim()})`,
      "Write its host in database_url as its certificate does",
    );
  }
  if (/certificate|Issuer/i.test(why)) {
    return told(
      `its server does not prove who it is (${why})`,
      ca === undefined
        ? "Name the certificate of its authority with database_ca"
        : "Check that database_ca is the certificate of its authority, and that neither has expired",
    );
  }
  if (/SASL|password/.test(why)) {
    return told("the server wants a password", "Write it in database_url, or see the server's log");
  }
  return told(why, "Check the host and the port of database_url, and that the server runs");
}
