#!/bin/bash
# Runs what it is given: the PostgreSQL server NAME. One that has no data yet and is not the PRIMARY
# becomes its standby before, by copying it.
set -eu
if [ "$NAME" != "$PRIMARY" ] && [ ! -s "$PGDATA/PG_VERSION" ]; then
  from="host=$PRIMARY port=5432 user=replicator password=$REPLICATION_PASSWORD"
  until pg_basebackup --dbname "$from application_name=$NAME" --pgdata "$PGDATA" \
    --write-recovery-conf --wal-method stream --checkpoint fast; do
    sleep 1
  done
  chmod 700 "$PGDATA"
fi
exec "$@"
