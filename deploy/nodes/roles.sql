-- The database and who uses it, once, on the new primary, with the passwords in the environment:
--   psql --dbname postgres --file roles.sql
-- There is no standby yet that could have it, too.
SET synchronous_commit = local;
\getenv database_password DATABASE_PASSWORD
\getenv replication_password REPLICATION_PASSWORD
CREATE ROLE tollgate LOGIN PASSWORD :'database_password';
CREATE ROLE replicator LOGIN REPLICATION PASSWORD :'replication_password';
-- `tollgate doctor` sees whether a standby is synchronous.
GRANT pg_monitor TO tollgate;
CREATE DATABASE tollgate OWNER tollgate TEMPLATE template0 ENCODING 'UTF8' LOCALE 'C';
